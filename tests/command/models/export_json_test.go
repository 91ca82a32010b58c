package models

import (
	"math"
	"slices"
)

// This is an evaluator of the object that export writes as JSON, by docs/JSON.md and the formulas of docs/MODEL.md.

// evaluateJSON computes the decision values of all classifiers from what export wrote.
func evaluateJSON(j map[string]any, rows [][]float64) (all [][]float64) {
	list := func(v any) (x []float64) {
		l, _ := v.([]any)
		for _, e := range l {
			x = append(x, e.(float64))
		}
		return x
	}
	d := 0
	if len(rows) > 0 {
		d = len(rows[0])
	}
	var vectors [][]float64
	for _, v := range j["vectors"].([]any) {
		z, value := make([]float64, d), list(v.(map[string]any)["value"])
		for i, k := range list(v.(map[string]any)["index"]) {
			z[int(k)-1] = float64(float32(value[i]))
		}
		vectors = append(vectors, z)
	}
	scaling := j["scaling"].(map[string]any)
	factor, offset := list(scaling["factor"]), list(scaling["offset"])
	for _, raw := range rows {
		x := slices.Clone(raw)
		for k := range x {
			if offset != nil {
				x[k] -= offset[k]
			}
			if factor != nil {
				x[k] *= factor[min(k, len(factor)-1)]
			}
			x[k] = float64(float32(x[k]))
		}
		var values []float64
		for _, a := range j["machines"].([]any) {
			m := a.(map[string]any)
			f, theta, alpha := m["bias"].(float64), list(m["theta"]), list(m["alpha"])
			for i, s := range list(m["support"]) {
				for id, k := range j["kernels"].([]any) {
					f += theta[id] * k.(map[string]any)["factor"].(float64) * alpha[i] * jsonValue(k.(map[string]any), x, vectors[int(s)])
				}
			}
			values = append(values, f)
		}
		all = append(all, values)
	}
	return all
}

// jsonValue is a kernel of JSON without its factor.
func jsonValue(k map[string]any, x, z []float64) float64 {
	value := func(x, z []float64) float64 {
		if k["kind"] != "prod" {
			return pageValue(k, x, z)
		}
		product := 1.0
		for _, f := range k["factors"].([]any) {
			product *= math.Pow(pageValue(f.(map[string]any), x, z), f.(map[string]any)["power"].(float64))
		}
		return product
	}
	if k["normalization"] == "spherical" {
		return value(x, z) / math.Sqrt(value(x, x)*value(z, z))
	}
	return value(x, z)
}

// pageValue is a kernel by the formulas of docs/MODEL.md.
func pageValue(k map[string]any, x, z []float64) float64 {
	number := func(key string) float64 { v, _ := k[key].(float64); return v }
	sum := 0.0
	add := func(a, b float64) {
		switch k["kind"] {
		case "gauss", "matern":
			sum += (a - b) * (a - b)
		case "laplace":
			sum += math.Abs(a - b)
		case "chi2":
			if a+b != 0 {
				sum += (a - b) * (a - b) / (a + b)
			}
		case "intersection":
			sum += min(a, b)
		default:
			sum += a * b
		}
	}
	if features, ok := k["features"].([]any); ok {
		for _, j := range features {
			add(x[int(j.(float64))-1], z[int(j.(float64))-1])
		}
	} else {
		for j := range x {
			add(x[j], z[j])
		}
	}
	switch k["kind"] {
	case "gauss", "laplace", "chi2":
		return math.Exp(-number("gamma") * sum)
	case "matern":
		s := math.Sqrt((2*number("degree") + 1) * number("gamma") * sum)
		return (1 + s + (number("degree")-1)*s*s/3) * math.Exp(-s)
	case "poly":
		return math.Pow(number("gamma")*sum+number("coef"), number("degree"))
	case "sigmoid":
		return math.Tanh(number("gamma")*sum + number("coef"))
	}
	return sum
}

package bigmkltest

import (
	"context"
	"math"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/kernelspec"
)

// Dense is a row as the kernels see it.
func Dense(m *bigmkl.Model, r dataset.Row) []float64 {
	scaled := make([]float32, m.Features)
	if err := m.Scaling.Dense(r, scaled); err != nil {
		panic(err)
	}
	x := make([]float64, len(scaled))
	for j, v := range scaled {
		x[j] = float64(v)
	}
	return x
}

// KernelValue is a kernel by its formula.
func KernelValue(b *kernelspec.Bank, k kernelspec.Kernel, x, z []float64) float64 {
	if k.Kind == kernelspec.Product {
		v := 1.0
		for _, f := range b.Products[k.Index] {
			v *= math.Pow(KernelValue(b, f.Kernel, x, z), float64(f.Power))
		}
		return v
	}
	set := b.Features(k.Set)
	if set == nil {
		for j := range x {
			set = append(set, int32(j))
		}
	}
	s := 0.0
	for _, j := range set {
		a, c := x[j], z[j]
		switch k.Kind {
		case kernelspec.Gauss, kernelspec.Matern:
			s += (a - c) * (a - c)
		case kernelspec.Laplace:
			s += math.Abs(a - c)
		case kernelspec.ChiSquare:
			if a+c != 0 {
				s += (a - c) * (a - c) / (a + c)
			}
		case kernelspec.Intersection:
			s += min(a, c)
		default:
			s += a * c
		}
	}
	switch k.Kind {
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare:
		return math.Exp(-k.Gamma * s)
	case kernelspec.Poly:
		return math.Pow(k.Gamma*s+k.Coef, float64(k.Degree))
	case kernelspec.Sigmoid:
		return math.Tanh(k.Gamma*s + k.Coef)
	case kernelspec.Matern:
		s = math.Sqrt(float64(2*k.Degree+1) * k.Gamma * s)
		return (1 + s + float64(k.Degree-1)*s*s/3) * math.Exp(-s)
	}
	return s
}

// Decisions are the values that Predict emits.
func Decisions(t testing.TB, m *bigmkl.Model, rows []dataset.Row, o bigmkl.PredictOptions) []float64 {
	t.Helper()
	var all []float64
	err := m.Predict(context.Background(), datasettest.Stream(rows), o, func(p bigmkl.Prediction) error {
		if want := map[bool]string{true: m.Positive, false: m.Negative}[p.Decision > 0]; p.Label != want {
			t.Errorf("decision %g is label %q", p.Decision, p.Label)
		}
		all = append(all, p.Decision)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(rows) {
		t.Fatalf("%d predictions for %d rows", len(all), len(rows))
	}
	return all
}

// Magnitudes takes the signs off the features, for kernels of histograms.
func Magnitudes(rows []dataset.Row) []dataset.Row {
	for i := range rows {
		for j := range rows[i].Value {
			rows[i].Value[j] = math.Abs(rows[i].Value[j])
		}
	}
	return rows
}

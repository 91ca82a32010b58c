package models

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestExportOfObjects: what export writes of a model of pairs suffices for its decision values. New objects are scaled by it.
func TestExportOfObjects(t *testing.T) {
	f := commandtest.NewFolder(t)
	drugs, targets, data := commandtest.Pairs(t, f, 200, 9)
	commandtest.WriteArray(f.At("K.npy"), func() (rows [][]float64) {
		for i := range 9 {
			rows = append(rows, make([]float64, 9))
			for j := range 9 {
				rows[i][j] = math.Exp(-math.Abs(float64(i - j)))
			}
		}
		return rows
	}())
	matrix := "precomputed:" + f.At("K.npy") + "@target"
	proteins := strings.Replace(targets, "target=", "a,b=", 1)
	var names strings.Builder
	for i := range 120 {
		names.WriteString([2]string{"1", "-1"}[(i*i)%7%2] + " t_" + strconv.Itoa(i%9) + " t_" + strconv.Itoa(i*5%8) + "\n")
	}
	ab := f.File("ab", names.String())
	for _, c := range []struct {
		objects []string
		flags   string
		data    string
	}{
		{[]string{drugs, targets}, "--scale standard --kernels gauss:auto@drug,linear@target,prod(gauss:0.3@drug,poly:2@target)," + matrix, data},
		{[]string{drugs, targets}, "--scale minmax --normalize spherical --kernels prod(laplace:0.2@drug," + matrix + "),poly:2@drug", data},
		{[]string{proteins}, "--scale none --kernels pair(gauss:0.1,a,b),antipair(gauss:0.2,a,b),linear@a", ab},
	} {
		args := []string{"train", "--quiet", "-o", f.At("m")}
		for _, o := range c.objects {
			args = append(args, "--objects", o)
		}
		commandtest.Must(t, append(append(args, strings.Fields(c.flags)...), c.data)...)
		_, want := predicted(t, f.At("m"), c.data)
		commandtest.Must(t, "export", "--quiet", "-o", f.At("m.json"), f.At("m"))
		j := commandtest.Decode(t, f.Read("m.json"))
		near(t, c.flags, evaluateObjects(j, f.Read(strings.TrimPrefix(c.data, f.Path+"/"))), want)
		if o := commandtest.Try("export", "-o", f.At("m.onnx"), f.At("m")); o.Code != contract.ExitUsage || f.Exists("m.onnx") ||
			!strings.Contains(o.Stderr, "--to json has all") {
			t.Errorf("as ONNX: exit code %d, %s", o.Code, o.Stderr)
		}
	}
}

// column is a column of rows that name objects, with its first feature from 0.
type column struct {
	first    int
	values   [][]float64
	matrices map[int][][]float64
	at       map[string]int
}

// evaluateObjects computes decision values of rows that name objects, by docs/JSON.md.
func evaluateObjects(j map[string]any, text string) (all [][]float64) {
	columns := columnsOf(j)
	var vectors [][]int
	for _, v := range j["vectors"].([]any) {
		z, value := make([]int, len(columns)), v.(map[string]any)["value"].([]any)
		for i, k := range v.(map[string]any)["index"].([]any) {
			z[int(k.(float64))-1] = int(value[i].(float64))
		}
		vectors = append(vectors, z)
	}
	a := j["machines"].([]any)[0].(map[string]any)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)[1:]
		x := make([]int, len(columns))
		for c, word := range words {
			x[c] = columns[c].at[word]
		}
		f := a["bias"].(float64)
		for i, s := range a["support"].([]any) {
			for id, k := range j["kernels"].([]any) {
				k := k.(map[string]any)
				value := objectsValue(k, columns, x, vectors[int(s.(float64))])
				if k["normalization"] == "spherical" {
					z := vectors[int(s.(float64))]
					value /= math.Sqrt(objectsValue(k, columns, x, x) * objectsValue(k, columns, z, z))
				}
				f += a["theta"].([]any)[id].(float64) * k["factor"].(float64) * a["alpha"].([]any)[i].(float64) * value
			}
		}
		all = append(all, []float64{f})
	}
	return all
}

// columnsOf returns the columns of the rows of a model, in the order of their features.
func columnsOf(j map[string]any) (list []column) {
	grid := func(v any) (rows [][]float64) {
		for _, r := range v.([]any) {
			var row []float64
			for _, x := range r.([]any) {
				row = append(row, x.(float64))
			}
			rows = append(rows, row)
		}
		return rows
	}
	first := 0
	for _, o := range j["objects"].([]any) {
		o := o.(map[string]any)
		for range o["columns"].([]any) {
			c := column{first: first, values: grid(o["values"]), matrices: map[int][][]float64{}, at: map[string]int{}}
			for i := range c.values {
				c.at[strconv.Itoa(i)] = i
			}
			if names, ok := o["names"].([]any); ok {
				c.at = map[string]int{}
				for i, name := range names {
					c.at[name.(string)] = i
				}
			}
			for _, m := range o["matrices"].([]any) {
				c.matrices[int(m.(map[string]any)["number"].(float64))] = grid(m.(map[string]any)["values"])
			}
			list, first = append(list, c), first+max(1, len(c.values[0]))
		}
	}
	return list
}

// objectsValue is a kernel of two rows without its factor.
func objectsValue(k map[string]any, columns []column, x, z []int) float64 {
	find := func(k map[string]any) int {
		at := int(k["features"].([]any)[0].(float64)) - 1
		c := 0
		for c+1 < len(columns) && columns[c+1].first <= at {
			c++
		}
		return c
	}
	value := func(k map[string]any, c, a, b int) float64 {
		if n, ok := k["matrix"].(float64); ok {
			return columns[c].matrices[int(n)][a][b]
		}
		alone := map[string]any{"kind": k["kind"], "gamma": k["gamma"], "coef": k["coef"], "degree": k["degree"]}
		return pageValue(alone, columns[c].values[a], columns[c].values[b])
	}
	factors, _ := k["factors"].([]any)
	switch k["kind"] {
	case "prod":
		product := 1.0
		for _, f := range factors {
			f := f.(map[string]any)
			c := find(f)
			product *= math.Pow(value(f, c, x[c], z[c]), f["power"].(float64))
		}
		return product
	case "pair", "antipair":
		one, two := factors[0].(map[string]any), factors[1].(map[string]any)
		a, b := find(one), find(two)
		sign := 1.0
		if k["kind"] == "antipair" {
			sign = -1
		}
		return value(one, a, x[a], z[a])*value(two, b, x[b], z[b]) + sign*value(one, a, x[a], z[b])*value(two, b, x[b], z[a])
	}
	c := find(k)
	return value(k, c, x[c], z[c])
}

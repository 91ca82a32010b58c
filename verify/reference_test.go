package verify

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
)

// optimum is a line of optima.jsonl: a problem solved to about 1e-8 by an interior-point method.
type optimum struct {
	Primal, Dual, Bias, C float64
	Theta, Alpha          []float64
	P                     any
	Task, Kernels, Data   string
	Normalize             string
	Limit, N, D           int
}

// The formulas of verify give the recorded values of independent solutions. BIGMKL_REFERENCE is the folder with
// optima.jsonl, BIGMKL_DATA the one with the data sets.
func TestReferenceOptima(t *testing.T) {
	t.Parallel()
	reference, data := testlevel.NeedReference(t), testlevel.NeedRealData(t)
	f, err := os.Open(filepath.Join(reference, "optima.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<24)
	done := 0
	for scan.Scan() {
		var o optimum
		if err := json.Unmarshal(scan.Bytes(), &o); err != nil {
			t.Fatal(err)
		}
		if o.Task == "class" {
			done++
			set := strings.TrimSuffix(o.Data, ".libsvm.gz")
			t.Run(fmt.Sprintf("%s p=%v", set, o.P), func(t *testing.T) { o.test(t, filepath.Join(data, set, o.Data)) })
		}
	}
	if done == 0 {
		t.Error("no line was tried")
	}
}

func (o *optimum) test(t *testing.T, path string) {
	x, y, c := o.read(t, path)
	small := make([][]float64, len(x))
	for i := range x {
		for _, v := range x[i] {
			small[i] = append(small[i], float64(float32(v)))
		}
	}
	m := o.model(small)
	honest(t, m, source(y, x...))
	r := run(t, m, source(y, x...), Options{})
	near(t, "dual", r.Dual/o.Dual, 1, 1e-6)
	// The record is of data in float64. Rounding it to float32 moves points over their margin, and where f is steep the
	// loss feels it at once; so the primal is held against plain loops over the rounded data.
	signs, bounds := make([]float64, len(y)), make([]float64, len(y))
	for i := range y {
		fmt.Sscan(y[i], &signs[i])
		bounds[i] = c
	}
	primal, dual := naive(m, small, signs, bounds, o.functions())
	near(t, "primal of the rounded data", r.Primal/primal, 1, 1e-11)
	near(t, "dual of the rounded data", r.Dual/dual, 1, 1e-11)
	near(t, "primal", r.Primal/o.Primal, 1, 1e-4)

	// Kernel matrices of the data as it is leave the record no such excuse.
	exact := o.model(x)
	exact.Kernels, exact.Vectors = o.matrices(t, x), nil
	honest(t, exact, source(y, x...))
	e := run(t, exact, source(y, x...), Options{})
	near(t, "primal by matrices", e.Primal/o.Primal, 1, 1e-9)
	near(t, "dual by matrices", e.Dual/o.Dual, 1, 1e-9)
	if faults := append(r.Faults, e.Faults...); len(faults) > 0 {
		t.Errorf("faults %q", faults)
	}
	t.Logf("off by %.1e and %.1e, by matrices %.1e and %.1e, gap %.1e", r.Primal/o.Primal-1, r.Dual/o.Dual-1,
		e.Primal/o.Primal-1, e.Dual/o.Dual-1, e.RelativeGap)
}

// read gives the points, their labels and the common bound.
func (o *optimum) read(t *testing.T, path string) (x [][]float64, labels []string, c float64) {
	r, err := dataset.Open([]string{path}, dataset.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range o.N {
		row, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		dense := make([]float64, o.D)
		for k, j := range row.Index {
			dense[j] = row.Value[k]
		}
		x, labels = append(x, dense), append(labels, row.Label)
	}
	return x, labels, o.C
}

// model is the solution over the points.
func (o *optimum) model(x [][]float64) *model.Model {
	m := bare(o.N, o.D)
	m.Norm = math.Inf(1)
	if p, ok := o.P.(float64); ok {
		m.Norm = p
	}
	m.C, m.Bias, m.Theta, m.WNorms = o.C, o.Bias, o.Theta, make([]float64, len(o.Theta))
	m.Kernels, m.Normalization.Kind = strings.Split(o.Kernels, ","), o.Normalize
	for i, a := range o.Alpha {
		// The interior point leaves 1e-13 and the like of either sign where alpha is 0.
		if math.Abs(a) <= 1e-12*o.C {
			continue
		}
		m.Support, m.Alpha = append(m.Support, int32(i)), append(m.Alpha, a)
		for _, v := range x[i] {
			m.Vectors = append(m.Vectors, float32(v))
		}
	}
	if o.Normalize != "multiplicative" {
		return m
	}
	n := float64(len(x))
	for _, k := range o.functions() {
		trace, total := 0.0, 0.0
		for i := range x {
			trace += k(x[i], x[i])
			for j := range x {
				total += k(x[i], x[j])
			}
		}
		m.Normalization.Scale = append(m.Normalization.Scale, 1/(trace/n-total/(n*n)))
	}
	return m
}

// functions reads the specifications again, in the few forms that the record has.
func (o *optimum) functions() []func(a, b []float64) float64 {
	var out []func(a, b []float64) float64
	for spec := range strings.SplitSeq(o.Kernels, ",") {
		name, features, limited := strings.Cut(spec, "@")
		lo, hi := 1, o.D
		if limited {
			fmt.Sscanf(features, "%d-%d", &lo, &hi)
		}
		var arg float64
		name, text, _ := strings.Cut(name, ":")
		fmt.Sscan(text, &arg)
		out = append(out, part(lo-1, hi, map[string]func(a, b []float64) float64{
			"linear": dot,
			"poly":   func(a, b []float64) float64 { return math.Pow(dot(a, b)+1, arg) },
			"gauss":  func(a, b []float64) float64 { return math.Exp(-arg * d2(a, b)) },
		}[name]))
	}
	return out
}

// matrices writes the kernel matrices and gives their specifications.
func (o *optimum) matrices(t *testing.T, x [][]float64) []string {
	var out []string
	for i, k := range o.functions() {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		w, err := npy.Create(path, len(x), len(x), true)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x {
			row := make([]float64, len(x))
			for j := range x {
				row[j] = k(x[i], x[j])
			}
			if err := w.WriteRow64(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		out = append(out, "precomputed:"+path)
	}
	return out
}

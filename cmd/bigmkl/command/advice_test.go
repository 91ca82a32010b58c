package command

import (
	"strings"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
	"bigmkl/tests/commandtest"
)

// TestWeightAtTheBorder: more than half of ||w|| at one end of the lists causes a warning with a wider list, and no other warning.
func TestWeightAtTheBorder(t *testing.T) {
	for _, c := range []struct {
		kernels string
		norms   []float64
		want    string
	}{
		{"gauss:auto/4", []float64{1, 1, 1, 4}, "the largest V of its list, such as gauss:1.414, has 57 % of ||w||: a better V may lie outside of the list (try gauss:auto/8)"},
		{"gauss:mean/4", []float64{4, 1, 1, 1}, "the smallest V of its list, such as gauss:0.1768, has 57 % of ||w||: a better V may lie outside of the list (try gauss:mean/8)"},
		{"laplace:1..4", []float64{5, 1, 1}, "the smallest V of its list, such as laplace:1, has 71 % of ||w||: a better V may lie outside of the list (try laplace:0.031..4/20)"},
		{"gauss:1..4", []float64{1, 1, 5}, "the largest V of its list, such as gauss:4, has 71 % of ||w||: a better V may lie outside of the list (try gauss:1..1.3e+02/20)"},
		{"gauss:auto/3@1,gauss:auto/3@2", []float64{0, 0, 2, 0, 1, 3}, "the largest V of its list, such as gauss:1@2, has 83 % of ||w||: a better V may lie outside of the list (try gauss:auto/6)"},
		{"gauss:auto/4", []float64{1, 1, 1, 3}, ""}, {"gauss:auto/4", []float64{1, 4, 1, 1}, ""}, {"gauss:1,gauss:2", []float64{0, 1}, ""}, {"linear,gauss:1..4", []float64{5, 0, 0, 4}, ""},
		{"gauss:1,gauss:1,gauss:1", []float64{0, 0, 1}, ""}, {"gauss:1..4", []float64{0, 0, 0}, ""}, {"gauss:1@1,gauss:2@2,gauss:3@3", []float64{0, 0, 1}, ""},
	} {
		specs, err := kernelspec.Split(c.kernels)
		if err != nil {
			t.Fatal(err)
		}
		distance := func([]int32, kernelspec.Kind) (float64, error) { return 2, nil }
		b, err := kernelspec.Expand(specs, kernelspec.Context{Features: 3, Median: distance, Mean: distance})
		if err != nil {
			t.Fatal(err)
		}
		m := &model.Model{Kernels: specs}
		m.WNorms, m.Theta = c.norms, make([]float64, len(c.norms))
		if len(b.Kernels) != len(c.norms) {
			t.Fatalf("%s: %d kernels", c.kernels, len(b.Kernels))
		}
		m.Support, m.Gap = []int32{0}, 1
		if got := adviseWidths(m, b); got != c.want {
			t.Errorf("%s with %v: %q, want %q", c.kernels, c.norms, got, c.want)
		}
		m.Weights = make([]float64, len(c.norms))
		if got := adviseWidths(m, b); got != "" {
			t.Errorf("%s with fixed weights: %q", c.kernels, got)
		}
	}
}

// TestReasonOfStationary: of matrices that nobody knows it is said that nobody does.
func TestReasonOfStationary(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(40, 1))
	commandtest.Must(t, "gram", "--quiet", "--kernels", "linear", "-o", f.At("K.npy"), data)
	for kernels, want := range map[string]string{
		"precomputed:" + f.At("K.npy"): "nothing is known about the matrices of precomputed kernels: the gap proves the optimum if all are positive semi-definite",
		"sigmoid:0.01":                 "a kernel may be indefinite: ", "linear": "",
	} {
		o := commandtest.Must(t, "train", "--quiet", "--kernels", kernels, "-o", f.At("m"), data)
		if stationary := strings.Contains(o.Stdout, "stationary"); stationary != (want != "") || !strings.Contains(o.Stdout, want) {
			t.Errorf("%s: %s", kernels, o.Stdout)
		}
	}
}

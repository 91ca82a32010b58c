package library

import (
	"errors"
	"math"
	"testing"

	"bigmkl"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/tests/bigmkltest"
)

// TestAlign: closed forms, in either layout of the points, and from matrices that gram has written.
func TestAlign(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 71)
	rows := datasettest.Clouds(rng, 150, 4)
	o := bigmkl.Options{Kernels: "linear@each-feature,linear,gauss:0.5,linear", Scratch: t.TempDir(), Normalize: "none"}
	first, err := bigmkl.Align(t.Context(), datasettest.Stream(rows), o, bigmkl.AlignOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The centred alignment of two linear kernels of one feature each is the square of the features' correlation. The same holds
	// for the alignment of one with the labels.
	x := make([][]float64, 5)
	for _, r := range rows {
		v := make([]float64, 5)
		for k, j := range r.Index {
			v[j] = float64(float32(r.Value[k]))
		}
		v[4] = 1
		if r.Label == "-1" {
			v[4] = -1
		}
		for j := range x {
			x[j] = append(x[j], v[j])
		}
	}
	for i := range 4 {
		for j := range 4 {
			if got, want := first.Kernels[i][j], squared(correlation(x[i], x[j])); math.Abs(got-want) > 1e-9 {
				t.Errorf("features %d and %d: %g, want %g", i+1, j+1, got, want)
			}
		}
		if got, want := first.Labels[i], squared(correlation(x[i], x[4])); math.Abs(got-want) > 1e-9 {
			t.Errorf("feature %d and the labels: %g, want %g", i+1, got, want)
		}
	}
	if got := first.Kernels[4][6]; math.Abs(got-1) > 1e-12 || first.Kernels[4][4] != 1 || first.Points != 150 || first.Sample != 150 {
		t.Errorf("a kernel with itself: 1 - %g, %+v", 1-got, first)
	}
	for _, c := range []struct {
		name string
		bigmkl.Options
	}{{"sparse", bigmkl.Options{Store: "sparse"}}, {"multiplicative", bigmkl.Options{Normalize: "multiplicative"}}} {
		c.Kernels, c.Scratch = o.Kernels, o.Scratch
		other, err := bigmkl.Align(t.Context(), datasettest.Stream(rows), c.Options, bigmkl.AlignOptions{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.name, other, first, 1e-6)
	}

	files := [2]string{t.TempDir() + "/1", t.TempDir() + "/2"}
	specs := bigmkl.Options{Kernels: "gauss:0.5,linear", Scratch: o.Scratch, Normalize: "none"}
	if err := bigmkl.Gram(t.Context(), datasettest.Stream(rows), specs, true, func(kernel, _ int) (string, error) { return files[kernel], nil }); err != nil {
		t.Fatal(err)
	}
	written := specs
	written.Kernels = "precomputed:" + files[0] + ",precomputed:" + files[1]
	for _, a := range []bigmkl.AlignOptions{{}, {Plain: true}, {Sample: 60}, {Sample: 60, Plain: true}} {
		want, err := bigmkl.Align(t.Context(), datasettest.Stream(rows), specs, a)
		if err != nil {
			t.Fatal(err)
		}
		got, err := bigmkl.Align(t.Context(), datasettest.Stream(rows), written, a)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "from files", got, want, 1e-9)
	}
	// The labels' kernel as a matrix of its own.
	w, err := npy.Create(files[0]+"y", 150, 150, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 150 {
		row := make([]float64, 150)
		for j := range row {
			row[j] = x[4][i] * x[4][j]
		}
		if err := w.WriteRow64(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	written.Kernels = "precomputed:" + files[0] + "y"
	for _, plain := range []bool{false, true} {
		if a, err := bigmkl.Align(t.Context(), datasettest.Stream(rows), written, bigmkl.AlignOptions{Plain: plain}); err != nil || math.Abs(a.Labels[0]-1) > 1e-12 {
			t.Errorf("the labels with themselves: %+v %v", a, err)
		}
	}
}

func squared(x float64) float64 { return x * x }

func correlation(x, y []float64) float64 {
	n, sx, sy, xx, xy, yy := float64(len(x)), 0.0, 0.0, 0.0, 0.0, 0.0
	for i := range x {
		sx += x[i] / n
		sy += y[i] / n
	}
	for i := range x {
		a, b := x[i]-sx, y[i]-sy
		xx, xy, yy = xx+a*a, xy+a*b, yy+b*b
	}
	return xy / math.Sqrt(xx*yy)
}

// same compares alignments.
func same(t *testing.T, what string, got, want *bigmkl.Alignments, tolerance float64) {
	t.Helper()
	if len(got.Labels) != len(want.Labels) || got.Sample != want.Sample {
		t.Fatalf("%s: %d kernels on %d points, want %d on %d", what, len(got.Labels), got.Sample, len(want.Labels), want.Sample)
	}
	for i, row := range want.Kernels {
		for j, v := range append(row[:len(row):len(row)], want.Labels[i]) {
			g := append(got.Kernels[i][:len(row):len(row)], got.Labels[i])[j]
			if !(math.Abs(g-v) <= tolerance) && !(math.IsNaN(g) && math.IsNaN(v)) {
				t.Errorf("%s: kernels %d and %d: %g, want %g", what, i+1, j+1, g, v)
			}
		}
	}
}

// TestAlignReal: a sample of the points against all of them, centred and plain.
func TestAlignReal(t *testing.T) {
	for _, c := range []struct{ name, kernels, scale string }{
		{"magic", "gauss:auto/6,linear,linear@each-feature", "standard"}, {"a9a", "gauss:2^-8..2^0,linear,poly:2", "none"},
	} {
		for _, plain := range []bool{false, true} {
			o := bigmkl.Options{Kernels: c.kernels, Scale: c.scale, Scratch: t.TempDir(), Limit: 3000}
			exact, err := bigmkl.Align(t.Context(), bigmkltest.Open(t, bigmkltest.DataSet(t, c.name)), o, bigmkl.AlignOptions{Plain: plain})
			if err != nil {
				t.Fatal(err)
			}
			part, err := bigmkl.Align(t.Context(), bigmkltest.Open(t, bigmkltest.DataSet(t, c.name)), o, bigmkl.AlignOptions{Sample: 1000, Plain: plain})
			if err != nil {
				t.Fatal(err)
			}
			part.Sample = exact.Sample
			same(t, c.name, part, exact, 0.1)
		}
	}
}

// TestAlignBounds: threads follow the memory budget and no figure follows the threads; what does not fit is rejected.
func TestAlignBounds(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 72), 120, 30)
	o := bigmkl.Options{Kernels: "gauss:0.1@random:3*200", Scratch: t.TempDir(), Threads: 3}
	want, err := bigmkl.Align(t.Context(), datasettest.Stream(rows), o, bigmkl.AlignOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o.Memory = 1
	_, err = bigmkl.Align(t.Context(), datasettest.Stream(rows), o, bigmkl.AlignOptions{})
	o.Memory = bigmkltest.LeastNamed(t, err)
	got, err := bigmkl.Align(t.Context(), datasettest.Stream(rows), o, bigmkl.AlignOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "little memory", got, want, 0)
	o.Kernels, o.Memory = "gauss:0.1@random:3*3000", 100<<20
	if _, err = bigmkl.Align(t.Context(), datasettest.Stream(rows), o, bigmkl.AlignOptions{}); !errors.Is(err, fail.Budget) {
		t.Errorf("3000 kernels in 100 MiB: %v", err)
	}
	if _, err = bigmkl.Align(t.Context(), datasettest.Stream(rows), bigmkl.Options{}, bigmkl.AlignOptions{Sample: -1}); !errors.Is(err, fail.Usage) {
		t.Errorf("a negative sample: %v", err)
	}
	ones := datasettest.Clouds(datasettest.Random(t, 73), 50, 2)
	for i := range ones {
		ones[i].Label = "1"
	}
	single, err := bigmkl.Align(t.Context(), datasettest.Stream(ones), bigmkl.Options{Kernels: "linear", Scratch: t.TempDir()}, bigmkl.AlignOptions{})
	if err != nil || !math.IsNaN(single.Labels[0]) {
		t.Errorf("labels of one class: %+v %v", single, err)
	}
}

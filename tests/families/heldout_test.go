package families

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestHeldOut trains without every third row and compares the decision values of these rows with the
// predictions of the model that is trained on the others: both agree with the optimum within the
// gap. Kernels are left as they are, as their normalisation depends on all rows.
func TestHeldOut(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 81)
	classes, sets := datasettest.Clusters(rng, 240, 3, 4, false), datasettest.Clusters(rng, 150, 3, 3, true)
	two := datasettest.Clouds(rng, 200, 3)
	for i := range two {
		two[i].Target = math.Sin(float64(i))
		for _, x := range two[i].Value {
			two[i].Target += x
		}
	}
	for _, c := range []struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		{two, bigmkl.Options{}},
		{two, bigmkl.Options{Norm: 1, C: 3, ClassWeight: map[string]float64{"1": 2}}},
		{two, bigmkl.Options{Task: "svr", Norm: 2, C: 1, Epsilon: 0.1}},
		{two, bigmkl.Options{Task: "square", Norm: 4.0 / 3, C: 10}},
		{two, bigmkl.Options{Task: "square", Kernels: "linear@each-feature", Norm: 3}},
		{classes, bigmkl.Options{Multiclass: "ovr"}},
		{classes, bigmkl.Options{Multiclass: "ovo", C: 5}},
		{sets, bigmkl.Options{Multiclass: "labels", Norm: 1.0667}},
	} {
		t.Run(fmt.Sprintf("%s%s p=%.4g", c.o.Task, c.o.Multiclass, c.o.Norm), func(t *testing.T) {
			o := c.o
			o.Gap, o.Normalize, o.Threads = 1e-7, "none", 2
			if o.Kernels == "" {
				o.Kernels = "gauss:0.1,gauss:1,linear"
			}
			var rest, left []dataset.Row
			var out []int32
			for i, r := range c.rows {
				if i%3 == 1 {
					left, out = append(left, r), append(out, int32(i))
				} else {
					rest = append(rest, r)
				}
			}
			m, _ := bigmkltest.Converge(t, datasettest.Stream(rest), o)
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rest))
			var want []bigmkl.Prediction
			if err := m.Predict(t.Context(), datasettest.Stream(left), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
				p.Decisions = slices.Clone(p.Decisions)
				want = append(want, p)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			h, err := bigmkl.OpenHeldOut(t.Context(), datasettest.Stream(c.rows), o)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			point := o.Point()
			first, err := h.Train(t.Context(), out, point, nil)
			if err != nil {
				t.Fatal(err)
			}
			if first.Gap > o.Gap || first.Status != "converged" {
				t.Fatalf("%s at a gap of %g", first.Status, first.Gap)
			}
			decider := h.Shape().NewDecider()
			for j, p := range want {
				f := make([]float64, len(first.Decisions))
				for k := range f {
					f[k] = first.Decisions[k][j]
				}
				got := decider.Decide(f)
				if !(math.Abs(got.Decision-p.Decision) <= 3e-3*(1+math.Abs(p.Decision))) {
					t.Fatalf("row %d: %g, by the model of the others %g", out[j]+1, got.Decision, p.Decision)
				}
				if got.Label != p.Label && math.Abs(p.Decision) > 0.01 && p.Decisions == nil {
					t.Fatalf("row %d: label %s, by the model of the others %s", out[j]+1, got.Label, p.Label)
				}
			}
			// Another training in between leaves no trace, and another start leads to the same optimum.
			other := point
			other.C *= 2
			warm, err := h.Train(t.Context(), out, other, first.Alpha)
			if err != nil {
				t.Fatal(err)
			}
			again, err := h.Train(t.Context(), out, point, nil)
			if err != nil {
				t.Fatal(err)
			}
			back, err := h.Train(t.Context(), out, point, warm.Alpha)
			if err != nil {
				t.Fatal(err)
			}
			for k := range first.Decisions {
				for j, f := range first.Decisions[k] {
					if math.Float64bits(f) != math.Float64bits(again.Decisions[k][j]) {
						t.Fatalf("classifier %d, row %d: %v, and %v the second time", k, out[j]+1, f, again.Decisions[k][j])
					}
					if !(math.Abs(f-back.Decisions[k][j]) <= 3e-3*(1+math.Abs(f))) {
						t.Fatalf("classifier %d, row %d: %v, and %v from another start", k, out[j]+1, f, back.Decisions[k][j])
					}
				}
			}
		})
	}
}

// TestHeldOutOfOneClass: where the other rows are of one class, that class is all there is.
func TestHeldOutOfOneClass(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 82), 40, 2)
	var out []int32
	for i, r := range rows {
		if r.Label == rows[0].Label {
			out = append(out, int32(i))
		}
	}
	h, err := bigmkl.OpenHeldOut(t.Context(), datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:1"})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	r, err := h.Train(t.Context(), out, bigmkl.PathPoint{Norm: 2, C: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Untrained) != 1 {
		t.Errorf("classifiers without anything to train: %v", r.Untrained)
	}
	for _, f := range r.Decisions[0] {
		if label := h.Shape().NewDecider().Decide([]float64{f}).Label; label == rows[0].Label {
			t.Fatalf("label %s, which no other row has", label)
		}
	}
	for _, o := range []bigmkl.Options{{Task: "oneclass"}, {Multiclass: "ovr", OneTheta: true}} {
		if _, err := bigmkl.OpenHeldOut(t.Context(), datasettest.Stream(rows), o); !errors.Is(err, bigmkl.ErrUsage) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

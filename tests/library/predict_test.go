package library

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// naive is the decision value by its definition, and the sum of the magnitudes of what it adds up.
func naive(t testing.TB, m *bigmkl.Model, r dataset.Row) (f, scale float64) {
	t.Helper()
	b, err := m.Bank()
	if err != nil {
		t.Fatal(err)
	}
	x, z := bigmkltest.Dense(m, r), make([]float64, m.Features)
	f, scale = m.Bias, math.Abs(m.Bias)
	for s, a := range m.Alpha {
		for j, v := range m.Vector(s) {
			z[j] = float64(v)
		}
		for k, th := range m.Theta {
			v := bigmkltest.KernelValue(b, b.Kernels[k], x, z)
			switch m.Normalization.Kind {
			case "multiplicative":
				v *= m.Normalization.Scale[k]
			case "spherical":
				if d := bigmkltest.KernelValue(b, b.Kernels[k], x, x) * bigmkltest.KernelValue(b, b.Kernels[k], z, z); d > 0 {
					v /= math.Sqrt(d)
				} else {
					v = 0
				}
			}
			f += th * a * v
			scale += math.Abs(th * a * v)
		}
	}
	return f, scale
}

func TestDecisionsAreTheSums(t *testing.T) {
	t.Parallel()
	rng, n := datasettest.Random(t, 31), 0
	rows, fresh := bigmkltest.Magnitudes(datasettest.Clouds(rng, 60, 5)), bigmkltest.Magnitudes(datasettest.Clouds(rng, 40, 5))
	fresh[3].Index, fresh[3].Value = nil, nil // all features missing
	fresh[4] = rows[4]                        // a training point
	kinds := []string{"gauss:0.3", "laplace:0.4", "linear", "poly:3", "poly:2:0.5:2", "sigmoid:0.1:0.2", "chi2:0.5", "intersection", "matern:1.5:0.4", "matern:2.5:0.01..3/4@2-4,gauss:0.3@2-4", "prod(gauss:0.3,poly:2@1-2)", "pow(intersection,2)", "prod(linear@1-2,pow(linear,2))",
		"gauss:0.1..2/4@2-4,linear@each-feature,poly:2@1+5", "gauss:0.0001..10/50,poly:2,gauss:1..2/9@1-3,gauss:0.5", "laplace:0.001..100/20,chi2:0.01..10/12", "gauss:1e-9..1e8/18"}
	kinds = append(kinds, strings.Join(kinds, ","))
	for _, kernels := range kinds {
		for _, normalize := range []string{"none", "multiplicative", "spherical"} {
			for _, precision := range []string{"32", "64"} {
				n++
				t.Run(fmt.Sprintf("%s/%s/%s", kernels, normalize, precision), func(t *testing.T) {
					bigmkltest.InTurn(t, n, 5)
					o := bigmkl.Options{Kernels: kernels, Normalize: normalize, Precision: precision, MaxIterations: 20, Scale: bigmkltest.Pick(rng, "none", "minmax", "global")}
					m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
					tolerance := 1e-4
					if precision == "64" {
						tolerance = 1e-9
					}
					for i, f := range bigmkltest.Decisions(t, m, fresh, bigmkl.PredictOptions{Threads: 2}) {
						if want, scale := naive(t, m, fresh[i]); !(math.Abs(f-want) <= tolerance*scale) {
							t.Fatalf("row %d: %.10g, want %.10g (of terms of %.3g)", i+1, f, want, scale)
						}
					}
				})
			}
		}
	}
}

// TestPredictAtTheEdgesOfBatches compares rows of a long stream with the same rows alone.
func TestPredictAtTheEdgesOfBatches(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 32)
	rows, fresh := datasettest.Clouds(rng, 200, 4), datasettest.Clouds(rng, 5000, 4)
	for _, kernels := range []string{"gauss:0.3,linear,laplace:0.2", "gauss:0.01..3/20,linear,laplace:0.2"} {
		t.Run(kernels, func(t *testing.T) { testEdgesOfBatches(t, kernels, rows, fresh) })
	}
}

func testEdgesOfBatches(t *testing.T, kernels string, rows, fresh []dataset.Row) {
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: kernels, Norm: 1.0667})
	all := bigmkltest.Decisions(t, m, fresh, bigmkl.PredictOptions{Threads: 1})
	for _, n := range []int{0, 1, 31, 32, 1023, 1025, 2048, 5000} {
		for _, threads := range []int{1, 3} {
			for i, f := range bigmkltest.Decisions(t, m, fresh[:n], bigmkl.PredictOptions{Threads: threads}) {
				if f != all[i] {
					t.Fatalf("%d rows, %d threads: row %d is %g, and %g among 5000", n, threads, i+1, f, all[i])
				}
			}
		}
	}
	for _, i := range []int{0, 30, 31, 32, 1022, 1023, 1024, 4999} {
		if want, scale := naive(t, m, fresh[i]); !(math.Abs(all[i]-want) <= 1e-4*scale) {
			t.Errorf("row %d: %g, want %g", i+1, all[i], want)
		}
	}
}

// TestPredictWideRows: rows of many features come in smaller batches.
func TestPredictWideRows(t *testing.T) {
	t.Parallel()
	const d = 60000 // 279 rows are a batch
	rows := bigmkltest.Words(t, 35, 300, d, 20)
	all := []dataset.View{{Name: "all", First: 1, Last: d}}
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows[:20]), bigmkl.Options{Kernels: "gauss:0.02,linear", Views: all, Store: dataset.LayoutSparse})
	one := bigmkltest.Decisions(t, m, rows, bigmkl.PredictOptions{Threads: 1})
	if three := bigmkltest.Decisions(t, m, rows, bigmkl.PredictOptions{Threads: 3}); !slices.Equal(one, three) {
		t.Error("other decisions in other batches")
	}
	if last := bigmkltest.Decisions(t, m, rows[299:], bigmkl.PredictOptions{}); last[0] != one[299] {
		t.Error("another decision for the last row alone")
	}
	for i := 0; i < len(one); i += 20 {
		if want, scale := naive(t, m, rows[i]); !(math.Abs(one[i]-want) <= 1e-5*scale) {
			t.Errorf("row %d: %g, want %g", i+1, one[i], want)
		}
	}
}

func TestPredictRows(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 33), 100, 4)
	for i := range rows {
		rows[i].Label = map[string]string{"1": "cat", "-1": "dog"}[rows[i].Label]
	}
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:0.3"})
	if m.Positive != "dog" || m.Negative != "cat" {
		t.Errorf("classes %q and %q", m.Positive, m.Negative)
	}
	bare := []dataset.Row{rows[0], rows[1]}
	bare[0].Label, bare[1].Label = "", "cat"
	var known []string
	err := m.Predict(context.Background(), datasettest.Stream(bare), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		known = append(known, p.Known)
		return nil
	})
	if err != nil || fmt.Sprint(known) != "[ cat]" {
		t.Errorf("known classes %q, error %v", known, err)
	}
	// With a list of positive labels a row without label stays unknown, and any other label is of the rest.
	listed, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:0.3", Positive: []string{"cat"}})
	known = known[:0]
	err = listed.Predict(context.Background(), datasettest.Stream(append(bare, dataset.Row{Label: "cow"})), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		known = append(known, p.Known)
		return nil
	})
	if err != nil || fmt.Sprint(known) != "[ 1 -1]" {
		t.Errorf("known classes %q, error %v", known, err)
	}
	wide := []dataset.Row{{Index: []int32{0, 4}, Value: []float64{1, 1}}}
	bigmkltest.Rejected(t, "a feature too many", bigmkltest.PredictFails(m, wide, nil), fail.Input)

	// A caller's error ends the prediction, and so does a context.
	stop := fmt.Errorf("enough")
	err = m.Predict(context.Background(), datasettest.Stream(rows), bigmkl.PredictOptions{}, func(bigmkl.Prediction) error { return stop })
	bigmkltest.Rejected(t, "the caller's error", err, stop)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	bigmkltest.Rejected(t, "a cancelled context", m.Predict(ctx, datasettest.Stream(rows), bigmkl.PredictOptions{}, func(bigmkl.Prediction) error { return nil }), context.Canceled)
}

// TestPredictIsSparse: at p = 1 most kernels have weight 0, and leaving them out changes nothing.
func TestPredictIsSparse(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 34)
	rows, fresh := datasettest.Clouds(rng, 300, 6), datasettest.Clouds(rng, 100, 6)
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:0.5@each-feature,linear@each-feature", Norm: 1, C: 0.1, Gap: 1e-6})
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	top, small := 0.0, 0
	for _, th := range m.Theta {
		top = max(top, th)
	}
	for _, th := range m.Theta {
		if th < 1e-6*top {
			small++
		}
	}
	if small < 3 {
		t.Errorf("theta %v is not sparse", m.Theta)
	}
	sparse := *m
	sparse.Theta = append([]float64(nil), m.Theta...)
	for k, th := range sparse.Theta {
		if th < 1e-6*top {
			sparse.Theta[k] = 0
		}
	}
	want := bigmkltest.Decisions(t, m, fresh, bigmkl.PredictOptions{})
	for i, f := range bigmkltest.Decisions(t, &sparse, fresh, bigmkl.PredictOptions{}) {
		if _, scale := naive(t, m, fresh[i]); !(math.Abs(f-want[i]) <= 1e-5*scale) {
			t.Errorf("row %d: %g without the kernels of weight 0, %g with them", i+1, f, want[i])
		}
	}
}

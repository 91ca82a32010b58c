package verify_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/verify"
)

// manyClasses reads the first rows of a data set of several classes, or of sets of labels, or draws points of three classes.
func manyClasses(t testing.TB, name string, n int, weighted bool) []dataset.Row {
	t.Helper()
	rows := real(t, name, n)
	drawn, few := testlevel.RealData() == "", map[string]string{"1": "1", "-1": "2", "2": "2", "3": "3"}
	for i := range rows {
		r := &rows[i]
		if weighted {
			r.Weight = 1 + float64(i%2)
		}
		if drawn {
			if r.Label = few[r.Label]; name != "yeast-ml" && i%3 == 2 {
				r.Label = "3"
			}
			if name == "yeast-ml" {
				r.Label = []string{"1,3", "2", "2,3", "11"}[i%4]
			}
		}
	}
	return rows
}

// honestSeveral are models of several classifiers: each way to decide, the norms, both precisions, class and row weights, a limit,
// the three normalisations, matrices, an indefinite kernel, sets of labels.
func honestSeveral(t testing.TB) []honest {
	t.Helper()
	iris, wine := manyClasses(t, "iris", 150, true), manyClasses(t, "wine", 178, false)
	yeast := manyClasses(t, "yeast-ml", 200, true)
	file := filepath.Join(t.TempDir(), "linear.npy")
	matrix(t, file, yeast)
	one := func(name string, rows []dataset.Row, o bigmkl.Options, gram ...string) honest {
		return trained(t, o.Multiclass+"/"+name, rows, o, gram...)
	}
	weight := map[string]float64{"2": 1.5, "3": 0.75}
	return []honest{
		one("iris", iris, bigmkl.Options{Multiclass: "ovr", Kernels: "gauss:auto/3,linear,poly:2", Norm: 1, C: 0.5, Gap: 1e-6, ClassWeight: weight}),
		one("iris", iris, bigmkl.Options{Multiclass: "ovo", Kernels: "gauss:auto/3,linear,gauss:1@1-2", Norm: 4.0 / 3, C: 0.1, Gap: 1e-3, ClassWeight: weight, Scale: "standard"}),
		one("wine", wine, bigmkl.Options{Multiclass: "ovr", Kernels: "poly:2,linear@1-6,laplace:auto", Norm: 4.0 / 3, C: 0.1, Gap: 1e-5, Scale: "minmax", Normalize: "spherical"}),
		one("wine", wine, bigmkl.Options{Multiclass: "ovo", Kernels: "gauss:auto/2,linear", Norm: math.Inf(1), C: 0.5, Gap: 1e-3, Scale: "standard"}),
		one("yeast, matrix", yeast, bigmkl.Options{Multiclass: "labels", Kernels: "precomputed:" + file, Norm: 2, C: 0.3, Gap: 1e-5}, file),
		one("wine, indefinite", wine, bigmkl.Options{Multiclass: "ovr", Kernels: "gauss:auto,sigmoid:0.01:-0.1", Norm: 4.0 / 3, C: 0.1, Gap: 1e-3, Scale: "standard"}),
		one("yeast", yeast, bigmkl.Options{Multiclass: "labels", Kernels: "gauss:auto/2,linear", Norm: 4.0 / 3, C: 0.3, Gap: 1e-5, ClassWeight: map[string]float64{"2": 1.5, "11": 0.5}, Limit: 120}),
		one("pendigits", manyClasses(t, "pendigits", 300, false), bigmkl.Options{Multiclass: "ovo", Kernels: "gauss:auto/2,linear@1-8", Norm: 2, C: 0.5, Gap: 1e-3}),
	}
}

// TestSeveralClassifiers: each classifier is confirmed, and the numbers equal the numbers of a model of one on its
// rows.
func TestSeveralClassifiers(t *testing.T) {
	t.Parallel()
	list := honestSeveral(t)
	for _, kind := range []string{"ovr", "ovo"} {
		list = append(list,
			trained(t, kind+"/segment", manyClasses(t, "segment", 500, false), bigmkl.Options{Multiclass: kind, Kernels: "gauss:auto/3,linear@1-9", Norm: 4.0 / 3, Gap: 1e-3, Scale: "standard"}),
			trained(t, kind+"/pendigits", manyClasses(t, "pendigits", 600, true), bigmkl.Options{Multiclass: kind, Kernels: "gauss:auto/3,poly:2", Norm: 1, Gap: 1e-4}))
	}
	for _, h := range list {
		t.Run(h.name, func(t *testing.T) {
			m := copied(t, h.model)
			r, err := verify.Run(context.Background(), m, &stream{rows: h.rows}, verify.Options{Gram: h.gram})
			if err != nil || len(r.Faults) > 0 || len(r.Classifiers) != len(m.Classifiers) || r.Sampled || r.Rows != m.Points {
				t.Fatalf("%+v %v", r, err)
			}
			primal, dual, gap := 0.0, 0.0, 0.0
			for k, one := range r.Classifiers {
				if !(one.RelativeGap <= 1.1*m.Gap) || len(one.Faults) > 0 {
					t.Errorf("classifier %s: %+v", one.Name, one)
				}
				alone, rows := apart(t, m, k, h.rows)
				a, err := verify.Run(context.Background(), alone, &stream{rows: rows}, verify.Options{Gram: h.gram})
				if err != nil {
					t.Fatal(err)
				}
				if !near(one.Primal, a.Primal) || !near(one.Dual, a.Dual) || one.Rows != a.Rows {
					t.Errorf("classifier %s: %+v, alone %+v", one.Name, one, a)
				}
				for _, fault := range a.Faults {
					if !strings.Contains(fault, "fingerprint") && !strings.Contains(fault, "stands for a variance") {
						t.Errorf("classifier %s alone: %s", one.Name, fault)
					}
				}
				primal, dual, gap = primal+one.Primal, dual+one.Dual, max(gap, one.RelativeGap)
			}
			if !near(r.Primal, primal) || !near(r.Dual, dual) || r.RelativeGap != gap {
				t.Errorf("%+v is not what the classifiers add up to: %g, %g, %g", r, primal, dual, gap)
			}
		})
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-10*max(math.Abs(a), math.Abs(b)) }

// apart makes classifier k a model of one class against another, and the rows of these: class weights become weights of
// rows.
func apart(t *testing.T, m *model.Model, k int, rows []dataset.Row) (*model.Model, []dataset.Row) {
	t.Helper()
	a, one := m.Classifiers[k], m.Classifier(k)
	one.Positive, one.Negative, one.PositiveWeight, one.NegativeWeight, one.RowWeights, one.Limit = "1", "-1", 1, 1, false, 0
	weight := func(class int32) float64 {
		if m.ClassWeights == nil {
			return 1
		}
		return m.ClassWeights[class]
	}
	var part []dataset.Row
	at := make([]int32, m.Points)
	for i, r := range rows[:m.Points] {
		labels := []string{r.Label}
		if m.Multiclass == model.MultiLabel {
			labels = strings.Split(r.Label, ",")
		}
		own := max(r.Weight, 1)
		if !m.RowWeights {
			own = 1
		}
		class := int32(slices.Index(m.Classes, labels[0]))
		positive := slices.Contains(labels, m.Classes[a.Positive])
		switch {
		case m.Multiclass != model.MultiLabel:
			own *= weight(class)
		case positive:
			own *= weight(a.Positive)
		}
		if at[i] = int32(len(part)); !positive && a.Negative != model.Rest && class != a.Negative {
			continue
		}
		if r.Label, r.Weight = "-1", own; positive {
			r.Label = "1"
		}
		one.RowWeights = one.RowWeights || own != 1
		part = append(part, r)
	}
	one.Points = len(part)
	for s, i := range one.Support {
		one.Support[s] = at[i]
	}
	return one, part
}

// TestSeveralSampled: estimates of each classifier are right on average.
func TestSeveralSampled(t *testing.T) {
	t.Parallel()
	h := trained(t, "ovo", manyClasses(t, "segment", 500, false), bigmkl.Options{Multiclass: "ovo", Kernels: "gauss:auto/2,linear@1-9", Norm: 4.0 / 3, C: 0.01, Gap: 1e-3, Scale: "standard"})
	run := func(o verify.Options) *verify.Report {
		r, err := verify.Run(context.Background(), h.model, &stream{rows: h.rows}, o)
		if err != nil || len(r.Faults) > 0 {
			t.Fatalf("%+v %v", r, err)
		}
		return r
	}
	exact := run(verify.Options{})
	seeds := testlevel.Repeats(30, 30)
	primal, dual := make([]float64, len(exact.Classifiers)), make([]float64, len(exact.Classifiers))
	for seed := range uint64(seeds) {
		r := run(verify.Options{Sample: 125, Seed: seed})
		if !r.Sampled || r.Rows != 125 {
			t.Fatalf("%+v", r)
		}
		for k, one := range r.Classifiers {
			primal[k], dual[k] = primal[k]+one.Primal/float64(seeds), dual[k]+one.Dual/float64(seeds)
		}
	}
	for k, one := range exact.Classifiers {
		if math.Abs(primal[k]-one.Primal) > 0.2*one.Primal || math.Abs(dual[k]-one.Dual) > 0.2*one.Primal {
			t.Errorf("classifier %s: on average %g and %g, exact %g and %g", one.Name, primal[k], dual[k], one.Primal, one.Dual)
		}
	}
	if all := run(verify.Options{Sample: 500, Threads: 2}); fmt.Sprint(all) != fmt.Sprint(exact) {
		t.Errorf("a sample of all: %+v, exact %+v", all, exact)
	}
}

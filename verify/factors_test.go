package verify_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/verify"
)

// tails are distributions whose largest values outweigh all others.
var tails = map[string]func(r *rand.Rand) float64{
	"student 2":   func(r *rand.Rand) float64 { return r.NormFloat64() / math.Sqrt((sq(r)+sq(r))/2) },
	"cauchy":      func(r *rand.Rand) float64 { return r.NormFloat64() / r.NormFloat64() },
	"exponential": func(r *rand.Rand) float64 { return math.Exp(2 * r.NormFloat64()) },
	"rare": func(r *rand.Rand) float64 { // one row in 400 is unlike the others
		if r.IntN(400) == 0 {
			return 1000 * r.NormFloat64()
		}
		return r.NormFloat64()
	},
}

func sq(r *rand.Rand) float64 { x := r.NormFloat64(); return x * x }

// heavy draws rows of two classes.
func heavy(draw func(r *rand.Rand) float64, n, d int, seed uint64) []dataset.Row {
	r := rand.New(rand.NewPCG(seed, 17))
	rows := make([]dataset.Row, n)
	for i := range rows {
		row := dataset.Row{Label: "1", Weight: 1}
		for j := range d {
			row.Index, row.Value = append(row.Index, int32(j)), append(row.Value, draw(r))
		}
		if row.Value[0]+row.Value[1]+r.NormFloat64() < 0 {
			row.Label = "-1"
		}
		rows[i] = row
	}
	rows[0].Label, rows[1].Label = "1", "-1"
	return rows
}

// soundFactors trains and holds the model to its data: to its factors only where it has not converged, since what single precision
// claims until then may be rounding.
func soundFactors(t *testing.T, name string, rows []dataset.Row, o bigmkl.Options, gram ...string) honest {
	t.Helper()
	o.Scratch, o.MaxIterations, o.Seed = t.TempDir(), cmp.Or(o.MaxIterations, 100), 12
	m, r, err := bigmkl.Train(t.Context(), &stream{rows: rows}, o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	h := honest{name, &m.Model, rows, gram}
	for _, line := range h.complaints(t, copied(t, h.model), verify.Options{}) {
		if r.Status == chunking.Converged || strings.Contains(line, "the factor") {
			t.Errorf("%s, %s: %s", name, r.Status, line)
		}
	}
	for _, line := range h.complaints(t, copied(t, h.model), verify.Options{Sample: 1 + len(rows)/4}) {
		if strings.Contains(line, "the factor") { // values are estimates: a few rows may make them, too
			t.Errorf("%s, on a sample: %s", name, line)
		}
	}
	return h
}

// TestFactorsOfHeavyTails: where a few rows make the variance of a kernel, its factor is computed from all rows.
func TestFactorsOfHeavyTails(t *testing.T) {
	t.Parallel()
	const seed = 7
	t.Logf("seed %d", seed)
	n, d := 569, 30
	switch {
	case !testlevel.Reached(testlevel.EveryKind):
		n, d = 240, 12
	case !testlevel.Reached(testlevel.ManyTimes):
		n, d = 420, 12
	}
	for name, draw := range tails {
		if name != "student 2" && !testlevel.Reached(testlevel.EveryKind) {
			continue
		}
		rows := heavy(draw, n, d, seed)
		for _, o := range []bigmkl.Options{
			{Kernels: "poly:1..3@each-feature", Scale: "standard"},
			{Kernels: "poly:1..3@each-feature", Scale: "standard", Gap: 1e-6},
			{Kernels: "gauss:auto/4,laplace:mean,linear,linear@1-3,poly:2,intersection", Scale: "standard"},
			{Kernels: "gauss:auto/4,laplace:mean,linear,linear@1-3,poly:2,intersection", Scale: "global", Precision: "64"},
			{Kernels: "chi2:0.5,gauss:1000,gauss:1e-4,intersection,prod(poly:2@1-3,gauss:auto@4-9),pow(linear@2,3)", Scale: "minmax", Store: dataset.LayoutSparse},
			{Kernels: "poly:2:1:-1,sigmoid:0.1:-1,poly:3:0.5:-2@1-4,gauss:1 norm=none,poly:2 norm=spherical", Scale: "standard"},
			{Kernels: "gauss:auto norm=multiplicative,poly:3 norm=multiplicative,poly:2", Normalize: "none", Scale: "global", Precision: "32"},
			{Kernels: "linear,poly:2", Task: "oneclass", Nu: 0.3, Scale: "standard"},
		} {
			if !testlevel.Tried(t, fmt.Sprint(name, o.Kernels, o.Gap), 3, 1) {
				continue
			}
			soundFactors(t, fmt.Sprintf("%s, %s, scale %q", name, o.Kernels, o.Scale), rows, o)
		}
		file := filepath.Join(t.TempDir(), "m.npy")
		matrix(t, file, rows)
		soundFactors(t, name+", matrix", rows, bigmkl.Options{Kernels: "precomputed:" + file}, file)
		for i := range rows { // several classifiers share the factors of all rows
			rows[i].Label += strings.Repeat("0", i%2)
		}
		soundFactors(t, name+", ovo", rows, bigmkl.Options{Kernels: "poly:1..3@1-4,gauss:auto", Scale: "standard", Multiclass: "ovo"})
	}
}

// TestFactorsOfManyRows: of more than 10,000 rows the pairs of those count that the seed draws. The gap
// of a model that is altered is computed on a sample of rows, on which the factors do not depend.
func TestFactorsOfManyRows(t *testing.T) {
	t.Parallel()
	testlevel.Sample(t, 2, 1)
	// Few iterations leave few support vectors, which the factors do not depend on either. A run that
	// converges has thousands, and each row is verified with each.
	few, kernels := 1, "poly:2..3@1,gauss:auto,"
	if testlevel.Reached(testlevel.ManyTimes) {
		few, kernels = 0, "poly:2..3@each-feature,gauss:auto/2,"
	}
	for _, o := range []bigmkl.Options{
		{Kernels: kernels + "intersection", Scale: "standard", MaxIterations: few},
		{Kernels: kernels + "linear", Scale: "standard", Gap: 1e-5, MaxIterations: few},
	}[:testlevel.Repeats(2, 2)] { // Below BIGMKL_LONG=1 the first is enough.
		h := soundFactors(t, "many rows", heavy(tails["student 2"], 10500, 3, 9), o)
		if h.model.Normalization.SampleSize != 2048 {
			t.Fatalf("a sample of %d rows", h.model.Normalization.SampleSize)
		}
		for name, alter := range map[string]func(m *model.Model){
			"a factor":   func(m *model.Model) { m.Normalization.Scale[0] *= 1.0001 },
			"the seed":   func(m *model.Model) { m.Seed++ },
			"the sample": func(m *model.Model) { m.Normalization.SampleSize = 1024 },
			"no sample":  func(m *model.Model) { m.Normalization.SampleSize, m.Normalization.StandardError = 0, nil },
		} {
			if !testlevel.Tried(t, o.Kernels+name, 2, 1) {
				continue
			}
			m := copied(t, h.model)
			alter(m)
			list := h.complaints(t, m, verify.Options{Sample: 500})
			if !strings.Contains(strings.Join(list, "\n"), "factor") {
				t.Errorf("%s altered: %q says nothing of the factors", name, list)
			}
		}
	}
}

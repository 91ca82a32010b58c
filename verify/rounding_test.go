package verify_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
	"bigmkl/verify"
)

// atTheEdge is a problem at the edge of an arithmetic: what training claims has few digits there.
type atTheEdge struct {
	name    string
	options bigmkl.Options
	rows    func(t *testing.T, seed uint64) []dataset.Row
}

// spreadOut are rows whose features are so far apart that a Gaussian kernel is nearly the identity.
func spreadOut(t *testing.T, seed uint64) []dataset.Row {
	rng := datasettest.Random(t, 300+seed)
	rows := datasettest.Clouds(rng, 60, 8)
	for i := range rows {
		for k := range rows[i].Value {
			// The features have sizes from 0.01 to 600, as measurements without scaling do.
			rows[i].Value[k] = 600 * math.Pow(0.2, float64(k)) * (3 + rows[i].Value[k])
		}
	}
	return rows
}

// neighbours are rows that come in groups of six close to each other, and far from the other groups.
func neighbours(t *testing.T, seed uint64) []dataset.Row {
	rng := datasettest.Random(t, 310+seed)
	rows := datasettest.Clouds(rng, 120, 4)
	for i := range rows {
		first := rows[i/6*6].Clone()
		for k := range first.Value {
			first.Value[k] += 0.02 * rng.NormFloat64()
		}
		if i%6 > 0 {
			rows[i].Index, rows[i].Value = first.Index, first.Value
		}
	}
	return rows
}

var honestProblems = []atTheEdge{
	{"a Gaussian so narrow that norms of points round its distances", bigmkl.Options{Kernels: "gauss:40,gauss:40,gauss:1", Scale: "none", Normalize: "none", Precision: "32", C: 0.2, Gap: 1e-2}, neighbours},
	{"a diagonal of a kernel that is nearly the identity", bigmkl.Options{Kernels: "proj(gauss:0.5,diag)", Scale: "none", Gap: 1e-6, GateSteps: 8, Starts: 2, Normalize: "none"}, spreadOut},
	{"a projection of a kernel that is nearly the identity", bigmkl.Options{Kernels: "proj(gauss:0.5,2)", Scale: "none", Gap: 1e-6, GateSteps: 3, Normalize: "none"}, spreadOut},
}

// TestHonestRounding: claims within the rounding of the arithmetic of the training are confirmed.
func TestHonestRounding(t *testing.T) {
	t.Parallel()
	for _, h := range honestProblems {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%s/%d", h.name, seed), func(t *testing.T) {
				t.Parallel()
				rows, o := h.rows(t, seed), h.options
				o.Seed = seed
				m, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
				if err != nil {
					t.Fatal(err)
				}
				r, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{Memory: 1 << 30})
				if err != nil {
					t.Fatal(err)
				}
				for _, fault := range r.Faults {
					t.Error(fault)
				}
			})
		}
	}
}

// TestSampleOfRareGates: a kernel whose gate is open at a few rows in hundreds, which a sample may all miss, is
// named as not checked.
func TestSampleOfRareGates(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 340), 300, 4)
	path := filepath.Join(t.TempDir(), "gates.npy")
	w, err := npy.Create(path, len(rows), 2, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		rare := 0.0
		if i%60 == 7 {
			rare = 5
			rows[i].Label = []string{"-1", "1"}[i/60%2]
		}
		if err := w.WriteRow64([]float64{1, rare}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	o := bigmkl.Options{Kernels: "linear,gauss:0.5", Norm: 2, Gating: "fixed:" + path, Normalize: "none"}
	m, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(10) {
		r, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{Memory: 1 << 30, Gates: path, Sample: 20, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		named := slices.ContainsFunc(r.Unchecked, func(s string) bool { return strings.HasPrefix(s, "w_norms: ") })
		if len(r.Faults) > 0 || !named {
			t.Errorf("seed %d: %q, not checked %q", seed, r.Faults, r.Unchecked)
		}
	}
}

// TestSampleOfProjection: a sample leaves the slope of a projection out, which takes the square of the support
// vectors, and reports this.
func TestSampleOfProjection(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 350), 120, 6)
	m, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), bigmkl.Options{Kernels: "proj(gauss:0.2,2)", GateSteps: 2, Normalize: "none"})
	if err != nil {
		t.Fatal(err)
	}
	of := *m.Family.Projection()
	of.Stationarity *= 2
	m.Family = of.Family(m.Family)
	for _, sample := range []int{0, 30} {
		r, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{Memory: 1 << 30, Sample: sample})
		if err != nil {
			t.Fatal(err)
		}
		rejected := slices.ContainsFunc(r.Faults, func(s string) bool { return strings.Contains(s, "claimed to be stationary") })
		named := slices.ContainsFunc(r.Unchecked, func(s string) bool { return strings.HasPrefix(s, "family: ") })
		if rejected != (sample == 0) || named != (sample > 0) {
			t.Errorf("a sample of %d: %q, not checked %q", sample, r.Faults, r.Unchecked)
		}
	}
}

package optima

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// TestRandomProblems trains on random problems and random banks to the end, and verify has to agree
// with every model.
func TestRandomProblems(t *testing.T) {
	t.Parallel()
	draws := testlevel.Repeats(150, 1500)
	most, where := 0, ""
	for seed := range uint64(draws) {
		p := bigmkltest.Draw(rand.New(rand.NewPCG(seed, 3)))
		ok := t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			p.MaxIterations = 3000
			m, r := bigmkltest.TrainModel(t, datasettest.Stream(p.Rows), p.Options)
			// A run that was told to stay in single precision may find that its rounding is as
			// large as the gap.
			honest := r.Status == chunking.Stalled && p.Precision == "32"
			if r.Status != chunking.Converged && !honest {
				t.Errorf("%s after %d iterations, gap %.3g", r.Status, r.Iterations, m.Certificate.RelativeGap)
			}
			if m.Certificate.Kind != bigmkltest.ProvenGap {
				t.Errorf("certificate %q", m.Certificate.Kind)
			}
			if !honest {
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.Rows))
			}
			if r.Iterations > most {
				most, where = r.Iterations, fmt.Sprintf("seed %d", seed)
			}
		})
		if !ok {
			t.Logf("seed %d: n=%d %s p=%.4g C=%.3g gap=%g precision=%s normalize=%s scale=%s store=%s", seed, len(p.Rows), p.Kernels, p.Norm, p.C, p.Gap,
				p.Precision, p.Normalize, p.Scale, p.Store)
		}
	}
	t.Logf("at most %d iterations (%s)", most, where)
}

// TestKernelsOfVeryDifferentScale trains with kernels that differ by many orders of magnitude and
// are not normalised. All kernels share one alpha, and beyond a factor of about 1e10 its float64
// digits no longer reach every gap. A run may then stall, but it has to report this.
func TestKernelsOfVeryDifferentScale(t *testing.T) {
	t.Parallel()
	rng, n := datasettest.Random(t, 4), 0
	for _, factor := range []float64{1, 2, 4, 20} {
		rows := datasettest.Clouds(rng, 120, 5)
		for i := range rows {
			for j := range rows[i].Value {
				rows[i].Value[j] *= factor
			}
		}
		width := 0.3 / (factor * factor)
		for _, kernels := range []string{"poly:5,gauss:%g", "gauss:%g,linear,poly:3", "linear@each-feature,poly:4:0.001:1,gauss:%g"} {
			kernels = fmt.Sprintf(kernels, width)
			for _, p := range []float64{1, 4.0 / 3, 2, 8, math.Inf(1)} {
				for _, gap := range []float64{1e-3, 1e-6} {
					n++
					t.Run(fmt.Sprintf("%g/%s/p=%.4g/gap=%g", factor, kernels, p, gap), func(t *testing.T) {
						bigmkltest.InTurn(t, n, 7)
						o := bigmkl.Options{Kernels: kernels, Norm: p, C: 1, Normalize: "none", Gap: gap, MaxIterations: 5000}
						m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
						if r.Status != chunking.Converged && factor < 20 {
							t.Errorf("%s after %d iterations, gap %.3g", r.Status, r.Iterations, m.Certificate.RelativeGap)
						}
						verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
					})
				}
			}
		}
	}
}

// TestKernelWithoutVariance: a feature that is constant makes kernels that are constant. They get
// the weight 0 and a warning.
func TestKernelWithoutVariance(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 5), 60, 4)
	for i := range rows {
		rows[i].Index, rows[i].Value = append(rows[i].Index, 4), append(rows[i].Value, 3)
	}
	for _, p := range []float64{1, 4.0 / 3, 2, math.Inf(1)} {
		m, r := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:0.5@1-4,gauss:0.5@5,linear@5,poly:2@5", Norm: p})
		if !slices.Equal(m.Theta[1:], []float64{0, 0, 0}) || !(m.Theta[0] > 0) {
			t.Errorf("p=%.4g: theta %v", p, m.Theta)
		}
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "gauss:0.5@5") || !strings.Contains(r.Warnings[0], "weight 0") {
			t.Errorf("p=%.4g: warnings %q", p, r.Warnings)
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
}

// TestIndefiniteKernels: with a kernel that may be indefinite nothing is proved. The certificate
// of the model has to be true all the same, and a kernel with a negative ||w_m||^2 has to have no
// weight.
func TestIndefiniteKernels(t *testing.T) {
	t.Parallel()
	proven, claimed, dropped := 0, 0, 0
	for seed := range uint64(40) {
		p := bigmkltest.Draw(rand.New(rand.NewPCG(seed, 6)))
		p.Kernels = "sigmoid:0.5:-1,sigmoid:2,poly:3:1:-2,gauss:0.5"
		if seed%2 == 0 {
			p.Kernels = "gauss:0.5,gauss:2,linear,sigmoid:1:-0.5"
		}
		p.Gap, p.Precision, p.MaxIterations = 1e-3, "auto", 500
		m, r := bigmkltest.TrainModel(t, datasettest.Stream(p.Rows), p.Options)
		used := false
		bank, err := m.Bank()
		if err != nil {
			t.Fatal(err)
		}
		for k := range bank.Kernels {
			kind := bank.Kernels[k].Kind.String()
			if m.Theta[k] > 0 && m.WNorms[k] == 0 {
				t.Errorf("seed %d: kernel %d has weight %g and ||w|| = 0", seed, k+1, m.Theta[k])
			}
			used = used || m.Theta[k] > 0 && (kind == "sigmoid" || kind == "poly" && bank.Kernels[k].Coef < 0)
		}
		want := bigmkltest.ProvenGap
		if used {
			want = bigmkltest.Stationary
			claimed++
		} else {
			proven++
		}
		if m.Certificate.Kind != want {
			t.Errorf("seed %d: certificate %q, want %q", seed, m.Certificate.Kind, want)
		}
		for _, w := range r.Warnings {
			if strings.Contains(w, "indefinite") {
				dropped++
			}
		}
		report := verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.Rows))
		bigmkltest.SameValues(t, m, report.Primal, 1e-4)
		if t.Failed() {
			t.Fatalf("seed %d: n=%d %s p=%.4g C=%.3g normalize=%s scale=%s: %s, %d iterations, theta %v, ||w|| %v, %+v, verified %+v", seed, len(p.Rows),
				p.Kernels, p.Norm, p.C, p.Normalize, p.Scale, r.Status, r.Iterations, m.Theta, m.WNorms, m.Certificate, *report)
		}
	}
	t.Logf("%d gaps, %d stationary, %d with kernels dropped", proven, claimed, dropped)
	if proven == 0 || claimed == 0 || dropped == 0 {
		t.Error("the problems do not cover the cases")
	}
}

// TestTuning: the solver follows Tuning, the model records it, and values that make
// no sense are rejected.
func TestTuning(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 3), 200, 3)
	_, usual := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:0.5,linear"})
	o := bigmkl.Options{Kernels: "gauss:0.5,linear", Tuning: chunking.Tuning{WorkingSet: 20, Fresh: 0.4}}
	m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	if r.Iterations <= usual.Iterations || m.Tuning != model.Tuning(o.Tuning) {
		t.Errorf("%d iterations, usually %d; the model says %+v", r.Iterations, usual.Iterations, m.Tuning)
	}
	o.Tuning.Fresh = 2
	if err := o.Validate(); !errors.Is(err, fail.Usage) {
		t.Error(err)
	}
}

// TestFewRowsMakeTheVariance: so few rows may differ from all others that a sample of the rows has
// none of them. The factors of the kernels are right all the same.
func TestFewRowsMakeTheVariance(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 7)
	rows := make([]dataset.Row, 1300)
	for i := range rows {
		rows[i] = dataset.Row{Label: strconv.Itoa(1 - 2*(i%2)), Index: []int32{0, 1}, Value: []float64{1, 0}}
	}
	for k := range 4 {
		rows[3+320*k].Value = []float64{rng.NormFloat64(), 1 + rng.Float64()}
	}
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "gauss:1,gauss:0.1,poly:2"})
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	m.Normalization.Scale[0] /= 40
	r, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Faults, func(f string) bool { return strings.Contains(f, "factor of kernel 1") }) {
		t.Errorf("a factor that is off by 40: %q", r.Faults)
	}
}

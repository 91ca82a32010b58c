package bigmkl

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/dataset/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/model"
	"bigmkl/verify"
	"bigmkl/verify/verifytest"
)

// definiteSpecs are the forms that a specification may take, for at least five features. All of
// them are positive semi-definite on features that are not negative.
var definiteSpecs = []string{
	"gauss:0.5", "gauss:2^-6..2^1", "gauss:0.01..10/5", "gauss:auto/4", "gauss:1/features", "gauss:0.3@1+3", "gauss:1@each-feature",
	"gauss:auto@each-view", "gauss:1@random:2*20", "laplace:0.3", "laplace:auto/2", "laplace:1@2-4", "linear", "linear@each-feature",
	"linear@left", "poly:2", "poly:2..4", "poly:3:0.5:1", "poly:2@random:2*5", "poly:1@right", "chi2:0.5", "chi2:auto/2", "chi2:mean", "chi2:2@each-view",
	"intersection", "hist@1-2", "prod(gauss:0.3@1-2,poly:2)", "pow(intersection,2)", "prod(linear@1-3,gauss:auto@3-5)", "prod(chi2:mean,laplace:0.2,pow(linear,2))", "intersection@each-feature", "-t 2 -g 0.7", "-t 1 -d 2 -g 0.5 -r 2",
}

var twoViews = []dataset.View{{Name: "left", First: 1, Last: 2}, {Name: "right", First: 3, Last: 5}}

// drawn is a random problem: its rows and the options that a run is given.
type drawn struct {
	rows []dataset.Row
	Options
}

// draw draws a problem over the whole range of the options. Points and kernels occur twice in it,
// and its classes are unbalanced.
func draw(rng *rand.Rand) drawn {
	n := 20 + rng.IntN(150)
	if rng.IntN(8) == 0 {
		n = 2 + rng.IntN(6)
	}
	p := drawn{rows: datasettest.Clouds(rng, n, 5+rng.IntN(4))}
	p.Views, p.Seed = twoViews, rng.Uint64()
	p.Scale = pick(rng, "none", "minmax", "standard", "global")
	p.Normalize = pick(rng, "none", "multiplicative", "multiplicative", "spherical")
	p.Norm = pick(rng, 1, 1.01, 1.0667, 4.0/3, 1+rng.Float64(), 2, 2+6*rng.Float64(), 8, 100, math.Inf(1))
	p.C = math.Pow(10, -3+6*rng.Float64())
	p.Gap, p.Precision = 1e-3, pick(rng, "auto", "auto", "64", "32")
	if rng.IntN(4) == 0 {
		p.Gap, p.Precision = 1e-6, pick(rng, "auto", "64")
	}
	if p.Norm > 2 && p.Normalize == "spherical" {
		// Kernels of low rank end at a V_m near 0, of which only the rounding of alpha'K alpha is
		// known, and above p = 2 they have the largest weights.
		p.Gap = 1e-3
	}
	if p.Precision == "32" && p.Norm > 2 {
		// Single precision cannot certify such problems, and auto goes on in double precision.
		p.Precision = "auto"
	}
	for i := range p.rows {
		for j := range p.rows[i].Value {
			p.rows[i].Value[j] = math.Abs(p.rows[i].Value[j])
		}
		if i > 1 && rng.IntN(6) == 0 {
			// The row becomes a twin of another one, of the same class or not.
			twin := p.rows[rng.IntN(i)]
			p.rows[i].Index, p.rows[i].Value = twin.Index, twin.Value
		}
		if i > 1 && rng.IntN(3) == 0 {
			p.rows[i].Label = p.rows[0].Label
		}
	}
	var specs []string
	for range 1 + rng.IntN(4) {
		s := pick(rng, definiteSpecs...)
		if p.Scale == "standard" && (strings.Contains(s, "chi2") || strings.Contains(s, "inter") || strings.HasPrefix(s, "hist")) {
			// The other kernels need features that are not negative.
			s = "gauss:0.2"
		}
		if rng.IntN(5) == 0 {
			kinds := []string{"none", "multiplicative", "spherical"}
			if !strings.Contains(s, "(") { // products are not centred
				kinds = append(kinds, "centred")
			}
			s += " norm=" + pick(rng, kinds...)
			if strings.HasSuffix(s, "centred") && p.Precision == "32" {
				p.Precision = "auto"
			}
			if p.Norm > 2 {
				p.Gap = 1e-3
			}
		}
		specs = append(specs, s)
	}
	if rng.IntN(3) == 0 {
		specs = append(specs, specs[0])
	}
	p.Kernels = strings.Join(specs, ",")
	p.Store = pick(rng, dataset.LayoutDense, dataset.LayoutSparse)
	return p
}

// TestRandomProblems trains on random problems and random banks to the end, and verify has to agree
// with every model.
func TestRandomProblems(t *testing.T) {
	draws := testlevel.Repeats(150, 1500)
	most, where := 0, ""
	for seed := range uint64(draws) {
		p := draw(rand.New(rand.NewPCG(seed, 3)))
		ok := t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			p.MaxIterations = 3000
			m, r := trainModel(t, datasettest.Stream(p.rows), p.Options)
			// A run that was told to stay in single precision may find that its rounding is as
			// large as the gap.
			honest := r.Status == chunking.Stalled && p.Precision == "32"
			if r.Status != chunking.Converged && !honest {
				t.Errorf("%s after %d iterations, gap %.3g", r.Status, r.Iterations, m.Certificate.RelativeGap)
			}
			if m.Certificate.Kind != provenGap {
				t.Errorf("certificate %q", m.Certificate.Kind)
			}
			if !honest {
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.rows))
			}
			if r.Iterations > most {
				most, where = r.Iterations, fmt.Sprintf("seed %d", seed)
			}
		})
		if !ok {
			t.Logf("seed %d: n=%d %s p=%.4g C=%.3g gap=%g precision=%s normalize=%s scale=%s store=%s", seed, len(p.rows), p.Kernels, p.Norm, p.C, p.Gap,
				p.Precision, p.Normalize, p.Scale, p.Store)
		}
	}
	t.Logf("at most %d iterations (%s)", most, where)
}

// TestKernelsOfVeryDifferentScale trains with kernels that differ by many orders of magnitude and
// are not normalised. All kernels share one alpha, and beyond a factor of about 1e10 its float64
// digits no longer reach every gap. A run may then stall, but it has to say so.
func TestKernelsOfVeryDifferentScale(t *testing.T) {
	rng := datasettest.Random(t, 4)
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
					t.Run(fmt.Sprintf("%g/%s/p=%.4g/gap=%g", factor, kernels, p, gap), func(t *testing.T) {
						o := Options{Kernels: kernels, Norm: p, C: 1, Normalize: "none", Gap: gap, MaxIterations: 5000}
						m, r := trainModel(t, datasettest.Stream(rows), o)
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
	rows := datasettest.Clouds(datasettest.Random(t, 5), 60, 4)
	for i := range rows {
		rows[i].Index, rows[i].Value = append(rows[i].Index, 4), append(rows[i].Value, 3)
	}
	for _, p := range []float64{1, 4.0 / 3, 2, math.Inf(1)} {
		m, r := converge(t, datasettest.Stream(rows), Options{Kernels: "gauss:0.5@1-4,gauss:0.5@5,linear@5,poly:2@5", Norm: p})
		if !slices.Equal(m.Theta[1:], []float64{0, 0, 0}) || !(m.Theta[0] > 0) {
			t.Errorf("p=%.4g: theta %v", p, m.Theta)
		}
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "gauss:0.5@5") || !strings.Contains(r.Warnings[0], "weight 0") {
			t.Errorf("p=%.4g: warnings %q", p, r.Warnings)
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
}

// TestIndefiniteKernels: with a kernel that may be indefinite nothing is proved. What the model
// says of itself has to be true all the same, and a kernel with a negative ||w_m||^2 has to have no
// weight.
func TestIndefiniteKernels(t *testing.T) {
	proven, claimed, dropped := 0, 0, 0
	for seed := range uint64(40) {
		p := draw(rand.New(rand.NewPCG(seed, 6)))
		p.Kernels = "sigmoid:0.5:-1,sigmoid:2,poly:3:1:-2,gauss:0.5"
		if seed%2 == 0 {
			p.Kernels = "gauss:0.5,gauss:2,linear,sigmoid:1:-0.5"
		}
		p.Gap, p.Precision, p.MaxIterations = 1e-3, "auto", 500
		m, r := trainModel(t, datasettest.Stream(p.rows), p.Options)
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
		want := provenGap
		if used {
			want = stationary
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
		report := verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.rows))
		sameValues(t, m, report.Primal, 1e-4)
		if t.Failed() {
			t.Fatalf("seed %d: n=%d %s p=%.4g C=%.3g normalize=%s scale=%s: %s, %d iterations, theta %v, ||w|| %v, %+v, verified %+v", seed, len(p.rows),
				p.Kernels, p.Norm, p.C, p.Normalize, p.Scale, r.Status, r.Iterations, m.Theta, m.WNorms, m.Certificate, *report)
		}
	}
	t.Logf("%d gaps, %d stationary, %d with kernels dropped", proven, claimed, dropped)
	if proven == 0 || claimed == 0 || dropped == 0 {
		t.Error("the problems do not cover the cases")
	}
}

// sameValues compares the primal value of the certificate with one that was recomputed.
func sameValues(t *testing.T, m *Model, primal, relative float64) {
	t.Helper()
	if e := math.Abs(primal/m.Certificate.Primal - 1); !(e <= relative) {
		t.Errorf("primal %.9g, recomputed %.9g", m.Certificate.Primal, primal)
	}
}

// TestTuning: the solver follows what Tuning tells it, the model records that, and values that make
// no sense are refused.
func TestTuning(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 3), 200, 3)
	_, usual := converge(t, datasettest.Stream(rows), Options{Kernels: "gauss:0.5,linear"})
	o := Options{Kernels: "gauss:0.5,linear", Tuning: chunking.Tuning{WorkingSet: 20, Fresh: 0.4}}
	m, r := converge(t, datasettest.Stream(rows), o)
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
	rng := datasettest.Random(t, 7)
	rows := make([]dataset.Row, 1300)
	for i := range rows {
		rows[i] = dataset.Row{Label: strconv.Itoa(1 - 2*(i%2)), Index: []int32{0, 1}, Value: []float64{1, 0}}
	}
	for k := range 4 {
		rows[3+320*k].Value = []float64{rng.NormFloat64(), 1 + rng.Float64()}
	}
	m, _ := converge(t, datasettest.Stream(rows), Options{Kernels: "gauss:1,gauss:0.1,poly:2"})
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

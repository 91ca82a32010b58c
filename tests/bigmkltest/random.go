package bigmkltest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
)

// definiteSpecs are the forms that a specification may take, for at least five features. All of
// them are positive semi-definite on features that are not negative.
var definiteSpecs = []string{
	"gauss:0.5", "gauss:2^-6..2^1", "gauss:0.01..10/5", "gauss:auto/4", "gauss:1/features", "gauss:0.3@1+3", "gauss:1@each-feature",
	"gauss:auto@each-view", "gauss:1@random:2*20", "laplace:0.3", "laplace:auto/2", "laplace:1@2-4", "linear", "linear@each-feature",
	"linear@left", "poly:2", "poly:2..4", "poly:3:0.5:1", "poly:2@random:2*5", "poly:1@right", "chi2:0.5", "chi2:auto/2", "chi2:mean", "chi2:2@each-view",
	"matern:1.5:0.3", "matern:2.5:auto/2", "matern:1.5:1@each-view",
	"intersection", "hist@1-2", "prod(gauss:0.3@1-2,poly:2)", "pow(intersection,2)", "prod(linear@1-3,gauss:auto@3-5)", "prod(chi2:mean,laplace:0.2,pow(linear,2))", "intersection@each-feature", "-t 2 -g 0.7", "-t 1 -d 2 -g 0.5 -r 2",
}

var TwoViews = []dataset.View{{Name: "left", First: 1, Last: 2}, {Name: "right", First: 3, Last: 5}}

// Drawn is a random problem: its rows and the options that a run is given.
type Drawn struct {
	Rows []dataset.Row
	bigmkl.Options
}

// Draw draws a problem over the whole range of the options. Points and kernels occur twice in it,
// and its classes are unbalanced.
func Draw(rng *rand.Rand) Drawn {
	n := 20 + rng.IntN(150)
	if rng.IntN(8) == 0 {
		n = 2 + rng.IntN(6)
	}
	p := Drawn{Rows: datasettest.Clouds(rng, n, 5+rng.IntN(4))}
	p.Views, p.Seed = TwoViews, rng.Uint64()
	p.Scale = Pick(rng, "none", "minmax", "standard", "global")
	p.Normalize = Pick(rng, "none", "multiplicative", "multiplicative", "spherical")
	p.Norm = Pick(rng, 1, 1.01, 1.0667, 4.0/3, 1+rng.Float64(), 2, 2+6*rng.Float64(), 8, 100, math.Inf(1))
	p.C = math.Pow(10, -3+6*rng.Float64())
	p.Gap, p.Precision = 1e-3, Pick(rng, "auto", "auto", "64", "32")
	if rng.IntN(4) == 0 {
		p.Gap, p.Precision = 1e-6, Pick(rng, "auto", "64")
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
	for i := range p.Rows {
		for j := range p.Rows[i].Value {
			p.Rows[i].Value[j] = math.Abs(p.Rows[i].Value[j])
		}
		if i > 1 && rng.IntN(6) == 0 {
			// The row becomes a twin of another one, of the same class or not.
			twin := p.Rows[rng.IntN(i)]
			p.Rows[i].Index, p.Rows[i].Value = twin.Index, twin.Value
		}
		if i > 1 && rng.IntN(3) == 0 {
			p.Rows[i].Label = p.Rows[0].Label
		}
	}
	var specs []string
	for range 1 + rng.IntN(4) {
		s := Pick(rng, definiteSpecs...)
		if p.Scale == "standard" && (strings.Contains(s, "chi2") || strings.Contains(s, "inter") || strings.HasPrefix(s, "hist")) {
			// The other kernels need features that are not negative.
			s = "gauss:0.2"
		}
		if rng.IntN(5) == 0 {
			kinds := []string{"none", "multiplicative", "spherical"}
			if !strings.Contains(s, "(") { // products are not centred
				kinds = append(kinds, "centred")
			}
			s += " norm=" + Pick(rng, kinds...)
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
	p.Store = Pick(rng, dataset.LayoutDense, dataset.LayoutSparse)
	return p
}

// SameValues compares the primal value of the certificate with one that was recomputed.
func SameValues(t *testing.T, m *bigmkl.Model, primal, relative float64) {
	t.Helper()
	if e := math.Abs(primal/m.Certificate.Primal - 1); !(e <= relative) {
		t.Errorf("primal %.9g, recomputed %.9g", m.Certificate.Primal, primal)
	}
}

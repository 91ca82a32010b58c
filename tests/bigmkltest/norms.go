package bigmkltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

const GroupedBank = "gauss:auto/3 group=a,linear@1-4 group=b prior=2,poly:2@3-8 group=b,gauss:0.3@1-4 cost=1.5,gauss:0.2@5-8 group=a"

// Ungrouped is the same kernels without groups.
var Ungrouped = strings.NewReplacer(" group=a", "", " group=b", "").Replace(GroupedBank)

// InteractionsOf gives a matrix for m kernels of which neighbours know each other.
func InteractionsOf(t testing.TB, m int) []float64 {
	t.Helper()
	g := make([]float64, m*m)
	for i := range m - 1 {
		g[i*m+i+1], g[(i+1)*m+i] = 1, 1
	}
	e, err := bigmkl.Laplacian(g, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Renormed gives a random problem one of the other norms.
func (p *Drawn) Renormed(t *testing.T, rng *rand.Rand) {
	specs, err := kernelspec.Split(p.Kernels)
	if err != nil {
		t.Fatal(err)
	}
	features := 0
	for _, r := range p.Rows {
		for _, j := range r.Index {
			features = max(features, int(j)+1)
		}
	}
	m, _, err := kernelspec.Count(specs, kernelspec.Context{Features: features, Views: p.Views})
	if err != nil {
		t.Fatal(err)
	}
	r, kind := &p.Regularizer, rng.IntN(6)
	for i := range specs {
		if kind != 5 && rng.IntN(2) == 0 {
			specs[i] += fmt.Sprintf(" %s=%.3g", Pick(rng, "prior", "cost"), math.Exp(rng.NormFloat64()))
		}
		if kind < 2 && (i == 0 || rng.IntN(3) > 0) {
			specs[i] += " group=" + Pick(rng, "a", "b", "c")
		}
	}
	p.Kernels = strings.Join(specs, ",")
	p.Precision = "auto"
	switch kind {
	case 0, 1:
		p.Norm, r.GroupNorm = Pick(rng, 1, 1.1, 4.0/3, 2, 2.5, 4, math.Inf(1)), Pick(rng, 1, 1.1, 4.0/3, 2, 2.5, 4, math.Inf(1))
	case 2:
		p.Norm, r.ElasticNet = 0, rng.Float64()
	case 3:
		p.Norm, r.SquaredNorm = Pick(rng, 1, 4.0/3, 1.9, 2, 3), math.Exp(2*rng.NormFloat64())
	case 4:
		g := make([]float64, m*m)
		for i := range m {
			for j := range i {
				g[i*m+j] = math.Abs(rng.NormFloat64())
				g[j*m+i] = g[i*m+j]
			}
		}
		p.Norm = 0
		if r.Interaction, err = bigmkl.Laplacian(g, 0.3); err != nil {
			t.Fatal(err)
		}
	case 5:
		p.Norm, r.Weights = 2, make([]float64, m)
		for k := range r.Weights {
			r.Weights[k] = max(0, rng.NormFloat64())
		}
		r.Weights[0] = 1
	}
	if p.Norm > 2 || p.Regularizer.GroupNorm > 2 || model.Coupled(p.Regularizer.Interaction) {
		p.Gap = 1e-3
	}
}

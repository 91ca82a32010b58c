package gradient

import (
	"slices"
	"testing"

	"bigmkl/cache"
)

// TestHessianRows: rows have the bits of the matrix, in any order, with and without ranks, in both
// precisions. Directions of few points have the bits of those without a table.
func TestHessianRows(t *testing.T) {
	t.Parallel()
	rng := random(t, 83)
	const n = 150
	looked := map[bool]int{}
	list := banks(t, rng, n)
	for _, b := range list {
		gr := newGradient(t, b, Options{Threads: 1, Memory: 1 << 30, Cache: cache.Options{Memory: 1 << 30}})
		plain := newGradient(t, b,
			Options{Threads: 1, Memory: 1 << 30, Cache: cache.Options{Memory: 1 << 30, Mode: cache.Never}})
		count := b.Len()
		for round := range 5 {
			if round == 2 {
				for _, g := range []*Gradient{gr, plain} {
					if err := g.Rebuild(t.Context(), make([]float64, n), true); err != nil {
						t.Fatal(err)
					}
				}
			}
			alpha, theta, set := make([]float64, n), make([]float64, count), subset(rng, n, 30+rng.IntN(n-30))
			for m := range theta {
				theta[m] = float64(rng.IntN(3)) * rng.Float64()
			}
			d := balancedNormals(rng, len(set))
			for k := range d {
				if rng.IntN(5) > 0 {
					d[k] = 0
				}
			}
			for k, i := range set {
				alpha[i] = d[k]
			}
			var rank []float64
			if round%2 == 1 {
				rank = normals(rng, count)
			}
			if round == 4 { // no kernel has a part in the term
				rank = make([]float64, count)
			}
			bs, cs := [2][]float64{}, [2][]float64{}
			for i, g := range []*Gradient{gr, plain} {
				bs[i], cs[i] = make([]float64, count), make([]float64, count)
				if err := g.Directions(t.Context(), set, d, bs[i], cs[i]); err != nil {
					t.Fatal(err)
				}
				v := make([]float64, count)
				if err := g.Pass(t.Context(), set, d, alpha, theta, make([]float64, n), v); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(bs[0], bs[1]) || !slices.Equal(cs[0], cs[1]) {
				t.Errorf("%s, round %d: other directions from the table", b.name, round)
			}
			q := len(set)
			h, diagonal, row := make([]float64, q*q), make([]float64, q), make([]float64, q)
			if err := plain.Hessian(t.Context(), set, theta, rank, h); err != nil {
				t.Fatal(err)
			}
			if f, err := plain.HessianRows(t.Context(), set, theta, rank, diagonal); err != nil || f != nil {
				t.Fatalf("%s: rows without a table, %v", b.name, err)
			}
			f, err := gr.HessianRows(t.Context(), set, theta, rank, diagonal)
			if err != nil {
				t.Fatal(err)
			}
			looked[f != nil]++
			if f == nil {
				continue
			}
			for _, k := range rng.Perm(q)[:q/2] {
				f(k, row)
				row[k] = diagonal[k]
				if !slices.Equal(row, h[k*q:(k+1)*q]) {
					t.Errorf("%s, round %d: row %d differs from the matrix", b.name, round, k)
					break
				}
			}
		}
	}
	if looked[true] == 0 || looked[false] == 0 {
		t.Errorf("rows were looked up %d times, and %d times not", looked[true], looked[false])
	}
}

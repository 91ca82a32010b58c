package kernels

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// random returns a generator whose seed is shown if the test fails.
func random(t testing.TB, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 2))
}

// table is Points in memory.
type table struct {
	d int
	x [][]float32
}

func (p *table) Len() int                 { return len(p.x) }
func (p *table) Dim() int                 { return p.d }
func (p *table) Row(i int, dst []float32) { copy(dst, p.x[i]) }

func (p *table) Panel(at int) []float32 {
	panel := make([]float32, p.d*simd.Width)
	for j := range min(simd.Width, len(p.x)-at*simd.Width) {
		for f, v := range p.x[at*simd.Width+j] {
			panel[f*simd.Width+j] = v
		}
	}
	return panel
}

// points draws n points of d features that are never negative, some of them zero, around different means.
func points(rng *rand.Rand, n, d int) *table {
	p := &table{d: d}
	for range n {
		x := make([]float32, d)
		for j := range x {
			if rng.IntN(4) > 0 {
				x[j] = float32(rng.ExpFloat64()) + float32(j%3)
			}
		}
		p.x = append(p.x, x)
	}
	return p
}

// mean is the shift that training uses.
func (p *table) mean() []float32 {
	m := make([]float32, p.d)
	for j := range m {
		s := 0.0
		for _, x := range p.x {
			s += float64(x[j])
		}
		m[j] = float32(s / float64(len(p.x)))
	}
	return m
}

func (p *table) survey(t testing.TB) Shape {
	t.Helper()
	s, err := Survey(t.Context(), p, p.mean(), 2)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kinds is one kernel of each kind that is computed from features, for the given set.
func kinds(set int32) []kernelspec.Kernel {
	return []kernelspec.Kernel{
		{Kind: kernelspec.Gauss, Gamma: 0.1, Set: set},
		{Kind: kernelspec.Gauss, Gamma: 1.5, Set: set},
		{Kind: kernelspec.Laplace, Gamma: 0.2, Set: set},
		{Kind: kernelspec.Linear, Set: set},
		{Kind: kernelspec.Poly, Gamma: 1, Coef: 1, Degree: 2, Set: set},
		{Kind: kernelspec.Poly, Gamma: 0.1, Coef: 0.5, Degree: 5, Set: set},
		{Kind: kernelspec.Sigmoid, Gamma: 0.05, Coef: -1, Set: set},
		{Kind: kernelspec.ChiSquare, Gamma: 0.3, Set: set},
		{Kind: kernelspec.Intersection, Set: set},
	}
}

// allKinds is a bank of all kinds over each of the sets; nil means all features.
func allKinds(sets ...[]int32) *kernelspec.Bank {
	b := &kernelspec.Bank{}
	for _, s := range sets {
		at := int32(kernelspec.AllFeatures)
		if s != nil {
			at = int32(len(b.Sets))
			b.Sets = append(b.Sets, s)
			b.SetViews = append(b.SetViews, "")
		}
		b.Kernels = append(b.Kernels, kinds(at)...)
	}
	return b
}

// normalizer is the normalisation of a bank whose kernels do not have their own.
func normalizer(spherical bool) kernelspec.Normalizer {
	if spherical {
		return kernelspec.Spherical
	}
	return kernelspec.Multiplicative
}

func newBank(t testing.TB, b *kernelspec.Bank, s Shape, spherical bool, matrices ...*npy.Matrix) *Bank {
	t.Helper()
	bank, err := NewBank(context.Background(), b, s, normalizer(spherical), matrices, nil)
	if err != nil {
		t.Fatal(err)
	}
	return bank
}

// gram collects the rows that Gram emits.
func gram[T simd.Real](t testing.TB, b *Bank, id int, p Points, threads int) [][]T {
	t.Helper()
	return gramBy[T](t, b, id, p, GramRows, threads)
}

// gramBy is gram with a number of rows that are computed at a time.
func gramBy[T simd.Real](t testing.TB, b *Bank, id int, p Points, rows, threads int) [][]T {
	t.Helper()
	var all [][]T
	err := Gram(t.Context(), Matrices{b, p}, id, rows, threads, func(row []T) error {
		all = append(all, append([]T(nil), row...))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func bitsOf[T simd.Real](v T) uint64 { return math.Float64bits(float64(v)) }

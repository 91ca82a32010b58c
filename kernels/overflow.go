package kernels

import (
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/float"
	"bigmkl/internal/simd"
)

// If no value on the diagonal overflows, no product of two points does, as |<x,z>| is at most the larger
// of <x,x> and <z,z>. So one look at every point is enough.

// overflow finds a kernel and a point for which k(x,x) is not finite in the precision T.
func overflow[T simd.Real](of Matrices) (id, point int, found bool) {
	s := newOverflowSearch[T](of, func(*Group) bool { return true })
	for p := 0; p*simd.Width < of.Points.Len(); p++ {
		if id, point, found := s.panel(p); found {
			return id, point, true
		}
	}
	return 0, 0, false
}

// overflows reports whether some k(x,x) is not finite in single precision, and in double precision. 0 times such a
// value is NaN, and which factors of 0 a sum leaves out depends on how it finds its values: the precision must not be used.
//
// Groups whose values cannot be so large are left out. An error is the context's.
func (of Matrices) overflows(ctx context.Context, threads int) (large [2]bool, err error) {
	wanted := (*Group).mayOverflowSingle
	if !slices.ContainsFunc(of.Bank.Groups, func(g Group) bool { return wanted(&g) }) {
		return large, nil
	}
	threads = max(1, threads)
	var any atomic.Bool
	group, within := errgroup.WithContext(ctx)
	for t := range threads {
		group.Go(func() error {
			s := newOverflowSearch[float32](of, wanted)
			for p := t; p*simd.Width < of.Points.Len() && !any.Load(); p += threads {
				if within.Err() != nil {
					return within.Err()
				}
				if _, _, found := s.panel(p); found {
					any.Store(true)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil || !any.Load() {
		return large, err
	}
	_, _, double := overflow[float64](of)
	return [2]bool{true, double}, nil
}

// mayOverflowSingle reports whether a kernel of the group has values of any size in single precision. Linear kernels
// with centred products have sums in double precision alone.
func (g *Group) mayOverflowSingle() bool {
	switch g.Base {
	case plainProduct, minimumSum:
		return true
	case MatrixRow:
		return g.Matrix != nil && g.Matrix.Float64s
	case Factored:
		for i := range g.Factors {
			if f := g.Factors[i].Group; f.Base == CentredProduct || f.mayOverflowSingle() {
				return true
			}
		}
	}
	return false
}

// overflowSearch looks for values that are not finite. It has the memory of one goroutine.
type overflowSearch[T simd.Real] struct {
	of     Matrices
	wanted func(*Group) bool
	eval   *Evaluator[T]
	cols   Columns[T]
	buffer PanelBuffer
	values []T
}

func newOverflowSearch[T simd.Real](of Matrices, wanted func(*Group) bool) *overflowSearch[T] {
	return &overflowSearch[T]{of: of, wanted: wanted, eval: NewEvaluator[T](of.Bank), values: make([]T, simd.Width)}
}

// panel looks at k(x,x) of the points of panel p.
func (s *overflowSearch[T]) panel(p int) (id, point int, found bool) {
	n := s.of.Points.Len()
	panel := PanelOf(s.of.Points, p, &s.buffer)
	for i := range s.of.Bank.Groups {
		g := &s.of.Bank.Groups[i]
		if !s.wanted(g) {
			continue
		}
		s.eval.PackColumns(&s.cols, g, &panel, n)
		for m := range g.Members {
			s.eval.SelfValues(s.values, &s.cols, &g.Members[m])
			for j, v := range s.values[:min(simd.Width, n-p*simd.Width)] {
				if !float.Finite(v) {
					return int(g.Members[m].ID), p*simd.Width + j, true
				}
			}
		}
	}
	return 0, 0, false
}

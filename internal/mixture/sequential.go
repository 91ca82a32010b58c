package mixture

import (
	"context"
	"math/rand/v2"
	"slices"
)

// sequential is sequential minimal optimisation of a projection: lists of pairs (pairs.go) and
// Newton steps of all free variables (newton.go) take turns. It is for few rows, whose matrices
// fit into memory; for others a projection goes by chunks (projection.go).
type sequential struct{ *pairs }

// SequentialBytes is the memory that sequential minimal optimisation takes for so many rows and kernels:
// the matrices, the lists of pairs, and the matrices of a Newton step.
func SequentialBytes(rows, kernels, width int) int64 {
	n, size := int64(rows), int64(rows)*int64(width)
	return 8 * (n*n*int64(kernels) + n*n/2 + 4*size*size)
}

// newSequential computes the matrices of all kernels of components, n x n float64 each.
// Components of one kernel share its matrix.
func newSequential(ctx context.Context, s *state, spaces Spaces) (*sequential, error) {
	n := s.rows()
	all := make([]int, n)
	for t := range all {
		all[t] = t
	}
	matrices := make([][]float64, slices.Max(s.Kernels)+1)
	for _, k := range s.Kernels {
		if matrices[k] == nil {
			matrices[k] = make([]float64, n*n)
			if err := spaces.Block(ctx, k, all, matrices[k]); err != nil {
				return nil, err
			}
		}
	}
	return &sequential{&pairs{s, matrices}}, nil
}

// step takes the steps of one list of all pairs, and then Newton steps.
func (s *sequential) step(ctx context.Context, random *rand.Rand) error {
	if err := s.sweep(ctx, random, s.little()); err != nil {
		return err
	}
	s.stepFree(ctx)
	s.recompute()
	return ctx.Err()
}

// stepFree takes Newton steps from the present l, in a chunk of all rows that may move. It
// leaves w and f as they were, and step recomputes both.
func (s *sequential) stepFree(ctx context.Context) {
	s.recompute()
	var rows []int
	for t := range s.rows() {
		// A row with l_t = 0 and no loss would stay at 0. Without such rows H is smaller.
		if s.l.total(t) > 0 || s.hinges.violation(t, s.e) > 0 {
			rows = append(rows, t)
		}
	}
	if len(rows) == 0 {
		return
	}
	n, blocks := s.rows(), make([][]float64, len(s.matrices))
	for k, whole := range s.matrices {
		if whole == nil {
			continue
		}
		blocks[k] = make([]float64, 0, len(rows)*len(rows))
		for _, t := range rows {
			for _, u := range rows {
				blocks[k] = append(blocks[k], whole[t*n+u])
			}
		}
	}
	c := newChunk(s.state, rows, blocks)
	if x := newActiveSet(c, c.l).solve(ctx); x != nil {
		for i, t := range rows {
			copy(s.l.of(t), x[c.start[i]:c.start[i+1]])
		}
	}
}

// recompute sets w of l and q and f of w, so both do not depend on the steps that led there.
func (s *sequential) recompute() {
	n := s.rows()
	s.weigh(s.q, s.l)
	for c, k := range s.Kernels {
		w, f := s.w[c*n:(c+1)*n], s.f[c*n:(c+1)*n]
		clear(f)
		for u, x := range w {
			// Near the solution most rows have a weight of 0, and their rows of the matrix are not
			// read.
			if x != 0 {
				addTo(f, s.matrices[k][u*n:(u+1)*n], x)
			}
		}
	}
}

// addTo adds a multiple of x to f.
func addTo(f, x []float64, by float64) {
	for t, v := range x {
		f[t] += by * v
	}
}

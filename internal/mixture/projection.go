package mixture

import (
	"context"
	"math"
	"slices"
)

// A projection goes by chunks. The problem of the rows that add most to P - D is solved while
// all other rows stay, and one pass over the kernels brings f of all rows up to date. A chunk
// may have all rows.

const patience = 8 // chunks without any gain after which a projection ends

// projector solves the projections of all starts in the same memory.
type projector struct {
	*state
	spaces Spaces
	run    *run
	// pairs has the matrices of sequential minimal optimisation; nil before they are needed.
	pairs *sequential
}

// project solves the projection from the present l, which is feasible. It returns whether the
// gap was reached. proceed is called before every chunk, and may end the projection.
func (p *projector) project(ctx context.Context) (reached bool, err error) {
	s, r := p.state, p.run
	if r.Sequential {
		if p.pairs == nil {
			if p.pairs, err = newSequential(ctx, s, p.spaces); err != nil {
				return false, err
			}
		}
		// Between projections q has changed, and with it w.
		p.pairs.recompute()
	}
	if !r.resumed {
		// The multipliers of the last projection are a start for this one. They are improved before
		// the first chunk, so its slopes and the choice of its rows rest on a P near the least.
		s.e.improve(s.hinges, nil, math.Inf(1))
		r.idle = 0
	}
	s.evaluate()
	for {
		// The point of a checkpoint was reported and judged by the run that wrote it.
		if !r.resumed {
			if err := r.tell(s); err != nil {
				return false, err
			}
			if s.gap() <= r.target {
				return true, nil
			}
			if r.idle >= patience {
				return false, nil
			}
		}
		if !r.proceed() {
			return false, nil
		}
		r.resumed = false
		// Progress is measured on both values: D may rise by little while better multipliers lower P,
		// or the other way round.
		scale, gap, before := max(math.Abs(s.primal), math.Abs(s.dual)), s.primal-s.dual, s.dual
		var e []float64
		if r.Sequential {
			err = p.pairs.step(ctx, r.pairSource())
		} else {
			e, err = p.solveChunk(ctx)
		}
		if err != nil {
			return false, err
		}
		s.e.improve(s.hinges, e, gap)
		s.evaluate()
		r.chunks++
		// A chunk has served its end if it brought either value nearer.
		r.idle++
		if s.dual-before > 1e-2*s.Gap*scale || gap-(s.primal-s.dual) > 0.01*gap {
			r.idle = 0
		}
	}
}

// solveChunk solves one chunk and moves the state to its solution. It returns the multipliers of
// the chunk, or nil if they are not finite or the method has none.
func (p *projector) solveChunk(ctx context.Context) (e []float64, err error) {
	s, r := p.state, p.run
	rows := s.choose(r.idle)
	blocks := make([][]float64, slices.Max(s.Kernels)+1)
	for _, k := range s.Kernels {
		if blocks[k] == nil {
			blocks[k] = make([]float64, len(rows)*len(rows))
			if err := p.spaces.Block(ctx, k, rows, blocks[k]); err != nil {
				return nil, err
			}
		}
	}
	c := newChunk(s, rows, blocks)
	scale := max(math.Abs(s.primal), math.Abs(s.dual))
	// A chunk is solved to a part of the gap of the whole, since its gain is limited by the rows outside.
	// After an idle chunk that rule may be the reason, so the accuracy is 2,000 times as high.
	accuracy := max(0.02*s.Gap*scale, 1e-3*(s.primal-s.dual))
	if r.idle > 0 {
		accuracy = 1e-5 * s.Gap * scale
	}
	var l []float64
	if c.Drop && r.idle%2 == 0 {
		// Steps of pairs find most of the bounds, and Newton steps the rest. Where both are stuck an interior
		// point may not be.
		of := newPairs(c, blocks)
		if err := of.sweep(ctx, r.pairSource(), s.little()); err != nil {
			return nil, err
		}
		l = newActiveSet(c, of.variables()).solve(ctx)
	}
	if l == nil {
		l, e = newInterior(c).solve(accuracy)
	}
	if l != nil {
		if err := p.move(ctx, c, l); err != nil {
			return nil, err
		}
	}
	if !finite(e) {
		return nil, nil
	}
	return e, nil
}

// move sets l of the rows of a chunk, and brings w and f of all rows up to date.
func (p *projector) move(ctx context.Context, c *chunk, l []float64) error {
	s := p.state
	n, k := s.rows(), s.components()
	moved := slices.DeleteFunc(slices.Clone(c.rows), func(t int) bool {
		// Rows whose l has not changed need no kernel values in the pass.
		i := slices.Index(c.rows, t)
		return slices.Equal(l[c.start[i]:c.start[i+1]], s.l.of(t))
	})
	delta := make([]float64, k*len(moved))
	for i, t := range c.rows {
		copy(s.l.of(t), l[c.start[i]:c.start[i+1]])
	}
	for i, t := range moved {
		for m := range k {
			// delta is w after less w before, of the rows that moved: first the old values are taken
			// off, then the new added.
			delta[m*len(moved)+i] = -s.w[m*n+t]
		}
	}
	s.weigh(s.q, s.l)
	for i, t := range moved {
		for m := range k {
			delta[m*len(moved)+i] += s.w[m*n+t]
		}
	}
	return p.spaces.Move(ctx, moved, delta, s.w, s.f)
}

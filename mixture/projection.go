package mixture

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// A projection goes by chunks: the rows that add most to P - D are solved among themselves, and one
// pass brings f up to date. Where all rows fit into one chunk they are solved at once.

const (
	chunkVariables = 512 // of a chunk, as far as that is leastRows rows or more
	leastRows      = 24
	patience       = 8 // chunks without any gain after which a projection ends
)

// ChunkBytes is the memory that chunks of a problem of so many rows take at most, with so many components
// of each class: some matrices of their variables.
func ChunkBytes(rows, width int) int64 {
	p := &Problem{Kernels: make([]int, 2*width), First: width}
	variables := int64(min(rows, p.chunkRows(true))*width + 2*width)
	return 8 * 6 * variables * variables
}

// Progress is what is told after every chunk.
type Progress struct {
	Restart, Round, Chunks int
	Primal, Dual, Gap      float64
	Support                int // rows with l_t > 0
}

// project solves the projection from the feasible l in hand. It returns whether the gap was reached;
// proceed is asked before every chunk and may end it.
func (r *Solver) project(ctx context.Context) (reached bool, err error) {
	s := r.state
	if r.options.Sequential {
		if err := r.prepareSequential(ctx); err != nil {
			return false, err
		}
		r.recompute()
	}
	if !r.resumed {
		s.e.improve(s.hinges, nil, math.Inf(1))
		r.idle = 0
	}
	s.evaluate()
	for {
		// A point that has been brought back was told of and judged before.
		if !r.resumed {
			if err := r.tell(); err != nil {
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
		scale, gap, before := max(math.Abs(s.primal), math.Abs(s.dual)), s.primal-s.dual, s.dual
		var e []float64
		if r.options.Sequential {
			err = r.sweepPairs(ctx)
		} else {
			e, err = r.solveChunk(ctx)
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

// solveChunk solves one chunk, and returns its multipliers if they are numbers.
func (r *Solver) solveChunk(ctx context.Context) (e []float64, err error) {
	s := r.state
	rows := s.choose(r.idle)
	blocks := make([][]float64, slices.Max(s.Kernels)+1)
	for _, k := range s.Kernels {
		if blocks[k] == nil {
			blocks[k] = make([]float64, len(rows)*len(rows))
			if err := r.spaces.Block(ctx, k, rows, blocks[k]); err != nil {
				return nil, err
			}
		}
	}
	c := newChunk(s, rows, blocks)
	scale := max(math.Abs(s.primal), math.Abs(s.dual))
	accuracy := max(0.02*s.Gap*scale, 1e-3*(s.primal-s.dual))
	if r.idle > 0 {
		accuracy = 1e-5 * s.Gap * scale
	}
	var l []float64
	if c.Drop && r.idle%2 == 0 {
		// Steps of pairs find most of the bounds, and Newton steps the rest. Where both are stuck an interior
		// point may not be.
		p := c.pairs(blocks)
		if err := p.sweep(ctx, r.random(), r.little()); err != nil {
			return nil, err
		}
		l = c.solveFree(ctx, p.variables())
	}
	if l == nil {
		l, e = c.solve(accuracy)
	}
	if l != nil {
		if err := r.move(ctx, c, l); err != nil {
			return nil, err
		}
	}
	if !finite(e) {
		return nil, nil
	}
	return e, nil
}

// move takes the new l of a chunk.
func (r *Solver) move(ctx context.Context, c *chunk, l []float64) error {
	s := r.state
	n, k := s.rows(), s.components()
	moved := slices.DeleteFunc(slices.Clone(c.rows), func(t int) bool {
		i := slices.Index(c.rows, t)
		return slices.Equal(l[c.start[i]:c.start[i+1]], s.l.of(t))
	})
	delta := make([]float64, k*len(moved))
	for i, t := range c.rows {
		copy(s.l.of(t), l[c.start[i]:c.start[i+1]])
	}
	for i, t := range moved {
		for m := range k {
			delta[m*len(moved)+i] = -s.w[m*n+t]
		}
	}
	s.weigh(s.q, s.l)
	for i, t := range moved {
		for m := range k {
			delta[m*len(moved)+i] += s.w[m*n+t]
		}
	}
	return r.spaces.Move(ctx, moved, delta, s.w, s.f)
}

// choose returns the rows of the next chunk, ascending: of each class those that add most to P - D, and
// of equal ones the first, as rows of one class alone could not move. The others are at neither bound,
// which the first may need to move far. After chunks without gain there are more rows, fewer of the
// former, and others of the latter each time.
func (s *state) choose(idle int) []int {
	n := s.rows()
	size := min(n, s.chunkRows(idle > 0))
	order := make([]int, n)
	for t := range order {
		order[t] = t
	}
	if size == n {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.gaps[b], s.gaps[a]) })
	head := size * 3 / 4
	if idle > 0 {
		head = size / 2
	}
	taken := make([]bool, n)
	chosen := make([]int, 0, size)
	// take adds rows that pass, at most so many, from a place of the order on.
	take := func(count, from int, pass func(t int) bool) {
		for i := range order {
			if count == 0 || len(chosen) == size {
				return
			}
			if t := order[(from+i)%n]; !taken[t] && pass(t) {
				taken[t], chosen, count = true, append(chosen, t), count-1
			}
		}
	}
	take(head/2, 0, func(t int) bool { return s.Positive[t] })
	take(head/2, 0, func(t int) bool { return !s.Positive[t] })
	take(size, idle*size/2, func(t int) bool {
		total := s.l.total(t)
		return total > 0 && total < s.Cost[t]
	})
	take(size, idle*size/2, func(int) bool { return true })
	slices.Sort(chosen)
	return chosen
}

// chunkRows is the number of rows of a chunk, and of a large one.
func (p *Problem) chunkRows(large bool) int {
	rows := max(leastRows, chunkVariables/p.width())
	// Newton steps from one bound to the next cost little for variables that stay at theirs.
	if large || p.Drop {
		rows *= 2
	}
	return rows
}

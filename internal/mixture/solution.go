package mixture

import "slices"

// Solution is a solved projection, the last one of the best start.
type Solution struct {
	// Q has the distributions of all rows, width numbers each, and Weights w, component by component.
	Q       []float64 `json:"-"`
	Weights []float64 `json:"-"`
	Width   int
	// Multipliers has e of each component, and Norms w_c'K_c w_c.
	Multipliers []float64 `json:"-"`
	Norms       []float64 `json:"-"`
	// Totals has l_t of each row.
	Totals []float64 `json:"-"`
	// Primal and Dual are P and D, or F and J of a likelihood. Objective is P after the softmax that
	// follows the projection, or J, and Change the largest change of q by that softmax. Both belong to
	// the projection if all rows are observed.
	Primal, Dual, Objective, Change float64
	// Rounds is the number of projections or estimates of the start, which is number Start of all, and
	// Chunks that of the chunks, or of the steps of EM, of all starts.
	Rounds, Start, Chunks int
	// Reached means that the projection reached its gap, and Stopped that the run was ended before
	// all starts had been followed.
	Reached, Stopped bool
}

// solution copies the present point. Its caller counts the rounds and the start.
func (s *state) solution(objective, change float64, reached bool) *Solution {
	b := &Solution{
		Q: slices.Clone(s.q.all), Weights: slices.Clone(s.w), Width: s.width(),
		Multipliers: slices.Clone(s.e), Norms: s.norms(), Primal: s.primal, Dual: s.dual, Objective: objective,
		Change: change, Reached: reached,
	}
	for t := range s.Positive {
		b.Totals = append(b.Totals, s.l.total(t))
	}
	return b
}

// Fits reports whether a solution has the shape and the ranges of the solutions of the problem.
func (p *Problem) Fits(b *Solution) bool {
	n, k := p.rows(), p.components()
	return len(b.Q) == n*p.width() && len(b.Weights) == n*k && b.Width == p.width() &&
		len(b.Multipliers) == k && len(b.Norms) == k && len(b.Totals) == n && b.Start >= 1 && b.Rounds >= 1 &&
		!slices.ContainsFunc([][]float64{b.Q, b.Weights, b.Multipliers, b.Norms, b.Totals},
			func(x []float64) bool { return !finite(x) })
}

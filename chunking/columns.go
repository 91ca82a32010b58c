package chunking

import (
	"context"
	"math"
	"slices"
)

// Several columns of dual variables for the same points under one vector of weights:
//
//	max  D(alpha) = lin(alpha) - 1/2 || (V_m^(1/2))_m ||_{p*}^2,   V_m = sum_c alpha_c'K_m alpha_c,
//	     sum_i alpha_ic = 0 for every column c.
//
// To the rest of the solver that is one problem of as many variables as columns times points: a
// variable of one column and one of another have the kernel value 0, and norm, line search, ladder,
// weights and certificate are the same. A working set is a set of points with all of their
// variables, as a row of kernels serves all columns; a point is chosen by the length of its
// violation over the columns. A loss of columns has no bounds, so the model on the set is a system
// of linear equations:
//
//	(I x A + G'RG - back ghat ghat') d = ascent,   A = sum_m theta_m K_m[B,B] + curvature,
//
// with 1'd_c = 0. The first term is the same for all columns and is factorised once; the others
// have the rank M + 1 and tie the columns to each other: they describe how the weights change with
// d. Conjugate gradients that take the first term for all of them end after as many steps as that
// rank, and sooner. With a Joint loss the identity is one of the kernels, and every column has its
// part of it.

// Columns is a loss of several columns of dual variables. Variable c n + i belongs to point i of n
// in column c. There are no bounds, Curvature is the same in all columns, and each column has a
// bias of its own: Primal gives 0 for the one that it is asked for.
type Columns interface {
	CurvedLoss
	// Columns is the number of columns, at least 1.
	Columns() int
}

// NewColumns returns a solver at alpha = 0 for n points. The gradient is one of all variables, and
// a Mixer.
func NewColumns(n, kernels int, loss Columns, norm Norm, grad Gradient, gap float64,
	tuning Tuning) *Solver {
	s := New(n*loss.Columns(), kernels, loss, norm, grad, gap, tuning)
	s.columns = loss.Columns()
	return s
}

// columnStep is setStep for several columns.
type columnStep struct {
	setStep
	columns int
}

// take moves the variables of a working set of points, and returns their change.
func (s columnStep) take(ctx context.Context) ([]float64, error) {
	points := s.choose()
	n, q := len(s.alpha)/s.columns, len(points)
	set := make([]int, 0, s.columns*q)
	for c := range s.columns {
		for _, i := range points {
			set = append(set, c*n+i)
		}
	}
	s.set = set
	m, err := s.model(ctx, q)
	if err != nil {
		return nil, err
	}
	ascent := make([]float64, len(set))
	for k, i := range set {
		ascent[k] = s.ascent[i]
	}
	d := m.solve(ascent)
	if slices.ContainsFunc(d, func(x float64) bool { return !(math.Abs(x) <= farthest) }) {
		clear(d)
	}
	if err := s.grad.Directions(ctx, set, d, s.b, s.c); err != nil {
		return nil, err
	}
	s.iterations++
	s.shift, s.doubt = 0, 0
	t := s.searchFar(&s.iterate, d)
	delta := make([]float64, len(set))
	s.stuck++
	for k, i := range set {
		was := s.alpha[i]
		s.alpha[i] += t * d[k]
		if delta[k] = s.alpha[i] - was; delta[k] != 0 {
			s.stuck = 0
		}
	}
	s.balance(delta)
	s.predict(s.V, t)
	return delta, nil
}

// choose picks the points of the working set: first those that violate most, then the points
// of the last set, for the reasons that selection.choose has. At the start they are spread evenly, as all
// points of a class are alike.
func (s columnStep) choose() []int {
	n := len(s.alpha) / s.columns
	size := s.tuning.Size(n)
	if size == n || s.iterations == 0 && s.atStart() {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return every(all, size)
	}
	// At the optimum the ascent of a column is the same everywhere.
	violation := make([]float64, n)
	for c := range s.columns {
		column := s.ascent[c*n : (c+1)*n]
		level := s.blocks.Sum(n, func(from, to int) (sum float64) {
			for _, x := range column[from:to] {
				sum += x
			}
			return sum
		}) / float64(n)
		s.blocks.Each(n, func(_, from, to int) {
			for i := from; i < to; i++ {
				violation[i] += (column[i] - level) * (column[i] - level)
			}
		})
	}
	last := s.set[:len(s.set)/s.columns]
	fresh := size
	if len(last) > 0 {
		fresh = max(1, int(s.tuning.Fresh*float64(size)))
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case violation[i] > violation[j]:
			return -1
		case violation[i] < violation[j]:
			return 1
		}
		return 0
	})
	set, taken := slices.Clone(order[:fresh]), make([]bool, n)
	for _, i := range set {
		taken[i] = true
	}
	for _, i := range append(slices.Clone(last), order[fresh:]...) {
		if len(set) == size {
			break
		}
		if i %= n; !taken[i] {
			taken[i] = true
			set = append(set, i)
		}
	}
	return set
}

// balance takes what rounding has left of the sum of each column from the variable of the
// working set that has moved most, and corrects delta.
func (s columnStep) balance(delta []float64) {
	n, q := len(s.alpha)/s.columns, len(s.set)/s.columns
	for c := range s.columns {
		sum := 0.0
		for _, a := range s.alpha[c*n : (c+1)*n] {
			sum += a
		}
		most := c * q
		for k := c * q; k < (c+1)*q; k++ {
			if math.Abs(delta[k]) > math.Abs(delta[most]) {
				most = k
			}
		}
		if delta[most] != 0 {
			s.alpha[s.set[most]] -= sum
			delta[most] -= sum
		}
	}
}

package chunking

import "context"

// A loss of differences has a dual variable beta_k in [0, C_k] for each of P ordered pairs (i,j) of points, and
//
//	lin(beta) = sum_k m_k beta_k,   P = 1/2 ||w||^2 + sum_k C_k max(0, m_k - (f_i - f_j))
//
// (Joachims 2002; m_k is the margin of the pair). With the operator D of P rows, which has 1 at point i and -1 at point j, the
// function follows from alpha = D'beta. The solver's variables are the pairs. Points come in where it asks for kernel values: the
// kernel of two pairs is a difference of four values, and a working set of q pairs has at most 2 q points.
//
// There is no bias, and the sum of beta is free. The solver keeps the sum of its variables, so one more variable of no kernel and no
// slope, the slack, takes what beta sums to. It is inside its bounds, so its gain, which is 0, is the level that all others are
// compared with. It is part of every working set.

// Differences is a loss of pairs of points. The variables of its methods are pairs, and f has f_i - f_j for each. Primal gives 0
// for the bias.
type Differences interface {
	Separable
	// Pairs is the number of pairs, at least 1.
	Pairs() int
	// Ends gives the points i and j of pair k, which differ.
	Ends(k int) (i, j int)
}

// NewDifferences returns a solver at beta = 0 for pairs of n points. The gradient is one of the points, and a Mixer. No point is
// left out of passes.
func NewDifferences(n, kernels int, loss Differences, norm Norm, grad Gradient, gap float64, tuning Tuning) *Solver {
	p := loss.Pairs()
	tuning.WorkingSet = PairSet(&tuning, p)
	d := &differences{
		Gradient: grad, loss: loss, blocks: blocksOf(grad), alpha: make([]float64, n), sizes: make([]float64, n),
		combined: make([]float64, n), place: make([]int32, n),
	}
	var of Gradient = d
	if c, ok := grad.(Checker); ok {
		of = checkedDifferences{d, c}
	}
	s := New(p+1, kernels, newSlackened(loss), norm, of, gap, tuning)
	s.anchor = p
	return s
}

// mostPairs is the largest working set of pairs. Its model has the kernel values of twice as many points.
const mostPairs = 1024

// PairSet is the size of a working set of so many pairs, with the slack.
func PairSet(t *Tuning, pairs int) int {
	if t.WorkingSet != 0 {
		return t.Size(pairs + 1)
	}
	return min(t.Size(pairs+1), mostPairs)
}

// slackened is a loss of differences with the slack behind its pairs.
type slackened struct {
	Differences
	pairs int
	least float64 // bound of the slack, which no feasible beta comes to
}

func newSlackened(l Differences) *slackened {
	s := &slackened{Differences: l, pairs: l.Pairs()}
	for k := range s.pairs {
		_, high := l.Box(k)
		s.least -= 2 * high
	}
	return s
}

// Box implements Loss.
func (l *slackened) Box(k int) (lower, upper float64) {
	if k == l.pairs {
		return l.least, 0
	}
	return l.Differences.Box(k)
}

// Linear implements Loss.
func (l *slackened) Linear(beta []float64) float64 { return l.Differences.Linear(beta[:l.pairs]) }

// Slope implements Separable.
func (l *slackened) Slope(k int, b float64) float64 {
	if k == l.pairs {
		return 0
	}
	return l.Differences.Slope(k, b)
}

// Primal implements Loss.
func (l *slackened) Primal(f []float64) (bias, sum float64) { return l.Differences.Primal(f[:l.pairs]) }

// At implements Loss.
func (l *slackened) At(f []float64, bias float64) float64 { return l.Differences.At(f[:l.pairs], bias) }

// Divide implements Divided.
func (l *slackened) Divide(b Blocks) {
	if d, ok := l.Differences.(Divided); ok {
		d.Divide(b)
	}
}

// differences is the gradient of pairs, with the slack behind them, that a gradient of points gives.
type differences struct {
	Gradient
	loss   Differences
	blocks Blocks

	alpha, sizes []float64 // of each point: D'beta and the sum of the |beta| of its pairs
	combined     []float64 // of each point

	// The working set in hand: its pairs, their points, the places of both points of each pair among these (-1 for the slack), and
	// of every point its place plus 1, or 0.
	set    []int
	points []int
	ends   [][2]int32
	place  []int32
}

// checkedDifferences is the gradient of pairs of points whose values can be computed again.
type checkedDifferences struct {
	*differences
	of Checker
}

var (
	_ Gradient = (*differences)(nil)
	_ Mixer    = (*differences)(nil)
	_ Sharer   = (*differences)(nil)
	_ Scaler   = (*differences)(nil)
	_ Checker  = checkedDifferences{}
)

// onPoints is a gradient of variables that are not the points.
type onPoints interface {
	onPoints(beta []float64) []float64
	// values returns the function on all points, for weights divided by scale, or 0 if it is a constant.
	values(scale float64, constant bool) []float64
}

// rounded is the share of the sum of the |beta| of a point below which alpha there is the rounding of a sum that is 0.
const rounded = 1e-15

// onPoints returns alpha = D'beta, in memory that the next call uses again. The sums are in the order of the pairs.
func (g *differences) onPoints(beta []float64) []float64 {
	clear(g.alpha)
	clear(g.sizes)
	for k, b := range beta[:g.loss.Pairs()] {
		if b != 0 {
			i, j := g.loss.Ends(k)
			g.alpha[i], g.sizes[i] = g.alpha[i]+b, g.sizes[i]+b
			g.alpha[j], g.sizes[j] = g.alpha[j]-b, g.sizes[j]+b
		}
	}
	for i, a := range g.alpha {
		if a <= rounded*g.sizes[i] && -a <= rounded*g.sizes[i] {
			g.alpha[i] = 0
		}
	}
	return g.alpha
}

// values implements onPoints, as of the last pass.
func (g *differences) values(scale float64, constant bool) []float64 {
	f := make([]float64, len(g.combined))
	for i, x := range g.combined {
		if !constant {
			f[i] = x / scale
		}
	}
	return f
}

// choose makes some pairs the working set in hand.
func (g *differences) choose(set []int) {
	for _, i := range g.points {
		g.place[i] = 0
	}
	g.set, g.points, g.ends = append(g.set[:0], set...), g.points[:0], g.ends[:0]
	at := func(i int) int32 {
		if g.place[i] == 0 {
			g.points = append(g.points, i)
			g.place[i] = int32(len(g.points))
		}
		return g.place[i] - 1
	}
	for _, k := range set {
		if k == g.loss.Pairs() {
			g.ends = append(g.ends, [2]int32{-1, -1})
			continue
		}
		i, j := g.loss.Ends(k)
		g.ends = append(g.ends, [2]int32{at(i), at(j)})
	}
}

// step returns D'd on the points of the set in hand, for a direction d on its pairs.
func (g *differences) step(d []float64) []float64 {
	s := make([]float64, len(g.points))
	for k, e := range g.ends {
		if e[0] >= 0 {
			s[e[0]] += d[k]
			s[e[1]] -= d[k]
		}
	}
	return s
}

// subtract puts D x in the place of values x on the points of the set in hand.
func (g *differences) subtract(to, x []float64) {
	for k, e := range g.ends {
		to[k] = 0
		if e[0] >= 0 {
			to[k] = x[e[0]] - x[e[1]]
		}
	}
}

// Hessian implements Gradient.
func (g *differences) Hessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	g.choose(set)
	q, r := len(set), len(g.points)
	points := make([]float64, r*r)
	if err := g.Gradient.Hessian(ctx, g.points, theta, rank, points); err != nil {
		return err
	}
	g.Share(q, func(k int) {
		row, e := h[k*q:(k+1)*q], g.ends[k]
		if e[0] < 0 {
			clear(row)
			return
		}
		a, b := points[int(e[0])*r:(int(e[0])+1)*r], points[int(e[1])*r:(int(e[1])+1)*r]
		for l, o := range g.ends {
			row[l] = 0
			if o[0] >= 0 {
				row[l] = (a[o[0]] - a[o[1]]) - (b[o[0]] - b[o[1]])
			}
		}
	})
	for k := range q { // the order of the differences has left the two halves unequal by rounding
		for l := range k {
			h[k*q+l] = h[l*q+k]
		}
	}
	return nil
}

// Directions implements Gradient.
func (g *differences) Directions(ctx context.Context, set []int, d, b, c []float64) error {
	g.choose(set)
	if len(g.points) == 0 {
		clear(b)
		clear(c)
		return nil
	}
	return g.Gradient.Directions(ctx, g.points, g.step(d), b, c)
}

// Pass implements Gradient.
func (g *differences) Pass(ctx context.Context, set []int, delta, alpha, theta, combined, v []float64) error {
	var points []int
	var change []float64
	if set != nil {
		g.choose(set)
		points, change = g.points, g.step(delta)
	}
	if err := g.Gradient.Pass(ctx, points, change, g.onPoints(alpha), theta, g.combined, v); err != nil {
		return err
	}
	pairs := g.loss.Pairs()
	g.blocks.Each(pairs, func(_, from, to int) {
		for k := from; k < to; k++ {
			i, j := g.loss.Ends(k)
			combined[k] = g.combined[i] - g.combined[j]
		}
	})
	combined[pairs] = 0
	return nil
}

// Rebuild implements Gradient.
func (g *differences) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	return g.Gradient.Rebuild(ctx, g.onPoints(alpha), double)
}

// Mix implements Mixer, for a gradient that is one itself.
func (g *differences) Mix(ctx context.Context, set []int, row []int32, factor, mixed []float64) error {
	g.choose(set)
	r, q := len(g.points), len(set)
	rows := len(mixed) / q
	points := make([]float64, rows*r)
	if err := g.Gradient.(Mixer).Mix(ctx, g.points, row, factor, points); err != nil {
		return err
	}
	for k := range rows {
		g.subtract(mixed[k*q:(k+1)*q], points[k*r:(k+1)*r])
	}
	return nil
}

// Share implements Sharer.
func (g *differences) Share(items int, do func(item int)) {
	if s, ok := g.Gradient.(Sharer); ok {
		s.Share(items, do)
		return
	}
	for item := range items {
		do(item)
	}
}

// Scale implements Scaler, for a gradient that is one itself.
func (g *differences) Scale(c float64) { g.Gradient.(Scaler).Scale(c) }

// Magnified implements magnifier.
func (g checkedDifferences) Magnified() []float64 { return magnified(g.of) }

// Afresh implements Checker.
func (g checkedDifferences) Afresh(ctx context.Context, sample []int, alpha, theta []float64) ([]float64, error) {
	g.choose(sample)
	f, err := g.of.Afresh(ctx, g.points, g.onPoints(alpha), theta)
	if err != nil {
		return nil, err
	}
	differ := make([]float64, len(sample))
	g.subtract(differ, f)
	return differ, nil
}

// Deviations implements Checker.
func (g checkedDifferences) Deviations(ctx context.Context, sample []int, d, alpha, e []float64) error {
	g.choose(sample)
	return g.of.Deviations(ctx, g.points, g.step(d), g.onPoints(alpha), e)
}

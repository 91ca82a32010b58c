package loss

import (
	"math"

	"bigmkl/chunking"
)

var (
	_ chunking.Loss    = (*Discriminant)(nil)
	_ chunking.Columns = (*Discriminant)(nil)
	_ chunking.Divided = (*Discriminant)(nil)
)

// Discriminant is the loss of regularised kernel discriminant analysis (Ye, Ji and Chen 2008,
// equations 26 and 34): a column of squared losses for each class, with the targets
//
//	h_ic = (n/n_c)^(1/2) - (n_c/n)^(1/2) where point i is of class c, and -(n_c/n)^(1/2) elsewhere,
//
// of n points, n_c of them of class c. Their sum over i is 0. With the cost C it is
//
//	sum_c sum_i C/2 (h_ic - f_ic - b_c)^2,
//	lin(alpha) = sum_c sum_i h_ic alpha_ic - alpha_ic^2 / (2C),
//
// without bounds and with sum_i alpha_ic = 0 for every c. Variable (i,c) is number c n + i. Each
// column has a bias of its own, its best one at any f: the one bias of chunking.Loss is what they
// are shifted by, and best at 0.
type Discriminant struct {
	class     []int32 // of each point
	high, low []float64
	cost      float64
	blocks    chunking.Blocks
}

// NewDiscriminant returns the loss for points of so many classes, each of which has a point, and
// the cost C > 0. The slice is kept and must not change.
func NewDiscriminant(class []int32, classes int, cost float64) *Discriminant {
	l := &Discriminant{class: class, cost: cost}
	count, n := make([]float64, classes), float64(len(class))
	for _, c := range class {
		count[c]++
	}
	for _, m := range count {
		l.low = append(l.low, -math.Sqrt(m/n))
		l.high = append(l.high, math.Sqrt(n/m)-math.Sqrt(m/n))
	}
	return l
}

// Columns implements chunking.Columns.
func (l *Discriminant) Columns() int { return len(l.high) }

// Target gives h_ic of variable v = c n + i.
func (l *Discriminant) Target(v int) float64 { return l.target(v/len(l.class), v%len(l.class)) }

func (l *Discriminant) target(c, i int) float64 {
	if int(l.class[i]) == c {
		return l.high[c]
	}
	return l.low[c]
}

// Box implements chunking.Loss: there are no bounds.
func (l *Discriminant) Box(int) (lower, upper float64) { return math.Inf(-1), math.Inf(1) }

// ColumnLinear gives the part of lin that each column has.
func (l *Discriminant) ColumnLinear(alpha []float64) []float64 {
	return l.perColumn(alpha, func(h, a float64) float64 { return h*a - a*a/(2*l.cost) })
}

// ColumnSquares gives |alpha_c|^2 of each column.
func (l *Discriminant) ColumnSquares(alpha []float64) []float64 {
	return l.perColumn(alpha, func(_, a float64) float64 { return a * a })
}

// Linear implements chunking.Loss.
func (l *Discriminant) Linear(alpha []float64) (sum float64) {
	for _, x := range l.ColumnLinear(alpha) {
		sum += x
	}
	return sum
}

// Slope implements chunking.Loss.
func (l *Discriminant) Slope(v int, a float64) float64 { return l.Target(v) - a/l.cost }

// Curvature implements chunking.Curved.
func (l *Discriminant) Curvature(int) float64 { return 1 / l.cost }

// Biases gives the best bias of each column, the mean of what f lacks, and the loss with them that
// the column has.
func (l *Discriminant) Biases(f []float64) (bias, loss []float64) {
	n := float64(len(l.class))
	bias = l.perColumn(f, func(h, f float64) float64 { return h - f })
	for c := range bias {
		bias[c] /= n
	}
	return bias, l.lossAt(f, bias)
}

// lossAt gives the loss of each column.
func (l *Discriminant) lossAt(f, bias []float64) []float64 {
	n, loss := len(l.class), make([]float64, len(bias))
	for c, b := range bias {
		loss[c] = l.blocks.Sum(n, func(from, to int) (sum float64) {
			for i := from; i < to; i++ {
				d := l.target(c, i) - f[c*n+i] - b
				sum += l.cost / 2 * d * d
			}
			return sum
		})
	}
	return loss
}

// Primal implements chunking.Loss.
func (l *Discriminant) Primal(f []float64) (bias, sum float64) {
	_, loss := l.Biases(f)
	for _, x := range loss {
		sum += x
	}
	return 0, sum
}

// At implements chunking.Loss: the sum with every best bias moved by the same number.
func (l *Discriminant) At(f []float64, bias float64) float64 {
	_, sum := l.Primal(f)
	return sum + l.cost/2*float64(len(f))*bias*bias
}

// Divide implements chunking.Divided.
func (l *Discriminant) Divide(b chunking.Blocks) { l.blocks = b }

// perColumn sums a term of target and number over the points of each column.
func (l *Discriminant) perColumn(x []float64, term func(h, x float64) float64) []float64 {
	n, sums := len(l.class), make([]float64, len(l.high))
	for c := range sums {
		sums[c] = l.blocks.Sum(n, func(from, to int) (sum float64) {
			for i := from; i < to; i++ {
				sum += term(l.target(c, i), x[c*n+i])
			}
			return sum
		})
	}
	return sums
}

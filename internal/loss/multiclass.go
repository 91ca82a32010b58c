package loss

import "bigmkl/chunking"

var (
	_ chunking.Loss      = (*Multiclass)(nil)
	_ chunking.Contrasts = (*Multiclass)(nil)
	_ chunking.Divided   = (*Multiclass)(nil)
)

// ClassMargin is the margin by which the score of a row's own class is to exceed every other.
const ClassMargin = 2

// Multiclass is the loss of one classifier for all classes (Weston and Watkins 1999; Gönen 2010,
// equations 1.9 to 1.11), with a function f_c and a bias b_c for each class c: a point i of class y
// has the loss
//
//	C_i sum_(l != y) max(0, 2 - (f_iy + b_y) + (f_il + b_l)).
//
// Its conjugate has a variable A_il in [0, C_i] for each other class l. In the columns that the solver
// has, alpha_il = -A_il and alpha_iy = sum_l A_il, so the variables of a point sum to 0, and
//
//	lin(alpha) = -2 sum_i sum_(l != y) alpha_il,   sum_i alpha_ic = 0 for every c.
//
// Where labels are uncertain, the margin of point i against class l is 2 (Pr(y|x_i) - Pr(l|x_i)) in
// the place of 2 (Gönen, Tanuğur and Alpaydın 2008; Gönen 2010, Section 1.5). It is negative for a
// class that is likelier than the label.
//
// Variable (i,c) is number c n + i. The biases are the best ones at any f: the one bias of
// chunking.Loss moves all of them, which changes nothing, and is 0.
type Multiclass struct {
	class []int32   // of each point
	place []int32   // of each point within its class
	cost  []float64 // C_i
	// posteriors are Pr(c|x_i), row by row; nil where labels are certain.
	posteriors []float64
	count      int
	blocks     chunking.Blocks
}

// NewMulticlass returns the loss for points of so many classes, at least 2, and the cost of each
// point. Posteriors: n x classes, row-major, Pr(c|x_i); nil if labels are certain. The slices are
// kept and must not change.
func NewMulticlass(class []int32, classes int, cost, posteriors []float64) *Multiclass {
	l := &Multiclass{
		class: class, place: make([]int32, len(class)), cost: cost, count: classes,
		posteriors: posteriors,
	}
	of := make([]int32, classes)
	for i, y := range class {
		l.place[i] = of[y]
		of[y]++
	}
	return l
}

// margin is the margin of point i against another class c.
func (l *Multiclass) margin(i, c int) float64 {
	if l.posteriors == nil {
		return ClassMargin
	}
	p := l.posteriors[i*l.count : (i+1)*l.count]
	return ClassMargin * (p[l.class[i]] - p[c])
}

// Columns implements chunking.Contrasts.
func (l *Multiclass) Columns() int { return l.count }

// Own implements chunking.Contrasts.
func (l *Multiclass) Own(i int) int { return int(l.class[i]) }

// Cost implements chunking.Contrasts.
func (l *Multiclass) Cost(i int) float64 { return l.cost[i] }

// Box implements chunking.Loss. That of the own class follows from the others: its bound is their
// sum, rounded as a sum of theirs may be.
func (l *Multiclass) Box(v int) (lower, upper float64) {
	i, c := v%len(l.class), v/len(l.class)
	if int(l.class[i]) != c {
		return -l.cost[i], 0
	}
	for range l.count - 1 {
		upper += l.cost[i]
	}
	return 0, upper
}

// Linear implements chunking.Loss.
func (l *Multiclass) Linear(alpha []float64) float64 {
	n, sum := len(l.class), 0.0
	for c := range l.count {
		sum += l.blocks.Sum(n, func(from, to int) (part float64) {
			for i := from; i < to; i++ {
				if int(l.class[i]) != c {
					part -= l.margin(i, c) * alpha[c*n+i]
				}
			}
			return part
		})
	}
	return sum
}

// Slope implements chunking.Loss.
func (l *Multiclass) Slope(v int, _ float64) float64 {
	i, c := v%len(l.class), v/len(l.class)
	if int(l.class[i]) == c {
		return 0
	}
	return -l.margin(i, c)
}

// Primal implements chunking.Loss.
func (l *Multiclass) Primal(f []float64) (bias, sum float64) {
	_, sum = l.Biases(f)
	return 0, sum
}

// At implements chunking.Loss: what is added to all biases changes nothing.
func (l *Multiclass) At(f []float64, _ float64) float64 {
	_, sum := l.Biases(f)
	return sum
}

// Divide implements chunking.Divided.
func (l *Multiclass) Divide(b chunking.Blocks) { l.blocks = b }

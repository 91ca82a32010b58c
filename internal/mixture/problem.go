package mixture

import (
	"context"
	"math"
)

// Spaces are the spaces of the components on the n training rows. Numbers of rows and components are
// laid out component by component: that of row t and component c is at c n + t.
type Spaces interface {
	// Rebuild sets f_c = K_c w_c for every component.
	Rebuild(ctx context.Context, w, f []float64) error
	// Move is Rebuild where w has changed by delta on some rows alone, component by component.
	Move(ctx context.Context, rows []int, delta, w, f []float64) error
	// Block sets h to the matrix of kernel k on some rows, row by row.
	Block(ctx context.Context, kernel int, rows []int, h []float64) error
}

// Problem is a training set with the components of its two classes. Components are numbered from 0,
// the components of the positive class first.
type Problem struct {
	// Positive holds for each row whether it is of the positive class.
	Positive []bool
	// Kernels has the kernel of each component, and First is the number of components of the
	// positive class.
	Kernels []int
	First   int
	// Diagonal has k(x,x) of each row for each component, component by component.
	Diagonal []float64
	// Cost has C_t of each row, which is positive.
	Cost []float64
	// Observed has the own component of each row, counted from 1 within its class; 0 is hidden. If it
	// is nil, all are hidden.
	Observed []int32
	// Drop leaves H(Q) out.
	Drop bool
	// Likelihood asks for mixtures of maximum likelihood (likelihood.go) in place of discrimination. C_t
	// is then how often a row counts.
	Likelihood bool
	// Gap is the relative gap to which each projection is solved, or that of F and J at which EM ends.
	Gap float64
}

// margin is the expected margin of a row, at which one component a side is twice a support vector
// classifier.
const margin = 2

// rows is n, and components is the number of components of both classes.
func (p *Problem) rows() int       { return len(p.Positive) }
func (p *Problem) components() int { return len(p.Kernels) }

// own returns the range of the components of the class of row t.
func (p *Problem) own(t int) (from, to int) {
	if p.Positive[t] {
		return 0, p.First
	}
	return p.First, len(p.Kernels)
}

// other returns the range of the components of the other class.
func (p *Problem) other(t int) (from, to int) {
	if p.Positive[t] {
		return p.First, len(p.Kernels)
	}
	return 0, p.First
}

// width is the largest number of components of a class.
func (p *Problem) width() int { return max(p.First, len(p.Kernels)-p.First) }

// hidden reports whether the own component of row t is neither observed nor the only one.
func (p *Problem) hidden(t int) bool {
	from, to := p.own(t)
	return to-from > 1 && (p.Observed == nil || p.Observed[t] == 0)
}

// AllObserved reports whether the components of all rows are known, so one projection is the
// whole problem.
func (p *Problem) AllObserved() bool {
	for t := range p.Positive {
		if p.hidden(t) {
			return false
		}
	}
	return true
}

const (
	chunkVariables = 512 // of a chunk, as far as that is leastRows rows or more
	leastRows      = 24
)

// ChunkBytes is the memory that chunks of a problem of so many rows take at most, with so many components
// of each class: some matrices of their variables.
func ChunkBytes(rows, width int) int64 {
	p := &Problem{Kernels: make([]int, 2*width), First: width}
	variables := int64(min(rows, p.chunkRows(true))*width + 2*width)
	return 8 * 6 * variables * variables
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

// entropy is H of a distribution. Parts of 0 have none.
func entropy(q []float64) float64 {
	h := 0.0
	for _, x := range q {
		if x > 0 {
			h -= x * math.Log(x)
		}
	}
	return h
}

// logSum is log sum exp of some numbers, of which there is one at least.
func logSum(s []float64) float64 {
	top := math.Inf(-1)
	for _, x := range s {
		top = max(top, x)
	}
	if math.IsInf(top, 0) {
		return top
	}
	sum := 0.0
	for _, x := range s {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}

// roundedTotal is what the total of a softmax of small scores may be off by.
const roundedTotal = 1e-12

// softmax writes exp(s) / sum exp(s) to q.
func softmax(s, q []float64) {
	level, total := logSum(s), 0.0
	for c, x := range s {
		q[c] = math.Exp(x - level)
		total += q[c]
	}
	// Scores as large as 1e9 have no digits left for the logarithm of the sum in their level. All parts are off by the
	// same factor then.
	if math.Abs(total-1) > roundedTotal {
		for c := range q {
			q[c] /= total
		}
	}
}

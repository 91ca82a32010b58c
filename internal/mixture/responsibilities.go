package mixture

import "math"

// responsibilities are the distributions q_t of the rows over the components of their own class, with their
// entropies H(q_t). After a change of a distribution in place, settle has to be called.
type responsibilities struct {
	*Problem
	all       []float64 // [row][place among own], rows of width() numbers
	entropies []float64 // H(q_t) of each row
}

// newResponsibilities returns distributions of zeros, which a start replaces.
func newResponsibilities(p *Problem) *responsibilities {
	return &responsibilities{p, make([]float64, p.rows()*p.width()), make([]float64, p.rows())}
}

// of returns q of row t.
func (q *responsibilities) of(t int) []float64 {
	from, to := q.own(t)
	return q.all[t*q.width():][:to-from]
}

// set takes q of all rows over.
func (q *responsibilities) set(all []float64) {
	copy(q.all, all)
	q.settle()
}

// settle computes the entropies.
func (q *responsibilities) settle() {
	for t := range q.entropies {
		q.entropies[t] = entropy(q.of(t))
	}
}

// observe sets q of the rows whose own component is known.
func (q *responsibilities) observe() {
	for t := range q.Positive {
		if q.hidden(t) {
			continue
		}
		own, on := q.of(t), 0
		if len(own) > 1 {
			on = int(q.Observed[t] - 1)
		}
		clear(own)
		own[on] = 1
	}
	q.settle()
}

// respond sets row t of to to the softmax of the scores of its own components, or to q where that is known. It
// returns the largest change of q.
func (q *responsibilities) respond(t int, scores, to []float64) (change float64) {
	before := q.of(t)
	after := to[t*q.width():][:len(before)]
	if !q.hidden(t) {
		copy(after, before)
		return 0
	}
	softmax(scores, after)
	for j, x := range before {
		change = max(change, math.Abs(after[j]-x))
	}
	return change
}

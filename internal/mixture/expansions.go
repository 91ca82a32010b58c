package mixture

// expansions are the functions f_c = K_c w_c of the components. w is linear in l once q is given; f is brought up
// to date by a pass over the rows, by whoever changes w.
type expansions struct {
	*Problem
	w []float64 // [component][row]
	f []float64 // [component][row]
}

// newExpansions returns functions that are 0 everywhere.
func newExpansions(p *Problem) *expansions {
	size := p.rows() * p.components()
	return &expansions{p, make([]float64, size), make([]float64, size)}
}

// weigh makes w of q and l.
func (x *expansions) weigh(q *responsibilities, l *shares) {
	n := x.rows()
	for t := range n {
		total := l.total(t)
		from, _ := x.own(t)
		// On its own components a row pulls the score up by l_t q_tc. On components of the other class
		// it pushes the score down by l_tc. Both sum to l_t, which is the weight of the row in the
		// margin.
		for j, part := range q.of(t) {
			x.w[(from+j)*n+t] = total * part
		}
		from, _ = x.other(t)
		for j, part := range l.of(t) {
			x.w[(from+j)*n+t] = -part
		}
	}
}

// level is the score of component c at row t without its multiplier: the logarithm of its density up to a constant.
func (x *expansions) level(c, t int) float64 {
	at := c*x.rows() + t
	return x.f[at] - x.Diagonal[at]/2
}

// norm is sum_c w_c'K_c w_c. If kernels are indefinite, it may be below 0.
func (x *expansions) norm() float64 {
	sum := 0.0
	for i, w := range x.w {
		sum += w * x.f[i]
	}
	return sum
}

// norms has w_c'K_c w_c of each component, at least 0.
func (x *expansions) norms() []float64 {
	n, norms := x.rows(), make([]float64, x.components())
	for c := range norms {
		for i := c * n; i < (c+1)*n; i++ {
			norms[c] += x.w[i] * x.f[i]
		}
		// Rounding, or an indefinite kernel, may give a small negative number, whose root is not real.
		norms[c] = max(norms[c], 0)
	}
	return norms
}

package chunking

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// The working-set problem:
//
//	max_d  G'd - 1/2 d'Hd   with  low <= d <= high,  sum d = 0.
//
// subproblem solves it by pairs of coordinates chosen by second-order information (Fan, Chen and Lin 2005, WSS 2), which
// finds out what stands at its bounds. Near p = 1, for p > 2 and at small gaps H is badly conditioned and pairs creep: then
// Newton steps on the free coordinates take over, in turn with bursts of pairs.
type subproblem struct {
	low, high []float64 // room of d
	d         []float64
	gain      []float64 // gradient of the objective at d
	diagonal  []float64
	free      []int
}

const (
	burst  = 10 // pair steps per coordinate between Newton steps
	rounds = 30 // bursts at most
	// tiny bounds the curvature of a pair from below, relative to the diagonal: duplicates have none.
	tiny  = 1e-14
	ridge = 1e-13 // added to the diagonal of the Newton system, relative to its mean
)

// solve starts from d = 0 and stops when no pair violates by more than tol. h: q x q, row-major; gradient: G.
func (p *subproblem) solve(gradient, h []float64, tol float64) {
	q := len(gradient)
	p.gain = append(p.gain[:0], gradient...)
	p.d = append(p.d[:0], make([]float64, q)...)
	p.diagonal = p.diagonal[:0]
	for i := range q {
		p.diagonal = append(p.diagonal, h[i*q+i])
	}
	for range rounds {
		for range burst * q {
			i, j := p.choose(h, tol)
			if j < 0 {
				return
			}
			p.move(h, i, j)
		}
		p.newton(h)
	}
}

// choose takes the steepest coordinate that can grow and the partner that gains most by the quadratic model.
func (p *subproblem) choose(h []float64, tol float64) (up, down int) {
	up, down = -1, -1
	best, worst := math.Inf(-1), math.Inf(1)
	for k, g := range p.gain {
		if g > best && p.d[k] < p.high[k] {
			up, best = k, g
		}
		if g < worst && p.d[k] > p.low[k] {
			worst = g
		}
	}
	if up < 0 || best-worst < tol {
		return up, -1
	}
	q := len(p.gain)
	row := h[up*q : (up+1)*q]
	most := 0.0
	for k, g := range p.gain {
		rise := best - g
		if rise <= 0 || p.d[k] <= p.low[k] {
			continue
		}
		curve := max(p.diagonal[up]+p.diagonal[k]-2*row[k], tiny*p.diagonal[up])
		if v := rise * rise / curve; v > most {
			down, most = k, v
		}
	}
	return up, down
}

// move takes the best step that raises d_i and lowers d_j alike.
func (p *subproblem) move(h []float64, i, j int) {
	q := len(p.gain)
	a, b := h[i*q:(i+1)*q], h[j*q:(j+1)*q]
	curve := max(p.diagonal[i]+p.diagonal[j]-2*a[j], tiny*p.diagonal[i], math.SmallestNonzeroFloat64)
	step := min((p.gain[i]-p.gain[j])/curve, p.high[i]-p.d[i], p.d[j]-p.low[j])
	p.d[i] = min(p.d[i]+step, p.high[i])
	p.d[j] = max(p.d[j]-step, p.low[j])
	for k := range p.gain {
		p.gain[k] -= step * (a[k] - b[k])
	}
}

// newton steps towards the maximum over the free coordinates with sum d kept, as far as their room goes:
// H_FF x = gain_F - mu, sum x = 0.
func (p *subproblem) newton(h []float64) {
	q := len(p.gain)
	p.free = p.free[:0]
	trace := 0.0
	for k := range q {
		if p.low[k] < p.d[k] && p.d[k] < p.high[k] {
			p.free = append(p.free, k)
			trace += p.diagonal[k]
		}
	}
	f := len(p.free)
	if f < 2 || trace == 0 {
		return
	}
	system := mat.NewSymDense(f, nil)
	right := mat.NewDense(f, 2, nil)
	for a, i := range p.free {
		for b, j := range p.free[a:] {
			system.SetSym(a, a+b, h[i*q+j])
		}
		system.SetSym(a, a, h[i*q+i]+ridge*trace/float64(f))
		right.Set(a, 0, p.gain[i])
		right.Set(a, 1, 1)
	}
	var factor mat.Cholesky
	var x mat.Dense
	if !factor.Factorize(system) || factor.SolveTo(&x, right) != nil {
		return // rounding made it indefinite or nearly so: pairs go on alone
	}
	gain, one := 0.0, 0.0
	for a := range f {
		gain += x.At(a, 0)
		one += x.At(a, 1)
	}
	mu := gain / one
	step := make([]float64, f)
	length := 1.0
	for a, i := range p.free {
		step[a] = x.At(a, 0) - mu*x.At(a, 1)
		switch {
		case step[a] > 0:
			length = min(length, (p.high[i]-p.d[i])/step[a])
		case step[a] < 0:
			length = min(length, (p.low[i]-p.d[i])/step[a])
		}
	}
	for a, i := range p.free {
		s := length * step[a]
		p.d[i] = min(max(p.d[i]+s, p.low[i]), p.high[i])
		for k, v := range h[i*q : (i+1)*q] {
			p.gain[k] -= s * v
		}
	}
}

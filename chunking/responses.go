package chunking

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// responses solves the problem of a working set of q points for a Differentiable loss,
//
//	max_d  lin(alpha + d) - ghat'd - 1/2 d'Hd   with  sum d = 0,
//
// where H is the quadratic model without the loss. The curvature of lin is infinite at the bounds: a step of Newton there
// would be short or leave the box. The primal problem has no bounds. With f(d, b) = ghat + Hd + b it is
//
//	min_(d,b)  phi = sum_i (loss_i(f_i) + alpha_i f_i) + 1/2 d'Hd,
//
// and the dual variables of its optimum are the responses a_i = -loss_i'(f_i). The bias b is the best one for each d, with
// which the responses have the sum of alpha. With W = diag(loss”(f)) and r = a - alpha - d, the step x of d is Newton's:
//
//	x = r - W^(1/2) v,   (1 + W^(1/2) H W^(1/2)) v = W^(1/2) (Hr + db 1),   sum x = 0.
//
// The eigenvalues of this system are 1 or more, however near alpha is to its bounds (Rasmussen and Williams 2006,
// Algorithm 3.1).
type responses struct {
	loss   Differentiable
	set    []int
	origin []float64      // alpha on the set
	offset []float64      // ghat on the set
	h      blas64.General // H
	total  float64        // sum of alpha on the set

	system []float64 // memory of the Newton system, q x q

	at, trial primalPoint
}

// primalPoint is a point of the primal problem of a working set, with what follows from it.
type primalPoint struct {
	d, hd    []float64 // the change of the dual variables, and H d
	bias     float64
	response []float64
	weight   []float64 // the second derivative of the loss
	phi      float64
}

const (
	responseSteps = 40 // Newton steps at most
	// responseEnd is the share of phi, which falls to what the dual gains on the set: a step that promises less is the last.
	responseEnd = 1e-3
	// decrease is the share of the promised decrease that a step has to bring, or it is halved, responseHalvings times at most.
	decrease         = 1e-4
	responseHalvings = 30
)

// solveResponses returns the change of the dual variables of the set that is best by the model h, q x q and row-major, where
// the gradient of the rest of the dual is ascent, which is -ghat. bias is where the search for the best bias begins.
func (s setStep) solveResponses(l Differentiable, ascent, h []float64, bias float64) []float64 {
	q := len(s.set)
	s.system = resized(s.system, q*q)
	p := &responses{loss: l, set: s.set, h: blas64.General{Rows: q, Cols: q, Stride: q, Data: h}, system: s.system}
	s.inner.diagonal = s.inner.diagonal[:0]
	for k, i := range s.set {
		p.origin, p.offset = append(p.origin, s.alpha[i]), append(p.offset, -ascent[k])
		p.total += s.alpha[i]
		s.inner.diagonal = append(s.inner.diagonal, h[k*q+k])
	}
	p.at, p.trial = newPrimalPoint(q), newPrimalPoint(q)
	p.at.bias = bias
	p.evaluate(&p.at)
	p.descend()
	return p.change()
}

// change returns the change of the dual variables at the end of the descent. There d and the responses less alpha are equal except
// for what the descent has left. Where the weight of a point times H_kk is above 1, that is better in d: a small change of
// the variable changes f by much. Elsewhere, and where d leads out of the box, it is better in the response. What this leaves of
// the sum goes to the variable with the largest weight, or to all if its box has no room for it.
func (p *responses) change() []float64 {
	sum, heaviest, q := 0.0, 0, len(p.set)
	for k, i := range p.set {
		low, high := p.loss.Box(i)
		a := p.origin[k] + p.at.d[k]
		if !(a > low && a < high && p.at.weight[k]*p.h.Data[k*q+k] > 1) {
			p.at.d[k] = p.at.response[k] - p.origin[k]
		}
		sum += p.at.d[k]
		if p.at.weight[k] > p.at.weight[heaviest] {
			heaviest = k
		}
	}
	// A descent that ended far from the optimum may leave more than one variable has room for.
	low, high := p.loss.Box(p.set[heaviest])
	if a := p.origin[heaviest] + p.at.d[heaviest] - sum; low <= a && a <= high {
		p.at.d[heaviest] -= sum
	} else {
		p.spread(sum)
	}
	return p.at.d
}

// spread lowers the sum of the changes by the given amount, which may be negative. Each variable goes the same share of its way to
// its bound. Together the ways are at least as long as the amount, because no change at all has the sum 0 and stays in the box.
func (p *responses) spread(sum float64) {
	ways, room := make([]float64, len(p.set)), 0.0
	for k, i := range p.set {
		low, high := p.loss.Box(i)
		a := p.origin[k] + p.at.d[k]
		if ways[k] = max(a-low, 0); sum < 0 {
			ways[k] = max(high-a, 0)
		}
		room += ways[k]
	}
	if room == 0 {
		return // The amount is rounding.
	}
	for k, way := range ways {
		p.at.d[k] -= sum * (way / room)
	}
}

// newPrimalPoint returns the point where nothing has moved.
func newPrimalPoint(q int) primalPoint {
	all := make([]float64, 4*q)
	return primalPoint{d: all[:q], hd: all[q : 2*q], response: all[2*q : 3*q], weight: all[3*q:]}
}

// evaluate finds the best bias of a point, from the one it has, and what follows from it.
func (p *responses) evaluate(s *primalPoint) {
	slopeAt := func(bias float64) (slope, total float64) {
		slope = p.total
		for k, i := range p.set {
			a, w := p.loss.Respond(i, p.offset[k]+s.hd[k]+bias)
			slope, total = slope-a, total+w
		}
		return slope, total
	}
	low, high := BiasBeyond(s.bias, -1, 1, slopeAt), BiasBeyond(s.bias, 1, 1, slopeAt)
	s.bias = BestBias(low, high, s.bias, slopeAt)
	s.phi = 0
	for k, i := range p.set {
		f := p.offset[k] + s.hd[k] + s.bias
		s.response[k], s.weight[k] = p.loss.Respond(i, f)
		s.phi += p.loss.Excess(i, p.origin[k], f) + s.d[k]*s.hd[k]/2
	}
}

// descend takes Newton steps from a point that has been evaluated.
func (p *responses) descend() {
	for range responseSteps {
		x, hx, promised := p.newton()
		if !(promised > visible*p.at.phi) || !p.along(x, hx, promised) || promised <= responseEnd*p.at.phi {
			return
		}
	}
}

// along goes as far along a step as phi falls by enough. It returns false if it does not.
func (p *responses) along(x, hx []float64, promised float64) bool {
	length := 1.0
	for range responseHalvings {
		for k, v := range x {
			p.trial.d[k], p.trial.hd[k] = p.at.d[k]+length*v, p.at.hd[k]+length*hx[k]
		}
		p.trial.bias = p.at.bias
		if p.evaluate(&p.trial); p.trial.phi <= p.at.phi-decrease*length*promised {
			p.at, p.trial = p.trial, p.at
			return true
		}
		length /= 2
	}
	return false
}

// newton returns the step x, H x, and the decrease of phi by x in the first order. That is 0 if rounding has made the system
// indefinite.
func (p *responses) newton() (x, hx []float64, promised float64) {
	q, system := len(p.set), p.system
	rest, root := make([]float64, q), make([]float64, q)
	for k, a := range p.at.response {
		rest[k], root[k] = a-p.origin[k]-p.at.d[k], math.Sqrt(p.at.weight[k])
	}
	for i, w := range root {
		from, to := p.h.Data[i*q:(i+1)*q], system[i*q:(i+1)*q]
		for j := i; j < q; j++ {
			to[j] = w * from[j] * root[j]
		}
		to[i]++
	}
	factor, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: q, Stride: q, Data: system})
	if !ok {
		return nil, nil, 0
	}
	hr := p.times(rest)
	// v is linear in db: the part that belongs to Hr, and the part that belongs to 1.
	v, ones := make([]float64, q), make([]float64, q)
	for k, w := range root {
		v[k], ones[k] = w*hr[k], w
	}
	gap, answer := 0.0, 0.0
	for _, y := range [][]float64{v, ones} {
		z := blas64.Vector{N: q, Inc: 1, Data: y}
		blas64.Trsv(blas.Trans, factor, z)
		blas64.Trsv(blas.NoTrans, factor, z)
	}
	for k, w := range root {
		gap, answer = gap+rest[k]-w*v[k], answer+w*ones[k]
	}
	db := 0.0
	if answer > 0 {
		db = gap / answer
	}
	x = make([]float64, q)
	for k, w := range root {
		x[k] = rest[k] - w*(v[k]+db*ones[k])
	}
	for k, g := range hr {
		promised += g * x[k]
	}
	return x, p.times(x), promised
}

// times returns H x.
func (p *responses) times(x []float64) []float64 {
	y := make([]float64, len(x))
	blas64.Gemv(blas.NoTrans, 1, p.h, blas64.Vector{N: len(x), Inc: 1, Data: x}, 0, blas64.Vector{N: len(x), Inc: 1, Data: y})
	return y
}

package chunking

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// ridge is added to the diagonal of the Newton system, relative to its mean. With less, rounding
// undoes the step.
const ridge = 1e-11

// newton takes Newton steps over the free coordinates. A coordinate that runs into its bound is
// pinned there and the step is repeated without it: one coordinate next to its bound would stop all
// others.
func (p *subproblem) newton(h []float64) {
	p.free = p.free[:0]
	for k := range p.gain {
		if low, high := p.piece(k); low < p.d[k] && p.d[k] < high && (p.kink == 0 || p.place(k) != 0) {
			p.free = append(p.free, k)
		}
	}
	for range blockers(len(p.free)) {
		step, ok := p.direction(h)
		if !ok {
			return
		}
		length, blocker, bounds := 1.0, -1, [2]float64{}
		for a, i := range p.free {
			low, high := p.piece(i)
			room := high - p.d[i]
			if step[a] < 0 {
				room = low - p.d[i]
			}
			if step[a] != 0 && room/step[a] < length {
				length, blocker, bounds = room/step[a], a, [2]float64{low, high}
			}
		}
		p.advance(h, step, length)
		if blocker < 0 {
			return
		}
		i := p.free[blocker]
		p.d[i] = bounds[0]
		if step[blocker] > 0 {
			p.d[i] = bounds[1]
		}
		p.free = slices.Delete(p.free, blocker, blocker+1)
	}
}

// blockers is the number of coordinates that one round of Newton steps over f coordinates may pin
// to their bounds. Each costs a factorisation of f^3 operations, so that a large f allows only a
// few.
func blockers(f int) int {
	const least, work = 20, 1 << 30
	return max(least, min(f, work/max(1, f*f*f)))
}

// direction solves for the maximum over the free coordinates F with sum d kept,
//
//	H_FF x = gain_F - mu 1,   sum x = 0,
//
// by putting x_r = -sum_(a != r) x_a for a point r of F:
//
//	S_ab = H_ab - H_ar - H_rb + H_rr,   S x = gain_a - gain_r   (a, b in F without r).
//
// S holds products of the differences from point r. So it is positive semidefinite where H is so only
// on directions of sum 0, as it is where k - 1 stands for a wide kernel. Point r is the one with the
// least H_rr, from which the fewest digits are lost. It returns false if there is nothing to solve or
// if rounding has made S indefinite; pairs go on alone then.
func (p *subproblem) direction(h []float64) ([]float64, bool) {
	f, q := len(p.free)-1, len(p.gain)
	if f < 1 {
		return nil, false
	}
	last := 0 // the place of r in F
	for a, i := range p.free {
		if p.diagonal[i] < p.diagonal[p.free[last]] {
			last = a
		}
	}
	p.others = append(append(p.others[:0], p.free[:last]...), p.free[last+1:]...)
	r := p.free[last]
	reference, base := h[r*q:(r+1)*q], p.gain[r]+p.kinked(r)
	p.system, p.right = resized(p.system, f*f), resized(p.right, f)
	trace := 0.0
	for a, i := range p.others {
		row, shift := h[i*q:(i+1)*q], reference[r]-reference[i]
		for b, j := range p.others[a:] {
			p.system[a*f+a+b] = row[j] - reference[j] + shift
		}
		trace += p.system[a*f+a]
		p.right[a] = p.gain[i] + p.kinked(i) - base
	}
	if trace <= 0 {
		return nil, false
	}
	for a := range f {
		p.system[a*f+a] += ridge * trace / float64(f)
	}
	factor, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: f, Stride: f, Data: p.system})
	if !ok {
		return nil, false // rounding made it indefinite: pairs go on alone
	}
	x := blas64.Vector{N: f, Inc: 1, Data: p.right}
	blas64.Trsv(blas.Trans, factor, x)
	blas64.Trsv(blas.NoTrans, factor, x)
	sum := 0.0
	for _, v := range p.right {
		sum += v
	}
	return slices.Insert(slices.Clone(p.right), last, -sum), true
}

// kinked is what the kink adds to the gain of a coordinate that is not at it.
func (p *subproblem) kinked(k int) float64 {
	if p.kink == 0 {
		return 0
	}
	return -math.Copysign(p.kink, p.place(k))
}

// advance moves the free coordinates by a share of the step, and renews the gains.
func (p *subproblem) advance(h []float64, step []float64, length float64) {
	q := len(p.gain)
	for a, i := range p.free {
		s := length * step[a]
		low, high := p.piece(i)
		p.d[i] = min(max(p.d[i]+s, low), high)
		for k, v := range h[i*q : (i+1)*q] {
			p.gain[k] -= s * v
		}
	}
}

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

// direction solves for the maximum over the free coordinates F with sum d kept:
//
//	H_FF x = gain_F - mu 1,   sum x = 0.
//
// It solves for gain_F and for 1 with one factor and takes mu from the sums of both. It returns
// false if there is nothing to solve or rounding has made H_FF indefinite; pairs go on alone then.
func (p *subproblem) direction(h []float64) ([]float64, bool) {
	f, q := len(p.free), len(p.gain)
	trace := 0.0
	for _, i := range p.free {
		trace += p.diagonal[i]
	}
	if f < 2 || trace == 0 {
		return nil, false
	}
	p.system, p.right = slices.Grow(p.system[:0], f*f)[:f*f], slices.Grow(p.right[:0], 2*f)[:2*f]
	for a, i := range p.free {
		row := h[i*q : (i+1)*q]
		for b, j := range p.free[a:] {
			p.system[a*f+a+b] = row[j]
		}
		p.system[a*f+a] += ridge * trace / float64(f)
		p.right[a], p.right[f+a] = p.gain[i]+p.kinked(i), 1
	}
	factor, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: f, Stride: f, Data: p.system})
	if !ok {
		return nil, false // rounding made it indefinite: pairs go on alone
	}
	x, ones := p.right[:f], p.right[f:]
	for _, v := range [2][]float64{x, ones} {
		blas64.Trsv(blas.Trans, factor, blas64.Vector{N: f, Inc: 1, Data: v})
		blas64.Trsv(blas.NoTrans, factor, blas64.Vector{N: f, Inc: 1, Data: v})
	}
	gain, one := 0.0, 0.0
	for a := range f {
		gain += x[a]
		one += ones[a]
	}
	mu, left := gain/one, 0.0
	step := make([]float64, f)
	for a := range step {
		step[a] = x[a] - mu*ones[a]
		// The system is badly conditioned, and rounding leaves a sum that is not 0: it is spread
		// over all.
		left += step[a] / float64(f)
	}
	for a := range step {
		step[a] -= left
	}
	return step, true
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

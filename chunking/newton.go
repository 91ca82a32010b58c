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

// mostFree is the number of free coordinates up to which a large set takes Newton steps: more of them
// take longer to factorise than rows to compute.
const mostFree = 1024

// ModelBytes bounds the memory of the quadratic model of a working set of q points and of what solves it: the model, the
// part of it that has moved, and for both of these a system of the free coordinates with its factor.
func ModelBytes(q int) int64 {
	all, free := int64(q)*int64(q), int64(mostFree)*mostFree
	return 8 * min(4*all, 2*all+4*free)
}

// factorings is the number of times that one round of Newton steps over f coordinates may factorise
// its system. Each takes f^3 operations, so a large f allows only a few.
func factorings(f int) int {
	const least, work = 20, 1 << 30
	return max(least, min(f, work/max(1, f*f*f)))
}

// newton takes Newton steps over the free coordinates. A coordinate that runs into its bound is
// pinned there, and the next step is one without it: one coordinate next to its bound would stop all
// others.
func (p *subproblem) newton(h *hessian) {
	p.free = p.free[:0]
	for k := range p.gain {
		if low, high := p.piece(k); low < p.d[k] && p.d[k] < high && (!p.inPieces() || p.place(k) != 0) {
			p.free = append(p.free, k)
		}
	}
	if p.large && len(p.free) > mostFree {
		return
	}
	for range factorings(len(p.free)) {
		if !p.factorise(h) {
			return
		}
		for pinned := p.stepToBound(h); pinned != p.reference; pinned = p.stepToBound(h) {
			if pinned < 0 {
				return
			}
		}
	}
}

// stepToBound takes the Newton step of the system, or the part of it that the first bound allows.
// Then it pins that coordinate there, takes it out of the system and returns it. It returns -1 if
// the step was a whole one or if there is nothing left to solve.
func (p *subproblem) stepToBound(h *hessian) (pinned int) {
	if len(p.free) < 2 {
		return -1
	}
	step := p.direction()
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
		return -1
	}
	pinned = p.free[blocker]
	p.d[pinned] = bounds[0]
	if step[blocker] > 0 {
		p.d[pinned] = bounds[1]
	}
	if last := len(p.free) - 1; blocker < last {
		deleteFromFactor(p.factor, blocker)
		p.factor.N--
	}
	p.free = slices.Delete(p.free, blocker, blocker+1)
	return pinned
}

// factorise makes and factorises the system that direction solves. The last of the free coordinates
// becomes point r, the reference. It returns false if there is nothing to solve or if rounding has
// made S indefinite; pairs go on alone then.
func (p *subproblem) factorise(h *hessian) bool {
	f := len(p.free) - 1
	if f < 1 {
		return false
	}
	last := 0
	for a, i := range p.free {
		if p.diagonal[i] < p.diagonal[p.free[last]] {
			last = a
		}
	}
	r := p.free[last]
	p.free = append(slices.Delete(p.free, last, last+1), r)
	p.reference = r
	reference := h.row(r)
	p.system = resized(p.system, f*f)
	trace := 0.0
	for a, i := range p.free[:f] {
		row, shift := h.row(i), reference[r]-reference[i]
		for b, j := range p.free[a:f] {
			p.system[a*f+a+b] = row[j] - reference[j] + shift
		}
		trace += p.system[a*f+a]
	}
	if trace <= 0 {
		return false
	}
	for a := range f {
		p.system[a*f+a] += ridge * trace / float64(f)
	}
	var ok bool
	p.factor, ok = lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: f, Stride: f, Data: p.system})
	return ok
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
// on directions of sum 0, as it is where k - 1 represents a wide kernel. Point r is the one with the
// least H_rr, from which the fewest digits are lost. x is in the order of the free coordinates, of
// which r is the last.
func (p *subproblem) direction() []float64 {
	f := p.factor.N
	p.right = resized(p.right, f+1)
	base := p.gain[p.reference] + p.kinkedGain(p.reference)
	for a, i := range p.free[:f] {
		p.right[a] = p.gain[i] + p.kinkedGain(i) - base
	}
	x := blas64.Vector{N: f, Inc: 1, Data: p.right}
	blas64.Trsv(blas.Trans, p.factor, x)
	blas64.Trsv(blas.NoTrans, p.factor, x)
	sum := 0.0
	for _, v := range p.right[:f] {
		sum += v
	}
	p.right[f] = -sum
	return p.right
}

// deleteFromFactor turns the Cholesky factor U of S = U'U, N x N, into that of S without row and
// column k, N-1 x N-1 in the same rows. U without its column k has one entry below the diagonal in
// each of the columns behind, and rotations of two rows take these away: 3 (N-k)^2 operations in
// place of the N^3/3 of another factorisation.
func deleteFromFactor(u blas64.Triangular, k int) {
	n := u.N
	row := func(i int) []float64 { return u.Data[i*u.Stride : i*u.Stride+n] }
	for i := range n {
		from := max(k, i-1)
		copy(row(i)[from:], row(i)[from+1:])
	}
	for j := k; j < n-1; j++ {
		upper, lower := row(j)[j:n-1], row(j + 1)[j:n-1]
		size := math.Hypot(upper[0], lower[0])
		c, s := upper[0]/size, lower[0]/size
		for l, x := range upper {
			y := lower[l]
			upper[l], lower[l] = c*x+s*y, c*y-s*x
		}
	}
}

// advance moves the free coordinates by a share of the step, and renews the gains.
func (p *subproblem) advance(h *hessian, step []float64, length float64) {
	for a, i := range p.free {
		s := length * step[a]
		low, high := p.piece(i)
		p.d[i] = min(max(p.d[i]+s, low), high)
		for k, v := range h.row(i) {
			p.gain[k] -= s * v
		}
	}
}

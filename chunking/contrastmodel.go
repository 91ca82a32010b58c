package chunking

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// The model of a working set of contrasts: with x_u the change of contrast u = (i,l), and d that of
// the columns, which follows from x,
//
//	max  ascent'd - 1/2 d'(I x A + G'RG - back ghat ghat')d,   low <= x <= high,   1'd_c = r_c,
//
// where r is what the sums of all columns lack. The K sums have multipliers, the biases, and a
// penalty (Hestenes 1969): under these the problem has bounds alone, which Newton steps on its free
// contrasts solve (contrastface.go). Steps for the multipliers follow from what is left of the sums.
// The solution is moved by that little bit onto the sums, as the dual value is a bound there alone.

// contrastModel is the model and its solution. Contrast u = k K + c compares point k of the set
// with class c; a point has no contrast with its own class. Vectors over the columns are
// [column][point].
type contrastModel struct {
	*columnModel
	points    []int
	own       []int     // class of each point
	cost      []float64 // C of each point
	low, high []float64 // of x
	x         []float64
	ascent    []float64 // over the columns, at x = 0
	lack      []float64 // r
	level     []float64 // multipliers: the biases
	penalty   float64

	slope []float64 // over the columns: ascent less the model's matrix times d
	gain  []float64 // of each contrast: with multipliers and penalty
	face  contrastFace
}

const (
	contrastRounds = 25    // of multipliers
	mostPenalties  = 100   // by which a Newton step for a multiplier may exceed that of the penalty
	sumsLeft       = 1e-2  // share of the tolerance that gains may be off by what is left of sums
	sumsShare      = 1e-7  // of a step that may be left of a sum
	sumsRounded    = 1e-13 // what rounding leaves of it, as a share of sum |alpha|
)

// model makes the model of the working set in hand, which has these points.
func (s contrastStep) model(ctx context.Context, points []int, bias []float64) (*contrastModel, error) {
	q, n, k := len(points), len(s.alpha)/s.columns, s.columns
	shared, err := s.sharedModel(ctx, q)
	if err != nil {
		return nil, err
	}
	m := &contrastModel{columnModel: shared, points: points, level: slices.Clone(bias)}
	m.low, m.high, m.x = make([]float64, q*k), make([]float64, q*k), make([]float64, q*k)
	m.gain, m.slope = make([]float64, q*k), make([]float64, q*k)
	for _, i := range s.set {
		m.ascent = append(m.ascent, s.ascent[i])
	}
	for at, i := range points {
		m.own, m.cost = append(m.own, s.contrasts.Own(i)), append(m.cost, s.contrasts.Cost(i))
		for c := range k {
			if c != m.own[at] {
				a := -s.alpha[c*n+i]
				m.low[at*k+c], m.high[at*k+c] = -a, m.cost[at]-a
			}
		}
		m.penalty += m.a.Data[at*q+at] / float64(q)
	}
	for c := range k {
		sum, size := 0.0, 0.0
		for _, a := range s.alpha[c*n : (c+1)*n] {
			sum += a
			size += math.Abs(a)
		}
		// A step that takes back rounding of the sum itself would be rounding as well.
		if math.Abs(sum) <= sumsRounded*size {
			sum = 0
		}
		m.lack = append(m.lack, -sum)
	}
	return m, nil
}

// step is the change of the columns that x represents, such that the changes of a point sum to 0.
func (m *contrastModel) step() []float64 {
	d := make([]float64, m.columns*m.q)
	for k, y := range m.own {
		sum := 0.0
		for c, x := range m.x[k*m.columns : (k+1)*m.columns] {
			if c != y {
				d[c*m.q+k] = -x
				sum += x
			}
		}
		d[y*m.q+k] = sum
	}
	return d
}

// room is the longest step along x that the bounds allow, at least 1.
func (m *contrastModel) room() float64 {
	room := longest
	for u, x := range m.x {
		switch {
		case x > 0:
			room = min(room, m.high[u]/x)
		case x < 0:
			room = min(room, m.low[u]/x)
		}
	}
	return max(1, room)
}

// missing gives what the step d leaves of each sum.
func (m *contrastModel) missing(d []float64) []float64 {
	left := make([]float64, m.columns)
	for c := range left {
		left[c] = -m.lack[c]
		for _, x := range d[c*m.q : (c+1)*m.q] {
			left[c] += x
		}
	}
	return left
}

// renew computes slope and gain at x.
func (m *contrastModel) renew() {
	d := m.step()
	m.times(m.slope, d)
	for v, x := range m.slope {
		m.slope[v] = m.ascent[v] - x
	}
	left := m.missing(d)
	for k, y := range m.own {
		own := m.slope[y*m.q+k] - m.level[y] - m.penalty*left[y]
		for c, b := range m.level {
			if c != y {
				m.gain[k*m.columns+c] = own - (m.slope[c*m.q+k] - b - m.penalty*left[c])
			}
		}
	}
}

// open reports whether contrast u can go where it gains.
func (m *contrastModel) open(u int) bool {
	return m.gain[u] > 0 && m.x[u] < m.high[u] || m.gain[u] < 0 && m.x[u] > m.low[u]
}

// inside reports whether contrast u is inside its bounds.
func (m *contrastModel) inside(u int) bool { return m.low[u] < m.x[u] && m.x[u] < m.high[u] }

// ends gives the point of contrast u, the point's own class, and the other class.
func (m *contrastModel) ends(u int) (k, own, other int) {
	k = u / m.columns
	return k, m.own[k], u % m.columns
}

// solve finds the maximum, until no contrast that can move gains by more than the tolerance.
func (m *contrastModel) solve(tolerance float64) {
	was, fine := math.Inf(1), tolerance
	// Far from the optimum a coarse solution will do.
	steps, enough := 0, factorings(m.q*(m.columns-1))
	var before, undone []float64 // multipliers and what was left before a Newton step for them
	for range contrastRounds {
		for ; steps < enough; steps++ {
			m.renew()
			if !m.face.ascend(m, fine) {
				break
			}
		}
		d := m.step()
		left, size := m.missing(d), 0.0
		for _, x := range d {
			size += math.Abs(x)
		}
		most := max(slices.Max(left), -slices.Min(left))
		// Near p = 1 the curvature along what is taken back may be 10^9 times that of the step.
		if m.penalty*most <= sumsLeft*tolerance && most <= sumsShare*size || steps == enough {
			break
		}
		// What is left of the sums is no more than the tolerance of the gains lets it be.
		fine = min(fine, max(sumsShare*tolerance, m.penalty*most/10))
		if newton := most < was/2; newton {
			before, undone = slices.Clone(m.level), slices.Clone(left)
			m.raise(left, true)
		} else {
			// The face that the last Newton step went by is not the one that it came to.
			if before != nil {
				copy(m.level, before)
				left, before = undone, nil
			}
			m.raise(left, false)
		}
		was = most
	}
	m.repair()
	if slices.ContainsFunc(m.x, func(x float64) bool { return !(math.Abs(x) <= farthest) }) {
		clear(m.x)
	}
}

// raise moves the multipliers by what is left of the sums: by the penalty, or by a Newton step, which
// asks how the sums answer to the multipliers on the face in hand.
func (m *contrastModel) raise(left []float64, newton bool) {
	step := blas64.Vector{N: len(left), Inc: 1, Data: slices.Clone(left)}
	if !newton || !m.answer(step) {
		blas64.Scal(m.penalty, step)
	}
	add(m.level, 1, step.Data)
}

// answer replaces what is left of the sums by the change of the multipliers that takes it back where
// what is inside its bounds stays there: with S the sums of those contrasts, (S H^-1 S')^-1 left. It
// returns false where there is no such change.
func (m *contrastModel) answer(left blas64.Vector) bool {
	f, k := &m.face, m.columns
	if f.choose(m); len(f.at) == 0 {
		return false
	}
	f.fill(m)
	if f.insiders(m); len(f.inside) == 0 || !f.factorise() {
		return false
	}
	n := len(f.inside)
	s := blas64.General{Rows: k, Cols: n, Stride: n, Data: make([]float64, k*n)}
	for r, a := range f.inside {
		_, y, l := m.ends(f.at[a])
		s.Data[y*n+r], s.Data[l*n+r] = 1, -1
	}
	blas64.Trsm(blas.Right, blas.NoTrans, 1, f.factor, s)
	t := blas64.Symmetric{Uplo: blas.Upper, N: k, Stride: k, Data: make([]float64, k*k)}
	blas64.Syrk(blas.NoTrans, 1, s, 0, t)
	// What is the same for all biases changes nothing, and of a class that has no contrast inside the
	// penalty is more informative than the face.
	for c := range k {
		t.Data[c*k+c] += 1 / (mostPenalties * m.penalty)
		for d := c; d < k; d++ {
			t.Data[c*k+d] += 1 / (m.penalty * float64(k))
		}
	}
	root, ok := lapack64.Potrf(t)
	if ok {
		blas64.Trsv(blas.Trans, root, left)
		blas64.Trsv(blas.NoTrans, root, left)
	}
	return ok
}

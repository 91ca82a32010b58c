package chunking

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// contrastFace is the part of the problem of a model that some of its contrasts F make, those that
// can go where they gain or are inside their bounds, with the others held:
//
//	H_uv = (A_ij + penalty) e_u'e_v + z_u'R z_v - back (..),   e_u = 1 at the own class, -1 at l,
//
// with z_u the difference of two columns of G. Sweeps over one contrast after the other find out what
// lies at its bounds, and Newton steps over those inside solve what sweeps creep along.
type contrastFace struct {
	at     []int     // F
	h      []float64 // H
	gain   []float64 // of F
	inside []int     // the places in F of what a Newton step moves
	factor blas64.Triangular
	data   []float64 // of the factor

	filled, factored []int // F and the places that h and the factor are of; nil: of none
}

const (
	// faceContrasts is the most contrasts that are solved together. A factor of them takes the third
	// power.
	faceContrasts = 512
	faceSweeps    = 30 // before each Newton step
	// projected is the share of what a projected step promises that it has to keep.
	projected = 0.25
)

// choose takes up the contrasts that can move, and if these are too many those that gain most. It
// returns the largest gain of any that is open.
func (f *contrastFace) choose(m *contrastModel) (steepest float64) {
	f.at = f.at[:0]
	for u, g := range m.gain {
		open := m.open(u)
		if open {
			steepest = max(steepest, math.Abs(g))
		}
		if open || m.inside(u) {
			f.at = append(f.at, u)
		}
	}
	if len(f.at) > faceContrasts {
		slices.SortStableFunc(f.at, func(u, v int) int {
			return cmp.Compare(math.Abs(m.gain[v]), math.Abs(m.gain[u]))
		})
		f.at = f.at[:faceContrasts]
		slices.Sort(f.at)
	}
	return steepest
}

// ascend solves the problem of the contrasts that can move nearly, until none gains by more than the
// tolerance. It returns false where none does at the start, or nothing can be done about it.
func (f *contrastFace) ascend(m *contrastModel, tolerance float64) bool {
	if !(f.choose(m) > tolerance) {
		return false
	}
	f.fill(m)
	f.gain = f.gain[:0]
	for _, u := range f.at {
		f.gain = append(f.gain, m.gain[u])
	}
	moved := false
	for range faceSweeps {
		most := f.sweep(m)
		moved = moved || most > 0
		if most <= tolerance {
			break
		}
	}
	f.insiders(m)
	if len(f.inside) > 0 && f.factorise() {
		moved = f.project(m) || f.follow(m) || moved
	}
	return moved
}

// fill computes H, of which both halves are kept.
func (f *contrastFace) fill(m *contrastModel) {
	n, q := len(f.at), m.q
	if slices.Equal(f.filled, f.at) {
		return
	}
	f.filled, f.factored = append(f.filled[:0], f.at...), nil
	f.h = resized(f.h, n*n)
	for a, u := range f.at {
		i, y, l := m.ends(u)
		row := f.h[a*n : (a+1)*n]
		for b := a; b < n; b++ {
			j, z, o := m.ends(f.at[b])
			e := 0.0
			if y == z {
				e++
			}
			if y == o {
				e--
			}
			if l == z {
				e--
			}
			if l == o {
				e++
			}
			if e != 0 {
				e *= m.a.Data[min(i, j)*q+max(i, j)] + m.penalty
			}
			row[b] = e
		}
	}
	h := blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: f.h}
	for _, t := range m.differences(f.at) {
		blas64.Syr(t.factor, blas64.Vector{N: n, Inc: 1, Data: t.z}, h)
	}
	for a := range n {
		for b := range a {
			f.h[a*n+b] = f.h[b*n+a]
		}
	}
}

// rankOne is a term factor z z' of H.
type rankOne struct {
	factor float64
	z      []float64
}

// differences gives the terms by which the weights answer, over some contrasts.
func (m *contrastModel) differences(at []int) (terms []rankOne) {
	of := func(factor float64, g []float64) {
		z := make([]float64, len(at))
		for a, u := range at {
			k, y, l := m.ends(u)
			z[a] = g[y*m.q+k] - g[l*m.q+k]
		}
		terms = append(terms, rankOne{factor, z})
	}
	for r, factor := range m.rank {
		of(factor, m.g.Data[r*m.g.Stride:r*m.g.Stride+m.g.Cols])
	}
	if m.ghat != nil && m.back != 0 {
		of(-m.back, m.ghat)
	}
	return terms
}

// sweep moves every contrast of F in turn to where it gains no more, or to its bound. It returns the
// largest gain that one could move by.
func (f *contrastFace) sweep(m *contrastModel) (most float64) {
	n := len(f.at)
	for a, u := range f.at {
		g, curve := f.gain[a], f.h[a*n+a]
		if g == 0 || !(curve > 0) {
			continue
		}
		was := m.x[u]
		m.x[u] = min(max(was+g/curve, m.low[u]), m.high[u])
		if d := m.x[u] - was; d != 0 {
			most = max(most, math.Abs(g))
			blas64.Axpy(-d, blas64.Vector{N: n, Inc: 1, Data: f.h[a*n : (a+1)*n]},
				blas64.Vector{N: n, Inc: 1, Data: f.gain})
		}
	}
	return most
}

// insiders lists the contrasts of F that are inside their bounds.
func (f *contrastFace) insiders(m *contrastModel) {
	f.inside = f.inside[:0]
	for a, u := range f.at {
		if m.inside(u) {
			f.inside = append(f.inside, a)
		}
	}
}

// factorise makes the factor of H over the contrasts inside their bounds.
func (f *contrastFace) factorise() bool {
	n, k, trace := len(f.at), len(f.inside), 0.0
	if f.factored != nil && slices.Equal(f.factored, f.inside) {
		return true
	}
	f.factored = nil
	for _, a := range f.inside {
		trace += f.h[a*n+a]
	}
	for share := ridge; share < 1; share *= 100 {
		f.data = resized(f.data, k*k)
		for r, a := range f.inside {
			for c := r; c < k; c++ {
				f.data[r*k+c] = f.h[a*n+f.inside[c]]
			}
			f.data[r*k+r] += share * trace / float64(k)
		}
		var ok bool
		f.factor, ok = lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: k, Stride: k, Data: f.data})
		if ok {
			f.factored = slices.Clone(f.inside)
			return true
		}
	}
	return false
}

// direction solves for the step over the contrasts inside their bounds.
func (f *contrastFace) direction() []float64 {
	step := make([]float64, len(f.inside))
	for r, a := range f.inside {
		step[r] = f.gain[a]
	}
	x := blas64.Vector{N: len(step), Inc: 1, Data: step}
	blas64.Trsv(blas.Trans, f.factor, x)
	blas64.Trsv(blas.NoTrans, f.factor, x)
	return step
}

// project takes the whole step with every contrast stopped at its bounds, if that keeps a share of
// what it promises: many contrasts come to their bounds at once.
func (f *contrastFace) project(m *contrastModel) bool {
	n := len(f.at)
	was, gain, promise := make([]float64, len(f.inside)), slices.Clone(f.gain), 0.0
	for r, x := range f.direction() {
		a := f.inside[r]
		u := f.at[a]
		was[r] = m.x[u]
		m.x[u] = min(max(was[r]+x, m.low[u]), m.high[u])
		promise += gain[a] * (m.x[u] - was[r])
	}
	// The objective is a parabola along the step: it rises by the mean of the slopes at its ends.
	rise := promise
	for r, a := range f.inside {
		if d := m.x[f.at[a]] - was[r]; d != 0 {
			blas64.Axpy(-d, blas64.Vector{N: n, Inc: 1, Data: f.h[a*n : (a+1)*n]},
				blas64.Vector{N: n, Inc: 1, Data: f.gain})
		}
	}
	for r, a := range f.inside {
		rise += f.gain[a] * (m.x[f.at[a]] - was[r])
	}
	if promise > 0 && rise/2 >= projected*promise {
		return true
	}
	copy(f.gain, gain)
	for r, a := range f.inside {
		m.x[f.at[a]] = was[r]
	}
	return false
}

// follow takes the step up to the first bound, leaves that contrast there, and continues without
// it. Along the step the gains of all contrasts that move fall alike.
func (f *contrastFace) follow(m *contrastModel) bool {
	moved := false
	f.factored = nil // contrasts leave the factor
	for len(f.inside) > 0 {
		step := f.direction()
		length, blocker := 1.0, -1
		for r, a := range f.inside {
			u := f.at[a]
			room := m.high[u] - m.x[u]
			if step[r] < 0 {
				room = m.low[u] - m.x[u]
			}
			if step[r] != 0 && room/step[r] < length {
				length, blocker = room/step[r], r
			}
		}
		for r, a := range f.inside {
			u := f.at[a]
			was := m.x[u]
			m.x[u] = min(max(was+length*step[r], m.low[u]), m.high[u])
			f.gain[a] *= 1 - length
			moved = moved || m.x[u] != was
		}
		if blocker < 0 {
			break
		}
		u := f.at[f.inside[blocker]]
		if m.x[u] = m.low[u]; step[blocker] > 0 {
			m.x[u] = m.high[u]
		}
		if last := len(f.inside) - 1; blocker < last {
			deleteFromFactor(f.factor, blocker)
		}
		f.factor.N--
		f.inside = slices.Delete(f.inside, blocker, blocker+1)
	}
	return moved
}

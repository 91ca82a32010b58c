package kernels

import (
	"bigmkl/internal/simd"
)

// letters are the codes of some points, one line of the same length for each. Code 0 is not a
// letter.
type letters struct {
	length int
	code   []uint8
}

// of returns the codes of point i.
func (l *letters) of(i int) []uint8 { return l.code[i*l.length : (i+1)*l.length] }

// reset makes room for so many points and clears it.
//
// A letter that nobody writes stays 0, which is not a letter.
func (l *letters) reset(points, length int) {
	l.length = length
	l.code = grow(l.code, points*length)
	clear(l.code)
}

// panel writes the letters of the points of a panel.
func (t *text) panel(l *letters, p *Panel) {
	if p.index != nil {
		t.nonzeros(l, p.index, p.value)
		return
	}
	// Values are compared as float32, and only what lies within the alphabet is a letter.
	most := float32(t.alphabet.Last())
	l.reset(p.Len, t.length(len(p.Dense)/simd.Width))
	for k := range l.length {
		j := k
		if t.places != nil {
			if j = int(t.places[k]); j < 0 {
				continue
			}
		}
		at := k
		for _, x := range p.Dense[j*simd.Width : j*simd.Width+p.Len] {
			// This is dataset.Alphabet.Code without a call for each letter.
			if x >= 1 && x <= most {
				l.code[at] = uint8(x)
			}
			at += l.length
		}
	}
}

// set writes the letters of the points of a set.
func (t *text) set(l *letters, s *Set) {
	if s.Sparse {
		t.nonzeros(l, s.Index, s.Value)
		return
	}
	l.reset(len(s.IDs), t.length(s.Dim))
	for i := range s.IDs {
		x, code := s.Dense[i*s.Dim:(i+1)*s.Dim], l.of(i)
		for k := range code {
			switch {
			case t.places == nil:
				code[k] = t.alphabet.Code(x[k])
			case t.places[k] >= 0:
				code[k] = t.alphabet.Code(x[t.places[k]])
			}
		}
	}
}

// nonzeros writes the letters of points that are given by their features that are not zero. If all
// positions are in use, the lines are as long as the longest of these sequences.
func (t *text) nonzeros(l *letters, index [][]int32, value [][]float32) {
	length := 0
	for _, x := range index {
		if len(x) > 0 {
			length = max(length, int(x[len(x)-1])+1)
		}
	}
	l.reset(len(index), t.length(length))
	for i, x := range index {
		code := l.of(i)
		if t.places == nil {
			for e, j := range x {
				code[j] = t.alphabet.Code(value[i][e])
			}
			continue
		}
		e := 0
		for k, j := range t.places {
			if j < 0 {
				continue
			}
			// Features of the point and of the group are both in ascending order, and are merged.
			for e < len(x) && x[e] < j {
				e++
			}
			if e < len(x) && x[e] == j {
				code[k] = t.alphabet.Code(value[i][e])
			}
		}
	}
}

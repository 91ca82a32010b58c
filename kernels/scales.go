package kernels

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"sync"

	"bigmkl/internal/kernelspec"
)

// Scales keeps the factors of the multiplicative normalisation, for banks of which many have the same kernels on
// the same points. To find one takes a value for each pair of points, as much as a short training. A factor is
// kept with all kernels of its group, because sums of a group share their bases. The zero value can be used, and
// several goroutines may use it.
type Scales struct {
	lock sync.Mutex
	of   map[string][]scale
}

// scale is a factor and its relative standard error.
type scale struct{ value, deviation float64 }

// keyOf names a group by what its factors depend on beside the points.
func keyOf(b *kernelspec.Bank, g *Group, double bool) string {
	var key strings.Builder
	fmt.Fprint(&key, double)
	for _, m := range g.Members {
		fmt.Fprintf(&key, "\n%d %s", m.Normalizer, b.Describe(int(m.ID)))
	}
	return key.String()
}

// GroupNames names each group of the bank by what its values depend on beside the points, once the bank is normalised.
// double is as in FindScales. It returns nil if there are matrices, which are named by their numbers in a list.
func (p *Prepared) GroupNames(double bool) []string {
	if len(p.Matrices) > 0 {
		return nil
	}
	names := make([]string, len(p.Bank.Groups))
	for k := range names {
		g := &p.Bank.Groups[k]
		names[k] = keyOf(p.Expanded, g, double)
		for _, m := range g.Members {
			names[k] += fmt.Sprintf("\n%x", math.Float64bits(p.Bank.Factor(int(m.ID))))
		}
	}
	return names
}

// find returns the normalisation of kernels of n points whose factors are all known, or else nil.
func (s *Scales) find(p *Prepared, n int, double bool) *Normalization {
	if s == nil {
		return nil
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	r := &Normalization{Scale: make([]float64, p.Bank.Len())}
	if sample := NormalizeSample(n); sample < n && p.Bank.Multiplied() {
		r.SampleSize, r.StandardError = sample, make([]float64, p.Bank.Len())
	}
	for k := range p.Bank.Groups {
		g := &p.Bank.Groups[k]
		list, known := s.of[keyOf(p.Expanded, g, double)]
		if !known {
			return nil
		}
		for i, m := range g.Members {
			if r.Scale[m.ID] = list[i].value; r.StandardError != nil {
				r.StandardError[m.ID] = list[i].deviation
			}
		}
	}
	return r
}

// keep notes the factors that were found. A matrix is named by its number in a list, and is not kept.
func (s *Scales) keep(p *Prepared, r *Normalization, double bool) {
	if s == nil || len(p.Matrices) > 0 {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.of == nil {
		s.of = map[string][]scale{}
	}
	for k := range p.Bank.Groups {
		g := &p.Bank.Groups[k]
		list := make([]scale, len(g.Members))
		for i, m := range g.Members {
			if list[i].value = r.Scale[m.ID]; r.StandardError != nil {
				list[i].deviation = r.StandardError[m.ID]
			}
		}
		s.of[keyOf(p.Expanded, g, double)] = list
	}
}

// Take notes all factors that others have noted, for points with the same kernel values.
func (s *Scales) Take(others *Scales) {
	others.lock.Lock()
	known := maps.Clone(others.of)
	others.lock.Unlock()
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.of == nil {
		s.of = known
		return
	}
	maps.Copy(s.of, known)
}

package model

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/float"
)

// jsonKind is what the settings have of a kind of objects.
type jsonKind struct {
	// Columns are the columns of rows that name these objects.
	Columns []string `json:"columns"`
	// Count is the number of objects, and Features that of their features.
	Count    int `json:"count"`
	Features int `json:"features"`
	// Named is set if they have names, and are not called by their numbers.
	Named         bool   `json:"named,omitzero"`
	Scaling       string `json:"scaling"`
	ScalingChoice string `json:"scaling_choice,omitzero"`
	// Matrices are the numbers of the files of precomputed kernels between these objects, from 1.
	Matrices []int `json:"matrices,omitempty"`
}

// objectSettings returns what the settings have of objects.
func objectSettings(s *objects.Set) (list []jsonKind) {
	if s == nil {
		return nil
	}
	for number, k := range s.Kinds {
		j := jsonKind{Count: k.Count, Features: k.Dim, Named: k.Names != nil, Scaling: k.Scaling.Kind,
			ScalingChoice: k.Scaling.Choice, Columns: s.ColumnsOf(number), Matrices: s.MatricesOf(number)}
		list = append(list, j)
	}
	return list
}

// errObjects is the error for arrays of objects that do not fit the settings.
var errObjects = errors.New("the objects do not fit together")

// objectSection is the objects that rows name.
type objectSection struct {
	factor, offset, matrices []float64
	values                   []float32
	names                    []byte
}

var _ section = (*objectSection)(nil)

func (p *objectSection) since(m *Model) int { return sinceIf(m.Objects != nil, formatVersion) }

func (p *objectSection) tensors(m *Model) []field {
	if m.Objects != nil {
		for _, k := range m.Objects.Kinds {
			p.factor, p.offset = append(p.factor, k.Scaling.Factor...), append(p.offset, k.Scaling.Offset...)
			p.values = append(p.values, k.Values...)
			for _, name := range k.Names {
				p.names = append(append(p.names, name...), '\n')
			}
		}
		for _, x := range m.Objects.Matrices {
			p.matrices = append(p.matrices, x.Values...)
		}
	}
	return []field{
		{name: "object_factor", f64: &p.factor},
		{name: "object_offset", f64: &p.offset},
		{name: "object_matrices", f64: &p.matrices},
		{name: "object_values", f32: &p.values},
		{name: "object_names", u8: &p.names},
	}
}

// join divides the arrays among the kinds, whose sizes the settings have.
func (p *objectSection) join(m *Model, _ *header) error {
	if m.Objects == nil {
		return nil
	}
	names, ok := bytes.Split(bytes.TrimSuffix(p.names, []byte("\n")), []byte("\n")), true
	if p.names == nil {
		names = nil
	}
	for _, k := range m.Objects.Kinds {
		factors, offsets := k.Dim, k.Dim
		switch k.Scaling.Kind {
		case dataset.ScaleNone:
			factors, offsets = 0, 0
		case dataset.ScaleGlobal:
			factors, offsets = 1, 0
		}
		k.Scaling.Factor, p.factor, ok = cutList(p.factor, factors, ok)
		k.Scaling.Offset, p.offset, ok = cutList(p.offset, offsets, ok)
		if k.Dim > 0 && k.Count > len(p.values)/k.Dim {
			ok = false
		}
		if ok {
			k.Values, p.values, ok = cutList(p.values, k.Count*k.Dim, ok)
		}
		if k.Names == nil {
			continue
		}
		var own [][]byte
		if own, names, ok = cutList(names, k.Count, ok); ok {
			k.Names = make([]string, k.Count)
			for i, name := range own {
				k.Names[i] = string(name)
			}
		}
	}
	for i := range m.Objects.Matrices {
		x := &m.Objects.Matrices[i]
		n := int64(m.Objects.Kinds[x.Kind].Count)
		if n*n > int64(len(p.matrices)) {
			ok = false
		}
		if ok {
			x.Values, p.matrices, ok = cutList(p.matrices, int(n*n), ok)
		}
	}
	if !ok || len(p.factor)+len(p.offset)+len(p.values)+len(names)+len(p.matrices) > 0 {
		return errObjects
	}
	return m.Objects.Index()
}

// cutList cuts the first n elements off a list, unless it is shorter. No elements are nil.
func cutList[T any](list []T, n int, ok bool) (first, rest []T, good bool) {
	if !ok || n < 0 || n > len(list) {
		return nil, list, false
	}
	if n == 0 {
		return nil, list, true
	}
	return list[:n:n], list[n:], true
}

// objectsOf returns the objects that settings describe, without their arrays.
func objectsOf(list []jsonKind) (*objects.Set, error) {
	if list == nil {
		return nil, nil
	}
	s := &objects.Set{}
	last := 0
	for number, j := range list {
		if j.Count < 1 || j.Count > objects.MostObjects || j.Features < 0 || j.Features > 1<<30 || len(j.Columns) == 0 {
			return nil, errObjects
		}
		k := &objects.Kind{Count: j.Count, Dim: j.Features, Scaling: dataset.Scaling{Kind: j.Scaling, Choice: j.ScalingChoice}}
		if j.Named {
			k.Names = []string{}
		}
		s.Kinds = append(s.Kinds, k)
		for _, name := range j.Columns {
			s.Columns = append(s.Columns, objects.Column{Name: name, Kind: number})
		}
		for _, i := range j.Matrices {
			last = max(last, i)
			if i < 1 || last > 1<<16 {
				return nil, errObjects
			}
			for len(s.Matrices) < i {
				s.Matrices = append(s.Matrices, objects.Matrix{Kind: -1})
			}
			s.Matrices[i-1].Kind = number
		}
	}
	if slices.ContainsFunc(s.Matrices, func(x objects.Matrix) bool { return x.Kind < 0 }) {
		return nil, errObjects
	}
	return s, nil
}

func (p *objectSection) check(m *Model, f *faults) {
	s := m.Objects
	if s == nil {
		return
	}
	if err := s.Validate(); err != nil {
		f.check(false, "%v", err)
		return
	}
	f.check(m.Features == len(s.Columns), "%d features of rows with %d objects", m.Features, len(s.Columns))
	f.check(len(m.Views) == 0 && m.Fill == nil && m.Family == nil && m.Sequences == dataset.Numbers && m.Columns == nil &&
		m.Occurring == nil && m.Centre == nil && m.Stream == nil && m.Store == dataset.LayoutDense &&
		m.Scaling.Kind == dataset.ScaleNone, "objects beside what rows of features have")
	for i := range m.Vectors {
		k := s.Kind(i % max(1, m.Features))
		if x := m.Vectors[i]; !(x >= 0 && x < float32(k.Count)) || x != float32(int32(x)) {
			f.check(false, "vectors[%d] is the number of no object", i)
			break
		}
	}
	for _, k := range s.Kinds {
		i := slices.IndexFunc(k.Values, func(x float32) bool { return !float.Finite(x) })
		f.check(i < 0, "object_values[%d] is not finite", i)
	}
	for i := range s.Matrices {
		f.each("object_matrices", s.Matrices[i].Values, float.Finite[float64], "finite")
	}
	for _, spec := range m.Kernels {
		f.check(!strings.Contains(spec, "norm=centred"), "a kernel of objects that is centred")
	}
}

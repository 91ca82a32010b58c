package model

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
)

// Landmarks are training rows whose kernel values with a point are what gates look at in place of its
// features (Gönen 2010, eq. 3.5).
type Landmarks struct {
	// Spec is the specification of the kernel. The specification of a matrix is precomputed:K with
	// the number K of the file among the files of the kernels of the model, from 1.
	Spec string
	// Rows lists the numbers of the rows, ascending.
	Rows []int32
	// Medians holds the distances that the width of the kernel refers to.
	Medians []float64
	// Sparse has the features of the rows that are not 0, or their letters. It is nil for a matrix.
	Sparse *Sparse
	// Support has the values of the matrix between support vectors and landmarks, with a row for each
	// support vector. It is nil for a kernel of features.
	Support []float64
}

// Matrix returns the 0-based number of the file that values come from, and -1 for a kernel of features.
func (l *Landmarks) Matrix() int {
	text, found := kernelspec.MatrixOf(l.Spec)
	if !found {
		return -1
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		return math.MaxInt32 // no model has as many
	}
	return number - 1
}

// Equal reports whether both are the same rows with the same values.
func (l *Landmarks) Equal(o *Landmarks) bool {
	if l == nil || o == nil || l.Sparse == nil || o.Sparse == nil {
		return l == nil && o == nil || l != nil && o != nil && l.Sparse == o.Sparse && slices.Equal(l.Rows, o.Rows)
	}
	return slices.Equal(l.Rows, o.Rows) && slices.Equal(l.Medians, o.Medians) &&
		slices.Equal(l.Sparse.Start, o.Sparse.Start) && slices.Equal(l.Sparse.Index, o.Sparse.Index) &&
		slices.Equal(l.Sparse.Value, o.Sparse.Value)
}

// Row returns the features of landmark k in dst, whose length is their number.
func (l *Landmarks) Row(k int, dst []float32) {
	clear(dst)
	index, value := l.Sparse.Row(k)
	for e, j := range index {
		dst[j] = value[e]
	}
}

// arrays returns what a file has of landmarks.
func (l *Landmarks) arrays() map[string][]float64 {
	a := map[string][]float64{"landmarks": widened(l.Rows)}
	if len(l.Medians) > 0 {
		a["landmark_medians"] = l.Medians
	}
	if l.Sparse == nil {
		a["landmark_support"] = l.Support
		return a
	}
	a["landmark_start"] = widened(l.Sparse.Start)
	a["landmark_index"] = widened(l.Sparse.Index)
	a["landmark_value"] = widened(l.Sparse.Value)
	return a
}

// widened returns numbers as a file has the numbers of a family.
func widened[T int32 | int64 | float32](list []T) []float64 {
	wide := make([]float64, len(list))
	for i, x := range list {
		wide[i] = float64(x)
	}
	return wide
}

// whole returns numbers that a file has as the numbers of a family, and -1 for a value that is not a
// whole number from 0.
func whole[T int32 | int64](list []float64) []T {
	out := make([]T, len(list))
	for i, x := range list {
		if n := wholeNumber(x); n <= math.MaxInt32 {
			out[i] = T(n)
		} else {
			out[i] = -1
		}
	}
	return out
}

// landmarksOf returns the landmarks of gates that look at such a text, or nil for other gates.
func landmarksOf(on string, a map[string][]float64) *Landmarks {
	spec, _, found, _ := kernelspec.CutLandmarks(on)
	if !found {
		return nil
	}
	l := &Landmarks{Spec: spec, Rows: whole[int32](a["landmarks"]), Medians: a["landmark_medians"],
		Support: a["landmark_support"]}
	if start := a["landmark_start"]; start != nil {
		l.Sparse = &Sparse{Start: whole[int64](start), Index: whole[int32](a["landmark_index"]),
			Value: make([]float32, len(a["landmark_value"]))}
		for i, x := range a["landmark_value"] {
			l.Sparse.Value[i] = float32(x)
		}
	}
	return l
}

// of returns the landmarks of a model with some of the support vectors.
func (l *Landmarks) of(support []int32) *Landmarks {
	if l == nil || l.Support == nil {
		return l
	}
	r, count := *l, len(l.Rows)
	r.Support = make([]float64, 0, len(support)*count)
	for _, s := range support {
		r.Support = append(r.Support, l.Support[int(s)*count:(int(s)+1)*count]...)
	}
	return &r
}

// names lists the arrays that a file has of the landmarks, which are in it.
func (l *Landmarks) names(a map[string][]float64) []string {
	list := []string{"landmarks"}
	if a["landmark_medians"] != nil {
		list = append(list, "landmark_medians")
	}
	if l.Matrix() >= 0 {
		return append(list, "landmark_support")
	}
	return append(list, "landmark_start", "landmark_index", "landmark_value")
}

// check checks the landmarks of a model, whose number is given by its gates.
func (l *Landmarks) check(m *Model, on string, f *faults) {
	_, count, _, err := kernelspec.CutLandmarks(on)
	f.check(err == nil && len(l.Rows) == count && count <= m.Points && Ascending(l.Rows, m.Points),
		"%d rows of gates on %s", len(l.Rows), clip(on))
	f.each("landmark_medians", l.Medians, above0, "positive")
	if l.Matrix() >= 0 {
		f.check(on == kernelspec.Landmarks(l.Spec, count) && l.Matrix() < matricesOf(m.Kernels), "gates on %s", clip(on))
		f.check(len(l.Medians) == 0 && len(l.Support) == len(m.Support)*count,
			"%d values of %d support vectors with %d landmarks", len(l.Support), len(m.Support), count)
		f.each("landmark_support", l.Support, float.Finite[float64], "finite")
		return
	}
	if l.Sparse == nil || !l.Sparse.Sound(count, max(0, m.Features)) {
		f.check(false, "the landmarks of gates on %s do not fit each other", clip(on))
		return
	}
	i := slices.IndexFunc(l.Sparse.Value, func(x float32) bool { return !float.Finite(x) })
	f.check(i < 0, "value %d of the landmarks is not finite", i)
	for i, x := range l.Sparse.Value {
		if m.Sequences != dataset.Numbers && !m.Sequences.Fits(int(l.Sparse.Index[i]), float64(x)) {
			f.check(false, "value %d of the landmarks stands for no letter", i)
			break
		}
	}
	f.check(m.Fill == nil, "gates on kernel values of rows that may lack views")
	_, err = m.Expansion().LandmarkKernel(l)
	f.check(err == nil, "the kernel of gates on %s: %v", clip(on), err)
}

// matricesOf returns the number of matrices of some specifications.
func matricesOf(specs []string) int {
	seen := map[string]bool{}
	for _, spec := range specs {
		if file, found := kernelspec.MatrixOf(strings.TrimSuffix(spec, kernelspec.Suffix(spec))); found {
			seen[file] = true
		}
	}
	return len(seen)
}

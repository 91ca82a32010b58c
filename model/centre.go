package model

import (
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/float"
	"bigmkl/kernelspec"
)

// Centre is the training rows at whose mean kernels with norm=centred are centred. With m(x) the
// mean of k(x,s) over these rows s, except for rows that lack the view of k, and M the mean of m
// over them, such a kernel is k(x,z) - m(x) - m(z) + M, divided by the roots of what that is for x
// and x and for z and z.
type Centre struct {
	// Rows lists the numbers of these rows, ascending: all rows of the training, or a sample.
	Rows []int32
	// Means holds M of each kernel, and 0 for kernels that are not centred.
	Means []float64
	// Vectors holds the rows, row-major with Features numbers each, and Sparse their non-zeros where
	// the points were stored so. One of the two is nil.
	Vectors []float32
	Sparse  *Sparse
}

// Centred reports whether the specifications of the kernels or the normalisation of the run ask for
// kernels that are centred.
func Centred(specs []string, normalization string) bool {
	name := kernelspec.Centred.String()
	return kernelspec.Centred.AskFor(specs) || normalization == name
}

// Row returns row s of the centre, with all its features, in dst.
func (c *Centre) Row(s int, dst []float32) {
	if c.Sparse == nil {
		copy(dst, c.Vectors[s*len(dst):(s+1)*len(dst)])
		return
	}
	clear(dst)
	index, value := c.Sparse.Row(s)
	for e, j := range index {
		dst[j] = value[e]
	}
}

// Fits reports whether the parts of the centre of a model fit each other and the model.
func (c *Centre) Fits(m *Model) bool {
	if c == nil {
		return true
	}
	n, d := len(c.Rows), m.Features
	if len(c.Means) != m.Len() || !Ascending(c.Rows, m.Points) || d < 0 {
		return false
	}
	if c.Sparse != nil {
		return c.Vectors == nil && c.Sparse.Sound(n, d)
	}
	return len(c.Vectors) == n*d
}

// check checks what a model has of kernels that are centred.
func (c *Centre) check(m *Model, f *faults) {
	f.check((c != nil) == Centred(m.Kernels, m.Normalization.Kind),
		"rows for the mean of kernels that are centred beside kernels that say otherwise")
	if c == nil {
		return
	}
	if !c.Fits(m) {
		f.check(false, "%d rows and %d means of kernels that are centred do not fit the model",
			len(c.Rows), len(c.Means))
		return
	}
	f.check(len(c.Rows) > 0, "no rows for the mean of kernels that are centred")
	f.check((c.Sparse != nil) == (m.Store == dataset.LayoutSparse),
		"rows for a mean that are not stored as the points were")
	f.each("centre_means", c.Means, float.Finite[float64], "finite")
	values := c.Vectors
	if c.Sparse != nil {
		values = c.Sparse.Value
	}
	i := slices.IndexFunc(values, func(x float32) bool { return !float.Finite(x) })
	f.check(i < 0, "value %d of the rows for a mean is not finite", i)
	for i := range values {
		feature := i % max(1, m.Features)
		if c.Sparse != nil {
			feature = int(c.Sparse.Index[i])
		}
		if m.Sequences != dataset.Numbers && !m.Sequences.Fits(feature, float64(values[i])) {
			f.check(false, "value %d of the rows for a mean stands for no letter", i)
			break
		}
	}
	f.check(!HasComponents(m.Task) && m.Family == nil && m.Stream == nil,
		"kernels that are centred in a task of components, beside a family or in a stream")
}

// Bytes is the memory that the centre takes.
func (c *Centre) Bytes() int64 {
	if c == nil {
		return 0
	}
	bytes := 4*int64(len(c.Rows)) + 8*int64(len(c.Means)) + 4*int64(len(c.Vectors))
	if c.Sparse != nil {
		bytes += 8*int64(len(c.Sparse.Start)) + 8*int64(len(c.Sparse.Index))
	}
	return bytes
}

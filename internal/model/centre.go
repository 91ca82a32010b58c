package model

import (
	"bigmkl/internal/kernelspec"
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

package budget

import "bigmkl/chunking"

// Classifiers describes which classifiers a run trains, and which of them at the same time. Its zero value means one
// classifier.
type Classifiers struct {
	// Several is what several classifiers take. It is zero for one classifier.
	Several Effort
	// OneTheta is true if several classifiers have one set of weights, and so gradients at the same
	// time.
	OneTheta bool
	// Columns is true if the classifiers are columns of dual variables of one problem: they have
	// gradients and vectors each, and one working set.
	Columns bool
	// Contrasts is true if the columns are held against each other at every point.
	Contrasts bool
}

// together returns the number of gradients that are held at a time.
func (c *Classifiers) together() int64 {
	if c.OneTheta || c.Columns {
		return int64(max(1, c.Several.Classifiers))
	}
	return 1
}

// posteriorColumns is the number of posteriors that a point has, if it has any.
func (c *Classifiers) posteriorColumns() int64 {
	if c.Contrasts {
		return c.together()
	}
	return 1
}

// solvers returns the number of working sets that are held at a time.
func (c *Classifiers) solvers() int64 {
	if c.Columns {
		return 1
	}
	return c.together()
}

// columnBytes counts what a working set of q of n points takes for all columns beside that of one:
// the gradients of every kernel there, twice, and vectors.
func (c *Classifiers) columnBytes(kernels, n, q int64) int64 {
	if !c.Columns {
		return 0
	}
	const vectors = 32 // of the model, its solution and the pass
	bytes := 8 * c.together() * q * (2*kernels + vectors)
	if c.Contrasts {
		bytes += chunking.ContrastBytes(n, c.together(), q)
	}
	return bytes
}

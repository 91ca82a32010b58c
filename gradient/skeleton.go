package gradient

import "bigmkl/kernels"

// reduction turns numbers of all kernels into numbers of those that a skeleton keeps, and back. Without a skeleton they
// are the same.
type reduction struct {
	skeleton *kernels.Skeleton // nil: all kernels are kept
	// weight, first and second are numbers of the kept kernels.
	weight, first, second []float64
}

// newReduction returns the reduction to a skeleton, or to none, of so many kept kernels.
func newReduction(s *kernels.Skeleton, kept int) reduction {
	return reduction{s, make([]float64, kept), make([]float64, kept), make([]float64, kept)}
}

// lower returns the weights of the kept kernels that represent the weights of all.
func (r *reduction) lower(weight []float64) []float64 {
	if r.skeleton == nil {
		return weight
	}
	r.skeleton.Lower(r.weight, weight)
	return r.weight
}

// into returns memory for numbers of the kept kernels, which raise turns into numbers of all.
func (r *reduction) into(all, kept []float64) []float64 {
	if r.skeleton == nil {
		return all
	}
	return kept
}

// raise sets all to the numbers of all kernels, where kept is what into has returned.
func (r *reduction) raise(all, kept []float64, one float64) {
	if s := r.skeleton; s != nil {
		s.Raise(all, kept, one)
	}
}

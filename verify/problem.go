package verify

import (
	"slices"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// problem is the training problem that a model claims to have solved, ready to be evaluated: all
// that does not change from row to row. It is read by all goroutines and not changed while rows
// are evaluated.
type problem struct {
	definitions
	classifiers []classifier // at least one
	groups      []group      // the kernels that are evaluated at support vectors
	linear      []int32      // the kernels that skip them
	gates       gateSets     // the factors of rows that gates have; none without gates
	wing        wing
	traits      wingTraits // of the wing
	extensions  []extension
	extended    extensionTraits // of all extensions together
	mapped      []*npy.Matrix   // that extensions have opened
	used        []bool          // for each kernel, whether some classifier gives it a weight
	meanRows    *problem        // whose support vectors are the rows at whose mean kernels are centred; or nil
	sampled     bool            // sums are estimates from a sample
	scarce      bool            // which has too few rows of some kernel
	threads     int

	// roundingsOfBase holds for each kernel by how many roundings of its base a value is off.
	roundingsOfBase []float64
	// wide holds for each kernel whether k - 1 is summed in place of k.
	wide []bool

	// centre is the mean of each feature, once all rows have been read.
	centre []float64
}

// definitions is the kernels of a model, and what the definition of their values depends on.
type definitions struct {
	m        *model.Model
	bank     *kernelspec.Bank
	users    map[string]UserKernel
	matrices []*npy.Matrix
	normal   kernelspec.Normalizer // of kernels without one of their own

	// Each feature has a mean over the support vectors, and a mean square around it, or around 0 for
	// points that are stored sparsely.
	mean         []float64
	squaredNorms []float64

	// minimum is the least value of each feature, or 0 if that is less. It is known once all rows have been read.
	minimum []float32
}

// normalizer returns the normalisation of kernel k: its own or, if it has none, that of the
// model.
func (p *definitions) normalizer(k int32) kernelspec.Normalizer {
	return p.bank.Kernels[k].Normalizer.Or(p.normal)
}

// scale returns the factor that kernel k is multiplied by: the inverse of its variance as in the
// model under the multiplicative normalisation, and 1 under every other.
func (p *definitions) scale(k int32) float64 {
	if p.normalizer(k) == kernelspec.Multiplicative {
		return p.m.Normalization.Scale[k]
	}
	return 1
}

// eachFeature calls visit for each feature of kernel id.
func (p *definitions) eachFeature(id int32, visit func(j int)) {
	p.eachFeatureOf(&p.bank.Kernels[id], visit)
}

// eachFeatureOf calls visit for each feature of the kernel k, which may be a factor of a product.
func (p *definitions) eachFeatureOf(k *kernelspec.Kernel, visit func(j int)) {
	if set := p.bank.Features(k.Set); set != nil {
		for _, j := range set {
			visit(int(j))
		}
		return
	}
	for j := range p.mean {
		visit(j)
	}
}

// checkMatrices returns an error if a matrix was written to since it was opened. The matrices are
// mapped, so a change of a file changes values in the middle of a sum.
func (p *problem) checkMatrices() error {
	for _, x := range slices.Concat(p.matrices, p.mapped) {
		if err := x.Err(); err != nil {
			return err
		}
	}
	return nil
}

// close unmaps the matrices.
func (p *problem) close() {
	for _, x := range slices.Concat(p.mapped, p.matrices) {
		x.Close()
	}
}

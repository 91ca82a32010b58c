package verify

import (
	"bigmkl/dataset/npy"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// plan is all that does not change from row to row.
type problem struct {
	m               *model.Model
	bank            *kernelspec.Bank
	machines        []machine // one or more
	groups          []group
	users           map[string]UserKernel
	normal          kernelspec.Normalizer // of kernels that do not have their own
	used            []bool                // kernels that some machine gives a weight
	mean            []float64             // of the support vectors, by feature
	squaredNorms    []float64             // of each feature, the mean of its share of the squared norms of support vectors
	roundingsOfBase []float64             // of each kernel, see multiplied
	matrices        []*npy.Matrix
	linear          []int32 // kernels that need no support vectors, see linearPart
	sampled         bool    // sums are estimates
	threads         int
	minimum         []float32 // least value of each feature in the data, or 0 if that is less
	centre          []float64 // mean of each feature of the data
}

// normalizer returns the normalisation of kernel k: its own or, if it has none, that of the
// model.
func (p *problem) normalizer(k int32) kernelspec.Normalizer {
	return p.bank.Kernels[k].Normalizer.Or(p.normal)
}

// scale returns the factor that kernel k is multiplied by: the inverse of its variance as the
// model says it under the multiplicative normalisation, and 1 under every other.
func (p *problem) scale(k int32) float64 {
	if p.normalizer(k) == kernelspec.Multiplicative {
		return p.m.Normalization.Scale[k]
	}
	return 1
}

// eachFeature calls visit for each feature of kernel id.
func (p *problem) eachFeature(id int32, visit func(j int)) {
	p.eachFeatureOf(&p.bank.Kernels[id], visit)
}

// eachFeatureOf calls visit for each feature of the kernel k, which may be a factor of a product.
func (p *problem) eachFeatureOf(k *kernelspec.Kernel, visit func(j int)) {
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
// mapped, so that a change of a file changes values in the middle of a sum.
func (p *problem) checkMatrices() error {
	for _, x := range p.matrices {
		if err := x.Err(); err != nil {
			return err
		}
	}
	return nil
}

// close unmaps the matrices.
func (p *problem) close() {
	for _, x := range p.matrices {
		x.Close()
	}
}

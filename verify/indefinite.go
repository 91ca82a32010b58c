package verify

import (
	"slices"

	"bigmkl/internal/kernelspec"
)

// This file finds the kernels for which the gap proves nothing.

// indefinites returns for each kernel whether it can be indefinite.
func (p *definitions) indefinites() []bool {
	list := make([]bool, len(p.bank.Kernels))
	for k := range list {
		list[k] = p.indefinite(p.bank.Kernels[k])
	}
	return list
}

// indefinite reports whether the kernel k need not be positive semi-definite on these data.
// Training leaves such a kernel out once its alpha'K alpha becomes negative, and the gap of a
// model that uses one proves no optimum. A polynomial is definite if its coefficients are not
// negative; an intersection kernel if the features are not.
func (p *definitions) indefinite(k kernelspec.Kernel) bool {
	switch k.Kind {
	case kernelspec.User:
		return !p.users[p.bank.Users[k.Index]].Definite()
	case kernelspec.Pairwise:
		return !pairKernel{&p.bank.Pairs[k.Index]}.Definite()
	case kernelspec.Product:
		return slices.ContainsFunc(p.bank.Products[k.Index], func(f kernelspec.Factor) bool {
			return p.indefinite(f.Kernel)
		})
	case kernelspec.Sigmoid, kernelspec.Precomputed:
		return true
	case kernelspec.Poly:
		return k.Gamma < 0 || k.Coef < 0
	case kernelspec.Intersection:
		if set := p.bank.Features(k.Set); set != nil && p.minimum != nil {
			for _, j := range set {
				if p.minimum[j] < 0 {
					return true
				}
			}
			return false
		}
		// The kernel has all features. Without vectors p.minimum is empty, and nothing shows the
		// kernel to be indefinite.
		for _, x := range p.minimum {
			if x < 0 {
				return true
			}
		}
	}
	return false
}

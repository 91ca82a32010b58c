package verify

import (
	"slices"

	"bigmkl/kernelspec"
)

// indefinites tells which kernels are, see indefinite.
func (p *problem) indefinites() []bool {
	list := make([]bool, len(p.bank.Kernels))
	for k := range list {
		list[k] = p.indefinite(p.bank.Kernels[k])
	}
	return list
}

// indefinite names the kernels that need not be positive semi-definite: training leaves them out when alpha'K alpha becomes
// negative, and no gap proves anything of a model that uses one.
func (p *problem) indefinite(k kernelspec.Kernel) bool {
	switch k.Kind {
	case kernelspec.User:
		return !p.users[p.bank.Users[k.Index]].Definite()
	case kernelspec.Product:
		return slices.ContainsFunc(p.bank.Products[k.Index], func(f kernelspec.Factor) bool { return p.indefinite(f.Kernel) })
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
		for _, x := range p.minimum {
			if x < 0 {
				return true
			}
		}
	}
	return false
}

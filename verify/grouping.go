package verify

import (
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// mostKernels bounds the kernels of a group times the classifiers of a row: so many sums are in
// memory for each row of a batch.
const mostKernels = 4096

// newGroup returns a group for the kernel k, without kernels. spherical reports whether k(z,z) of
// support vectors is needed.
func (p *definitions) newGroup(k *kernelspec.Kernel, spherical bool) group {
	g := group{base: baseOf(k.Kind), dim: p.m.Features, one: k, spherical: spherical}
	switch {
	case g.base == matrixEntry:
		g.matrix = p.matrices[k.Index]
	case g.base == productKernel:
		g.factors = p.factors(k, spherical)
	case k.Set != kernelspec.AllFeatures:
		g.features = p.bank.Features(k.Set)
		g.dim = len(g.features)
	}
	if g.base == userKernel {
		if k.Kind == kernelspec.Pairwise {
			g.user = pairKernel{&p.bank.Pairs[k.Index]}
		} else {
			g.user = p.users[p.bank.Users[k.Index]]
		}
	}
	return g
}

// factors returns the factors of the product k.
func (p *definitions) factors(k *kernelspec.Kernel, spherical bool) (list []factor) {
	for i := range p.bank.Products[k.Index] {
		f := &p.bank.Products[k.Index][i]
		list = append(list, factor{p.newGroup(&f.Kernel, spherical), f.Power})
	}
	return list
}

// groupKernels distributes the kernels over groups, except for linear kernels that skip the
// support vectors. Kernels join a group of the same base and features until it is full. A model
// without vectors whose kernels need them is an error of class corrupt.
func (p *problem) groupKernels() error {
	type key struct {
		base base
		set  int32
	}
	m, at := p.m, map[key]int{}
	most := max(16, mostKernels/classifiersOfRow(m))
	for id, k := range p.bank.Kernels {
		b := baseOf(k.Kind)
		set := k.Set
		if b == matrixEntry {
			set = k.Index
		} else if !m.HasVectors() && len(m.Support) > 0 {
			return fail.New(fail.Corrupt, "kernels need the support vectors, and the model has none")
		}
		if isBase(&k) {
			b = filledKernel
		}
		if p.skipsSupport(int32(id)) {
			p.linear = append(p.linear, int32(id))
			continue
		}
		i, ok := at[key{b, set}]
		alone := b == filledKernel || b == stringKernel || b == productKernel || b == userKernel
		if !ok || alone || len(p.groups[i].kernels) == most {
			i = len(p.groups)
			at[key{b, set}] = i
			spherical := p.divided(int32(id))
			if b == filledKernel {
				p.groups = append(p.groups, p.newFilledGroup(int32(id), spherical))
			} else {
				p.groups = append(p.groups, p.newGroup(&p.bank.Kernels[id], spherical))
			}
		}
		g := &p.groups[i]
		g.kernels = append(g.kernels, int32(id))
		g.active = g.active || p.used[id]
	}
	return nil
}

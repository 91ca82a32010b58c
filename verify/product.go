package verify

import "bigmkl/kernelspec"

// factor is a kernel of a product, with its own base, and the power that it is taken to.
type factor struct {
	group group
	power int
}

// factors makes the groups of a product's kernels.
func (p *plan) factors(k *kernelspec.Kernel, spherical bool) (list []factor) {
	for i := range p.bank.Products[k.Index] {
		f := &p.bank.Products[k.Index][i]
		list = append(list, factor{p.newGroup(&f.Kernel, spherical), f.Power})
	}
	return list
}

// fillProduct computes the product, which is its own base.
func (w *worker) fillProduct(g *group, rows []row, lo, hi int) error {
	var base, selfX, selfZ []float64
	for i := range g.factors {
		f := &g.factors[i]
		if err := w.fill(&f.group, rows, lo, hi); err != nil {
			return err
		}
		times := func(product, own []float64) []float64 {
			if i == 0 {
				product = make([]float64, len(own))
				for j := range product {
					product[j] = 1
				}
			}
			for j, b := range own {
				product[j] *= power(value(f.group.one, b), f.power)
			}
			return product
		}
		base, selfX, selfZ = times(base, w.base), times(selfX, w.selfX), times(selfZ, w.selfZ)
	}
	copy(w.base, base)
	copy(w.selfX, selfX)
	copy(w.selfZ, selfZ)
	return nil
}

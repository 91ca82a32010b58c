package verify

// This file computes the bases of any group.

// fill computes the base of the group g for each of the rows with the support vectors lo to hi:
// w.base becomes rows x (hi-lo), and w.selfX and w.selfZ the bases of rows and support vectors
// with themselves. The latter may be left at 0 where no kernel of the group asks for them.
//
// An error is of class input if a matrix has an entry that is not finite.
func (w *bases) fill(g *group, rows []row, lo, hi int) error {
	if g.base == filledKernel {
		return w.fillFilled(g, rows, lo, hi)
	}
	if g.base == productKernel {
		return w.fillProduct(g, rows, lo, hi)
	}
	// Blocks of features add to the bases, and not every group sets all of them.
	n, t := len(rows), hi-lo
	w.base = sized(w.base, n*t)
	w.selfX, w.selfZ = sized(w.selfX, n), sized(w.selfZ, t)
	clear(w.base)
	clear(w.selfX)
	clear(w.selfZ)
	if g.base == matrixEntry {
		return w.fillMatrix(g, rows, lo, hi)
	}
	if g.base == stringKernel {
		w.fillStrings(g, rows, lo, hi)
		return nil
	}
	if g.base == userKernel {
		w.fillUser(g, rows, lo, hi)
		return nil
	}
	// A distance is computed from norms and inner products where these pay, and inner products of
	// vectors that are stored sparsely from their stored features where the kernel uses all
	// features.
	byNorms := g.base == squaredDistance && g.dim > directFeatures
	if w.m.Sparse != nil && g.features == nil && (g.base == innerProduct || byNorms) {
		w.addSparseProducts(rows, lo, hi)
		if byNorms {
			w.setDistances(g, rows, lo, hi)
		}
		return nil
	}
	for from := 0; from < g.dim; from += featureBlock {
		d := min(featureBlock, g.dim-from)
		w.x, w.z = sized(w.x, n*d), sized(w.z, t*d)
		for r := range rows {
			w.gather(w.x[r*d:(r+1)*d], rows[r].x, g.features, from, byNorms)
		}
		for s := range t {
			w.gatherSupport(w.z[s*d:(s+1)*d], lo+s, g.features, from, byNorms)
		}
		// All bases of this kind are sums over features, so blocks are added in their order.
		switch {
		case g.base == innerProduct || byNorms:
			w.addProducts(n, t, d)
			w.addSelves(n, t, d, sumSquares)
		case g.base == squaredDistance:
			w.addPairs(n, t, d, squaredDifference)
		case g.base == manhattan:
			w.addPairs(n, t, d, absoluteDifference)
		case g.base == chiSquare:
			w.addPairs(n, t, d, chiSquareDifference)
		case g.base == minimumSum:
			w.addPairs(n, t, d, sumMinima)
			w.addSelves(n, t, d, sumValues)
		}
	}
	if byNorms {
		w.setDistances(g, rows, lo, hi)
	}
	return nil
}

// fillProduct computes the values of a product of kernels, factor by factor. The bases of a
// factor are computed by fill, in the same memory, so the product is gathered beside it.
func (w *bases) fillProduct(g *group, rows []row, lo, hi int) error {
	var base, selfX, selfZ []float64
	for i := range g.factors {
		f := &g.factors[i]
		if err := w.fill(&f.group, rows, lo, hi); err != nil {
			return err
		}
		// The product so far times the value of this factor to its power; the first starts from 1.
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

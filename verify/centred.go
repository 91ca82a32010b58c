package verify

import (
	"math"

	"bigmkl/internal/kernelspec"
)

// A kernel with norm=centred is
//
//	k(x,z) - m(x) - m(z) + M
//
// divided by the roots of what that is for x and x and for z and z, with m(x) the mean of k(x,s) over
// rows s of the training that the model lists, and M the mean of m over them. Rows that lack the view
// of k do not count. All of it is computed here from the features of these rows.

const (
	// mostCentred is the number of training rows up to which the mean is the mean of all rows, and
	// the number of rows of the sample above.
	mostCentred = 2048

	// centredNothing is the share of its terms below which the centred k(x,x) counts as 0.
	centredNothing = 1e-9

	// mostCancelled bounds how many more roundings are conceded to the values of a kernel because its
	// terms cancel.
	mostCancelled = 1e9
)

// centring is what a group has of that.
type centring struct {
	mean    float64   // M
	support []float64 // m of the support vectors
	have    []bool    // rows of the mean that have the view
	count   int       // how many these are
}

// centred reports whether the values of kernel k are its own less means.
func centred(k *kernelspec.Kernel) bool { return k.Normalizer == kernelspec.Centred }

// isBase reports whether the base of the kernel k is its value: that of a view that rows may lack, or
// one that is centred.
func isBase(k *kernelspec.Kernel) bool {
	return k.Missing != kernelspec.MissingUnsaid || centred(k)
}

// divided reports whether values of kernel k are divided by the roots of k(x,x) and k(z,z).
func (p *definitions) divided(k int32) bool {
	n := p.normalizer(k)
	return n == kernelspec.Spherical || n == kernelspec.Centred
}

// settleNormalizers gives every kernel its normalisation, that of the model where it has none of its
// own.
func (p *definitions) settleNormalizers() {
	for id := range p.bank.Kernels {
		k := &p.bank.Kernels[id]
		k.Normalizer = k.Normalizer.Or(p.normal)
	}
}

// findCentres finds what the groups of centred kernels need, and how much their terms cancel.
func (p *problem) findCentres() error {
	if p.m.Centre == nil || !laidOut(p.m) {
		return nil
	}
	p.meanRows = newMeanProblem(p)
	for i := range p.groups {
		g := &p.groups[i]
		if g.centre == nil {
			continue
		}
		c := g.centre
		c.have = make([]bool, len(p.m.Centre.Rows))
		dst := make([]float32, p.m.Features)
		for s := range c.have {
			p.m.Centre.Row(s, dst)
			if c.have[s] = g.missing == kernelspec.MissingUnsaid || dst[g.flag] == 0; c.have[s] {
				c.count++
			}
		}
		w := bases{problem: p}
		ratio, counted := 0.0, 0
		err := eachPart(len(p.m.Support), p.m.Vector, func(rows []row) error {
			means, err := w.meansOf(g, rows)
			if err != nil {
				return err
			}
			c.support = append(c.support, means...)
			inner := &g.factors[0].group
			if err := w.fill(inner, rows, 0, 0); err != nil {
				return err
			}
			for r, m := range means {
				k := centredValue(inner.one, w.selfX[r])
				size := math.Abs(k) + 2*math.Abs(m) + math.Abs(c.mean)
				if self := c.self(k, m); self > 0 {
					ratio += math.Min(size/self, mostCancelled)
					counted++
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, id := range g.kernels {
			p.roundingsOfBase[id] *= 1 + ratio/float64(max(1, counted))
		}
	}
	return nil
}

// mostCentredDegree is the largest degree of a polynomial that is taken less its constant.
const mostCentredDegree = 64

// centredValue returns k(x,z) less the constant that centring takes from it.
func centredValue(k *kernelspec.Kernel, b float64) float64 {
	return valueLess(k, b, k.Kind.HasConstant() || k.Kind == kernelspec.Poly && k.Coef > 0 && k.Degree <= mostCentredDegree)
}

// self returns the centred k(x,x).
func (c *centring) self(k, m float64) float64 {
	v := k - 2*m + c.mean
	if v > centredNothing*(math.Abs(k)+2*math.Abs(m)+math.Abs(c.mean)) {
		return v
	}
	return 0
}

// newMeanProblem returns the problem whose support vectors are the rows of the mean.
func newMeanProblem(p *problem) *problem {
	m, own := *p.m, *p
	c := p.m.Centre
	m.Support, m.Vectors, m.Sparse, m.Rows = c.Rows, c.Vectors, c.Sparse, nil
	own.m = &m
	return &own
}

// eachPart calls visit for some of n rows at a time.
func eachPart(n int, vector func(int) []float32, visit func([]row) error) error {
	for at := 0; at < n; at += tile {
		var rows []row
		for s := at; s < min(at+tile, n); s++ {
			rows = append(rows, row{id: s, x: vector(s)})
		}
		if err := visit(rows); err != nil {
			return err
		}
	}
	return nil
}

// meansOf returns m of the rows for the kernel of a group.
func (w *bases) meansOf(g *group, rows []row) ([]float64, error) {
	if w.means == nil {
		w.means = &bases{problem: w.meanRows}
	}
	inner, c := &g.factors[0].group, g.centre
	sums := make([]neumaier, len(rows))
	for lo := 0; lo < len(c.have); lo += tile {
		hi := min(lo+tile, len(c.have))
		if err := w.means.fill(inner, rows, lo, hi); err != nil {
			return nil, err
		}
		for r := range rows {
			for s, b := range w.means.base[r*(hi-lo) : (r+1)*(hi-lo)] {
				if c.have[lo+s] {
					sums[r].add(centredValue(inner.one, b))
				}
			}
		}
	}
	list := make([]float64, len(rows))
	for r := range list {
		list[r] = sums[r].value() / float64(max(1, c.count))
	}
	return list, nil
}

// centreBases centres the values of a group between rows and the support vectors from lo on, which
// are in base, selfX and selfZ.
func (w *bases) centreBases(g *group, rows []row, means []float64, lo int) {
	c, t := g.centre, len(w.selfZ)
	for s := range w.selfZ {
		m := c.support[lo+s]
		w.selfZ[s] = c.self(w.selfZ[s], m)
		for r := range rows {
			w.base[r*t+s] += c.mean - means[r] - m
		}
	}
	for r, m := range means {
		w.selfX[r] = c.self(w.selfX[r], m)
	}
}

// foundMeans is m of the rows that came last, and which rows they are.
type foundMeans struct {
	group *group
	rows  *row
	list  []float64
}

// of returns m of the rows, which is computed once for all tiles of support vectors.
func (found *foundMeans) of(w *bases, g *group, rows []row) ([]float64, error) {
	if found.group == g && found.rows == &rows[0] && len(found.list) == len(rows) {
		return found.list, nil
	}
	list, err := w.meansOf(g, rows)
	*found = foundMeans{g, &rows[0], list}
	return list, err
}

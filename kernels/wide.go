package kernels

import (
	"math"
	"slices"
)

// An exponential kernel that is wide beside the points is nearly 1 for every pair of them: what
// tells points apart is the small difference k(s) - 1 = exp(-gamma s) - 1, of which a value near 1
// keeps few digits. The multiplicative normalisation then magnifies the rounding along with it.
// Where the dual variables sum to 0 a constant counts for nothing,
//
//	sum_i alpha_i (k(x_i, z) - 1) = sum_i alpha_i k(x_i, z),
//
// so that training takes k - 1 of wide kernels, which is rounded relative to itself. For gamma of
// 1e-9 of what it usually is that is nine digits more.

// wideSpan is the largest gamma times base of any two points for which a kernel is wide. The
// polynomial of package simd is for arguments up to 1, and what a kernel with a larger span would
// gain is less than a digit.
const wideSpan = 1

// FindWide marks the wide kernels of a bank, whose sums are those of k - 1 from here on. reach is
// the largest base of each group between two of the points, see Reaches. It may be called only
// where the dual variables sum to 0, and before anything is computed: which kernels are wide is a
// function of the kernels and of reach, so that all sums of a training agree on it.
//
// Values that are no sums (Transform, SelfValues) remain those of k.
func (b *Bank) FindWide(reach []float64) {
	for i := range b.Groups {
		g := &b.Groups[i]
		if !g.constantsCancel() || !(reach[i] > 0) {
			continue
		}
		found := false
		for j := range g.Members {
			m := &g.Members[j]
			if span := m.Gamma * reach[i]; span > 0 && span <= wideSpan {
				m.Wide, m.Constant = true, -math.Expm1(-span)
				found = true
			}
		}
		if found {
			g.plan()
		}
	}
}

// Constants returns for each kernel by number what its sums leave out, times its normaliser, or nil
// if no kernel is wide: with it a wide kernel is k - exp(-gamma reach), which is not negative for
// any pair of the points and as large as k - 1 is. Whoever sums with dual variables that do not sum
// to 0 has to add it.
func (b *Bank) Constants() []float64 {
	var constants []float64
	for i := range b.Groups {
		for _, m := range b.Groups[i].Members {
			if m.Wide {
				if constants == nil {
					constants = make([]float64, b.Len())
				}
				constants[m.ID] = m.Constant * b.Factor(int(m.ID))
			}
		}
	}
	return constants
}

// atZero is an exponential kernel of a point with itself: 1, or k - exp(-gamma reach) if it is
// wide.
func (m *Member) atZero() float64 {
	if m.Wide {
		return m.Constant
	}
	return 1
}

// constantsCancel reports whether the kernels of the group are exponentials of a distance without
// factors of their points, of which a constant counts for nothing where dual variables sum to 0.
func (g *Group) constantsCancel() bool { return g.exponentials() && !g.PointFactors() }

// asTheyAre makes the wide kernels of the group ordinary ones again. Other banks may share its
// members.
func (g *Group) asTheyAre() {
	if !slices.ContainsFunc(g.Members, func(m Member) bool { return m.Wide }) {
		return
	}
	g.Members = slices.Clone(g.Members)
	for j := range g.Members {
		g.Members[j].Wide, g.Members[j].Constant = false, 0
	}
	g.plan()
}

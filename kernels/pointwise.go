package kernels

// pointwise states which factors the kernels of a group have for each point. Values are multiplied by the factors of
// both points when they are added up: bases, and so cached rows, contain neither.
type pointwise struct {
	// Spherical means that the kernels are divided by the roots of k(x,x) and k(z,z) (Kloft 2011,
	// eq. 3.7). Such kernels have groups of their own.
	Spherical bool

	gated bool // kernels are multiplied by gates; see Bank.Gated
}

// PointFactors reports whether the kernels of the group have a factor for each point: under the
// spherical normalisation or under gates. RowFactors and ColumnFactors give these factors.
func (p *pointwise) PointFactors() bool { return p.Spherical || p.gated }

// Gated reports whether the kernels of the group have gates.
func (p *pointwise) Gated() bool { return p.gated }

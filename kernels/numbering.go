package kernels

// numbering is what is known of the kernels of a bank by their numbers, which are the order of the specifications.
type numbering struct {
	definite []bool
	places   []int32
}

// Len is the number of kernels.
func (n *numbering) Len() int { return len(n.definite) }

// Places returns each kernel's place in storage order, in which the members of a group lie side by
// side.
func (n *numbering) Places() []int32 { return n.places }

// Definite reports whether kernel id is positive semi-definite whatever the points are.
func (n *numbering) Definite(id int) bool { return n.definite[id] }

// factors are the multiplicative normalisers of the kernels of a bank.
type factors struct {
	Scale []float64 // factor of each kernel by number (Kloft 2011, eq. 3.6); nil: all are 1
}

// Factor is the multiplicative normaliser of kernel id.
func (f *factors) Factor(id int) float64 {
	// No kernel is normalised, or the normalisation is not known yet.
	if f.Scale == nil {
		return 1
	}
	return f.Scale[id]
}

// find returns the group and the member of kernel id.
func (b *Bank) find(id int) (*Group, *Member) {
	at := int(b.places[id])
	for i := range b.Groups {
		g := &b.Groups[i]
		// Groups follow each other in storage order.
		if at < g.First+len(g.Members) {
			return g, &g.Members[at-g.First]
		}
	}
	panic("kernels: no such kernel")
}

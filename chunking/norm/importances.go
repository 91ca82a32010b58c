package norm

import "bigmkl/chunking"

// importances are the factors e_m of the kernels, by which V and theta of the kernels e_m K_m differ from V and theta
// of the kernels K_m.
type importances struct {
	e []float64
	v []float64 // scratch: e_m V_m
}

// scaled gives e_m V_m, in memory that the next call uses again.
func (n *importances) scaled(V []float64) []float64 {
	for m, x := range V {
		n.v[m] = n.e[m] * x
	}
	return n.v
}

// plain gives theta' of weights theta in a new slice. A kernel of importance 0 has none.
func (n *importances) plain(theta []float64) []float64 {
	t := make([]float64, len(theta))
	for m, x := range theta {
		if n.e[m] > 0 {
			t[m] = x / n.e[m]
		}
	}
	return t
}

// options is a norm with what it may do beside being one, where that does not depend on the scale of a kernel. Another
// norm of which it is a part passes these calls on. A norm that lacks an option does nothing.
type options struct{ norm chunking.Norm }

// Sharpen implements chunking.Adaptive.
func (n options) Sharpen(near bool) bool {
	other, ok := n.norm.(chunking.Adaptive)
	return ok && other.Sharpen(near)
}

// Snapshot implements chunking.Adaptive.
func (n options) Snapshot() chunking.NormState {
	if other, ok := n.norm.(chunking.Adaptive); ok {
		return other.Snapshot()
	}
	return chunking.NormState{}
}

// Resume implements chunking.Adaptive. A norm that does not adapt has an empty state.
func (n options) Resume(s chunking.NormState) bool {
	other, ok := n.norm.(chunking.Adaptive)
	return !ok || other.Resume(s)
}

// Delicate implements chunking.Delicate.
func (n options) Delicate() bool {
	other, ok := n.norm.(chunking.Delicate)
	return ok && other.Delicate()
}

// Excludes implements chunking.Excluder.
func (n options) Excludes(m int, v float64) bool {
	other, ok := n.norm.(chunking.Excluder)
	return ok && other.Excludes(m, v)
}

// Dropped implements chunking.Excluder.
func (n options) Dropped(m int) bool { return chunking.Dropped(n.norm, m) }

// Indefinite implements chunking.Excluder.
func (n options) Indefinite() bool {
	other, ok := n.norm.(chunking.Excluder)
	return ok && other.Indefinite()
}

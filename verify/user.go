package verify

// fillUser has the values of a kernel computed by the code of the user, which gets the features
// of the kernel's set only. k(z,x) is asked for with the support vector first, as training does:
// code of the user need not be symmetric in the last digits.
func (w *bases) fillUser(g *group, rows []row, lo, hi int) {
	t := hi - lo
	own := func(x []float32) []float32 {
		if g.features == nil {
			return x
		}
		part := make([]float32, 0, len(g.features))
		for _, j := range g.features {
			part = append(part, x[j])
		}
		return part
	}
	var z [][]float32
	for s := range t {
		z = append(z, own(w.m.Vector(lo+s)))
		if g.spherical {
			g.user.Values(w.selfZ[s:s+1], z[s], z[s:])
		}
	}
	var x [][]float32
	for r := range rows {
		x = append(x, own(rows[r].x))
		g.user.Values(w.selfX[r:r+1], x[r], x[r:])
	}
	w.x = sized(w.x, len(rows))
	for s := range t {
		g.user.Values(w.x, z[s], x)
		for r, v := range w.x {
			w.base[r*t+s] = v
		}
	}
}

package mixture

// primalDual is a point of the primal-dual interior-point method (interior.go), or a step between two
// points. All numbers of a point are positive except y, the multipliers of equations. Points and steps have
// one type, because a Newton step changes each of these numbers.
type primalDual struct {
	x, z    []float64 // of each variable of the chunk, and the multiplier of its bound
	room, v []float64 // of each row: C_t - sum x_t, and its multiplier
	y       []float64 // of each component, the multiplier of its sum
}

// newPrimalDual returns a point of zeros, which its caller fills.
func newPrimalDual(variables, rows, components int) primalDual {
	return primalDual{make([]float64, variables), make([]float64, variables), make([]float64, rows),
		make([]float64, rows), make([]float64, components)}
}

// complementarity is sum x z + sum room v, which is the gap of the chunk once the residuals vanish.
func (p *primalDual) complementarity() float64 {
	gap := 0.0
	for v, x := range p.x {
		gap += x * p.z[v]
	}
	for i, x := range p.room {
		gap += x * p.v[i]
	}
	return gap
}

// longest returns the longest step, in lengths of d and at most 1, that goes the given share of
// the way to the nearest bound. A share below 1 keeps all numbers positive.
func (p *primalDual) longest(d *primalDual, share float64) float64 {
	length := 1.0
	// Only numbers that fall can come to 0. y has no sign and limits nothing.
	limit := func(x, dx []float64) {
		for i, s := range dx {
			if s < 0 {
				length = min(length, -share*x[i]/s)
			}
		}
	}
	limit(p.x, d.x)
	limit(p.z, d.z)
	limit(p.room, d.room)
	limit(p.v, d.v)
	return length
}

// after is the complementarity after a step, which is not taken. The predictor compares it with
// the present one to choose how far to centre (Mehrotra 1992).
func (p *primalDual) after(d *primalDual, length float64) float64 {
	gap := 0.0
	for v, x := range p.x {
		gap += (x + length*d.x[v]) * (p.z[v] + length*d.z[v])
	}
	for i, x := range p.room {
		gap += (x + length*d.room[i]) * (p.v[i] + length*d.v[i])
	}
	return gap
}

// take moves the point by length times d.
func (p *primalDual) take(d *primalDual, length float64) {
	for v := range p.x {
		p.x[v] += length * d.x[v]
		p.z[v] += length * d.z[v]
	}
	for i := range p.room {
		p.room[i] += length * d.room[i]
		p.v[i] += length * d.v[i]
	}
	for c := range p.y {
		p.y[c] += length * d.y[c]
	}
}

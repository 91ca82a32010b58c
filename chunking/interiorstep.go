package chunking

import "math"

// factorise sets D and T, and factorises H + 1/T.
func (n *interior) factorise() bool {
	clear(n.bound)
	for i := range n.pieces {
		p := &n.pieces[i]
		p.stiff = p.curvature
		if !p.free {
			p.stiff += p.z / p.t
			if !math.IsInf(p.cap, 1) {
				p.stiff += p.w / p.slack()
			}
		}
		if p.free {
			continue
		}
		n.bound[p.at] += 1 / p.stiff
	}
	mean := n.system.meanCurvature()
	for k, t := range n.bound {
		n.bound[k] = ridge * mean
		if t > 0 {
			n.bound[k] += 1 / t
		}
	}
	for i := range n.pieces {
		if p := &n.pieces[i]; p.free {
			n.bound[p.at] = ridge*mean + p.curvature
		}
	}
	if !n.system.factorise(n.bound) {
		return false
	}
	for k := range n.ones {
		n.ones[k] = 1
	}
	n.system.solve(n.ones)
	return true
}

// newton sets the step towards products of mu. The second one takes the second-order terms of the first into account.
func (n *interior) newton(mu float64, second bool) {
	for i := range n.pieces {
		p := &n.pieces[i]
		p.low, p.high = mu, mu
		if second {
			p.low, p.high = mu-p.dt*p.dz, mu+p.dt*p.dw
		}
	}
	n.direct()
}

// direct sets the step towards the products that the pieces have in low and high.
func (n *interior) direct() {
	clear(n.right)
	for i := range n.pieces {
		p := &n.pieces[i]
		p.push = -(n.slope(p) - p.z + p.w)
		if !p.free {
			p.push += p.low/p.t - p.z
			if !math.IsInf(p.cap, 1) {
				p.push -= p.high/p.slack() - p.w
			}
		}
		if p.free {
			n.right[p.at] = p.sign * p.push
			continue
		}
		n.right[p.at] += p.sign * p.push / p.stiff * n.bound[p.at]
	}
	n.system.solve(n.right)
	sum, answer := 0.0, 0.0
	for k, x := range n.right {
		sum, answer = sum+x+n.x[k], answer+n.ones[k]
	}
	db := sum / answer
	for k := range n.right {
		n.right[k] -= db * n.ones[k]
	}
	n.shift = db
	n.system.times(1, n.right, 0, n.middle)
	for i := range n.pieces {
		p := &n.pieces[i]
		if i > 0 && n.pieces[i-1].at == p.at {
			continue
		}
		p.dt = p.sign * n.right[p.at]
		if i+1 < len(n.pieces) && n.pieces[i+1].at == p.at {
			// Two pieces: the stiffer one follows from the slope, and the other one is what is left of dx.
			other := &n.pieces[i+1]
			slope := n.middle[p.at] + db
			if p.stiff > other.stiff {
				p.dt = (p.push - p.sign*slope) / p.stiff
				other.dt = other.sign * (n.right[p.at] - p.sign*p.dt)
			} else {
				other.dt = (other.push - other.sign*slope) / other.stiff
				p.dt = p.sign * (n.right[p.at] - other.sign*other.dt)
			}
			other.moveMultipliers()
			p.moveMultipliers()
			continue
		}
		p.moveMultipliers()
	}
}

// moveMultipliers sets the steps of the multipliers from the step of the piece.
func (p *piece) moveMultipliers() {
	if p.free {
		return
	}
	p.dz = p.low/p.t - p.z - p.z*p.dt/p.t
	if !math.IsInf(p.cap, 1) {
		p.dw = p.high/p.slack() - p.w + p.w*p.dt/p.slack()
	}
}

// room is how far the step may go before it comes to a bound.
func (n *interior) room() float64 {
	room := math.Inf(1)
	for i := range n.pieces {
		p := &n.pieces[i]
		if p.free {
			continue
		}
		if p.dt < 0 {
			room = min(room, -p.t/p.dt)
		}
		if p.dt > 0 && !math.IsInf(p.cap, 1) {
			room = min(room, p.slack()/p.dt)
		}
		if p.dz < 0 {
			room = min(room, -p.z/p.dz)
		}
		if p.dw < 0 {
			room = min(room, -p.w/p.dw)
		}
	}
	return room
}

// gapAt is the gap after a step of this length, or after a whole one.
func (n *interior) gapAt(length float64) (gap float64) {
	length = min(length, 1)
	for i := range n.pieces {
		p := n.pieces[i]
		p.t, p.z, p.w = p.t+length*p.dt, p.z+length*p.dz, p.w+length*p.dw
		gap += p.product()
	}
	return gap
}

// take takes a step.
func (n *interior) take(length float64) {
	for i := range n.pieces {
		p := &n.pieces[i]
		p.t, p.z, p.w = p.t+length*p.dt, p.z+length*p.dz, p.w+length*p.dw
	}
	n.bias += length * n.shift
	n.update()
}

package mixture

import "slices"

// crossover takes a solution inside of the bounds of a chunk to the bounds that it comes near, and keeps the sums of
// w_c exactly. Variables at a bound are held there.
type crossover struct {
	*chunk
	x    []float64
	held []bool
}

const (
	nearBound = 1e-5  // of the largest l_t, for variables that lie at a bound
	sumsOff   = 1e-12 // of the sum of |w_c| that a repair may leave
	// repairings is the largest number of rounds. A few suffice where a repair is possible.
	repairings = 20
)

// newCrossover starts from a solution, which stays as it is.
func newCrossover(c *chunk, x []float64) *crossover {
	return &crossover{c, slices.Clone(x), make([]bool, len(x))}
}

// snap puts variables at the bounds that their multipliers press them to.
func (c *crossover) snap(p *primalDual) {
	x, held := c.x, c.held
	// Bounds are near or far relative to the largest l_t of the chunk, because costs may differ by
	// orders of magnitude between rows.
	largest := 0.0
	for i := range c.rows {
		largest = max(largest, sum(x[c.start[i]:c.start[i+1]]))
	}
	hold := func(from, to int) {
		for v := from; v < to; v++ {
			held[v] = true
		}
	}
	for i := range c.rows {
		from, to := c.start[i], c.start[i+1]
		total := sum(x[from:to])
		// Without H(Q) each variable may be 0 by itself. With it a positive l_t makes every l_tc
		// positive, so a row is at 0 with all its variables or with none.
		if c.Drop {
			for v := from; v < to; v++ {
				if x[v] < nearBound*largest && x[v] < p.z[v]*largest {
					x[v], held[v] = 0, true
				}
			}
		} else if press := least(p.z[from:to]); total < nearBound*largest && total < press*largest {
			clear(x[from:to])
			hold(from, to)
			continue
		}
		// A row is held at its cost where the multiplier of the cost is larger than the room that is
		// left, each relative to its own scale. Between the two the interior point has not decided.
		total = sum(x[from:to])
		if room := c.cost[i] - total; room < nearBound*c.cost[i] && room < p.v[i]*c.cost[i] && total > 0 {
			for v := from; v < to; v++ {
				x[v] *= c.cost[i] / total
			}
			hold(from, to)
		}
	}
}

// repair moves variables that are not held by as little as brings the sums back to what they were,
// each in proportion to its distance from its bounds. It reports whether that was possible.
func (c *crossover) repair() bool {
	x, held, size, k := c.x, c.held, len(c.x), c.components()
	for range repairings {
		// The square of the distance to the nearest bound is the weight, so a variable near a bound
		// moves least and the repair leaves its decision as it is.
		weight := make([]float64, size)
		for i := range c.rows {
			from, to := c.start[i], c.start[i+1]
			room := c.cost[i] - sum(x[from:to])
			for v := from; v < to; v++ {
				if d := min(x[v], room); !held[v] && d > 0 {
					weight[v] = d * d
				}
			}
		}
		off, scale := c.sumsOff(x)
		if balanced(off, scale) {
			return c.within(x)
		}
		step := leastSquares(c.a, weight, off, k)
		for v := range x {
			to := x[v]
			for m, y := range step {
				to -= weight[v] * c.a[m*size+v] * y
			}
			// No variable goes most of the way to 0 at once; the others make up for it next time.
			x[v] = max(to, x[v]/10)
		}
		for i, cost := range c.cost {
			part := x[c.start[i]:c.start[i+1]]
			if total := sum(part); total > cost {
				for v := range part {
					// A row that the repair has moved above its cost is scaled back. That changes the
					// sums again, which the next round takes up.
					part[v] *= cost / total
				}
			}
		}
	}
	off, scale := c.sumsOff(x)
	return balanced(off, scale) && c.within(x)
}

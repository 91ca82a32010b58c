package probability

import "math"

// Normalise computes the probabilities of classes that each have a classifier against the rest: the
// sigmoids divided by their sum. The result is right even if all sigmoids are too small for a
// float64. The arguments of and decisions have one element for each class, and the result is
// written to p.
func Normalise(p []float64, of []Sigmoid, decisions []float64) {
	most := math.Inf(-1)
	for k, s := range of {
		z := min(s.A*decisions[k]+s.B, math.MaxFloat64)
		// This is the logarithm of the sigmoid.
		p[k] = -max(z, 0) - math.Log1p(math.Exp(-math.Abs(z)))
		most = max(most, p[k])
	}
	sum := 0.0
	for k, l := range p {
		p[k] = math.Exp(l - most)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
}

// These constants control the coupling. Its iteration converges linearly, as a rule in a few dozen
// sweeps.
const (
	mostSweeps = 1000
	// coupled is the largest |(Qp)_k - p'Qp| at convergence.
	coupled = 1e-12
	// leastPair is the least distance of a pairwise probability from 0 and 1. At 0 some class could
	// not be compared with any other.
	leastPair = 1e-7
)

// Coupling turns probabilities of pairs of classes into probabilities of the classes. It holds
// memory for one evaluation at a time.
type Coupling struct {
	classes int
	q, qp   []float64
}

// NewCoupling returns a Coupling of the given number of classes, which is at least two.
func NewCoupling(classes int) *Coupling {
	return &Coupling{classes: classes, q: make([]float64, classes*classes),
		qp: make([]float64, classes)}
}

// Couple writes to p the minimum of sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2 over probabilities
// p. This is the second method of Wu, Lin and Weng (2004), by their Algorithm 2. The argument pairs
// holds r_ij, the probability of class i given that the class is i or j, for i < j in the order
// (0,1), (0,2), .., (1,2), ..
func (c *Coupling) Couple(p, pairs []float64) {
	k := c.classes
	clear(c.q)
	at := 0
	for i := range k {
		for j := i + 1; j < k; j++ {
			r := min(max(pairs[at], leastPair), 1-leastPair)
			at++
			s := 1 - r                          // s is r_ji.
			c.q[i*k+i] += s * s                 // Q_ii = sum_j r_ji^2
			c.q[j*k+j] += r * r                 //
			c.q[i*k+j], c.q[j*k+i] = -s*r, -s*r // Q_ij = -r_ji r_ij
		}
	}
	for i := range p {
		p[i] = 1 / float64(k)
	}
	for range mostSweeps {
		// Qp is computed again for each sweep, so rounding does not add up.
		energy := 0.0
		for i := range k {
			c.qp[i] = 0
			for j, x := range p {
				c.qp[i] += c.q[i*k+j] * x
			}
			energy += p[i] * c.qp[i]
		}
		worst := 0.0
		for _, x := range c.qp {
			worst = max(worst, math.Abs(x-energy))
		}
		if worst <= coupled/float64(k) {
			break
		}
		for t := range k {
			energy = c.step(p, t, energy)
		}
	}
}

// step sets p_t to the value for which (Qp)_t = p'Qp while the others stay, and normalises p. It
// updates Qp and returns p'Qp.
func (c *Coupling) step(p []float64, t int, energy float64) float64 {
	k := c.classes
	d := (energy - c.qp[t]) / c.q[t*k+t]
	p[t] += d
	whole := 1 + d
	energy = (energy + d*(d*c.q[t*k+t]+2*c.qp[t])) / (whole * whole)
	for j := range k {
		c.qp[j] = (c.qp[j] + d*c.q[t*k+j]) / whole
		p[j] /= whole
	}
	return energy
}

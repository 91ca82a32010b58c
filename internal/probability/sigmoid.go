package probability

import "math"

// Sigmoid is the function P(y = 1 | f) = 1 / (1 + exp(A f + B)) of a decision value f.
type Sigmoid struct{ A, B float64 }

// At returns the probability at a decision value, without overflow.
func (s Sigmoid) At(f float64) float64 {
	z := s.A*f + s.B
	if z >= 0 {
		e := math.Exp(-z)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(z))
}

// Valid reports whether Fit can return this sigmoid, which is so if it is finite and does not fall
// as f grows.
func (s Sigmoid) Valid() bool { return s.A-s.A == 0 && s.B-s.B == 0 && s.A <= 0 }

// These constants control the Newton steps. The values are first scaled to at most 1, so no
// constant depends on their unit.
const (
	mostSteps = 200
	// enough bounds the gradient at convergence, for each value.
	enough = 1e-12
	// ridge is added to the Hessian, for each value.
	ridge = 1e-12
	// sufficient is the share of the predicted decrease that a step must achieve.
	sufficient = 1e-4
	// shortest is the length of a step below which there is only rounding.
	shortest = 1e-10
	// leastSpread is the relative spread of values that counts as none.
	leastSpread = 1e-13
)

// Fit returns the sigmoid of maximum likelihood for decision values of rows that are positive or
// not. It uses Newton's method with backtracking on the convex function of Lin, Lin and Weng
// (2007), equation 5. If the values contradict the classes, so A would be above 0, A is 0, and the
// probability is the share of the class. There must be at least one value, and all must be finite.
func Fit(decisions []float64, positive []bool) Sigmoid {
	if len(decisions) == 0 || len(decisions) != len(positive) {
		panic("probability: a sigmoid of no values, or of others than there are rows")
	}
	p := newProblem(decisions, positive)
	start := Sigmoid{B: math.Log((p.negatives + 1) / (p.positives + 1))}
	flat := Sigmoid{B: math.Log(1/p.mean() - 1)} // This is the best sigmoid with A = 0.
	if p.scale == 0 {
		return flat
	}
	s := p.minimise(start)
	if s.A /= p.scale; !(s.A < 0) || !s.Valid() {
		return flat
	}
	return s
}

// problem is the minimisation of -sum_i (t_i log p_i + (1 - t_i) log(1 - p_i)), where p_i is the
// sigmoid at f_i / scale.
type problem struct {
	f                    []float64
	positive             []bool
	scale                float64 // scale is the largest |f|, or 0 if f does not vary.
	positives, negatives float64
	high, low            float64 // high and low are the targets of positive and negative rows.
}

func newProblem(f []float64, positive []bool) *problem {
	p := &problem{f: f, positive: positive}
	least, most := f[0], f[0]
	for i, x := range f {
		least, most = min(least, x), max(most, x)
		if positive[i] {
			p.positives++
		} else {
			p.negatives++
		}
	}
	if p.scale = max(-least, most); most-least <= leastSpread*p.scale {
		p.scale = 0
	}
	p.high, p.low = (p.positives+1)/(p.positives+2), 1/(p.negatives+2)
	return p
}

// mean returns the mean of the targets.
func (p *problem) mean() float64 {
	return (p.high*p.positives + p.low*p.negatives) / (p.positives + p.negatives)
}

func (p *problem) target(i int) float64 {
	if p.positive[i] {
		return p.high
	}
	return p.low
}

// value returns the sum of t z + log(1 + exp(-z)) in the form that does not overflow (Lin, Lin and
// Weng, section 3).
func (p *problem) value(s Sigmoid) float64 {
	sum := 0.0
	for i, f := range p.f {
		z, t := s.A*(f/p.scale)+s.B, p.target(i)
		if z >= 0 {
			sum += t*z + math.Log1p(math.Exp(-z))
		} else {
			sum += (t-1)*z + math.Log1p(math.Exp(z))
		}
	}
	return sum
}

// derivatives returns the gradient with respect to A and B, and the Hessian.
func (p *problem) derivatives(s Sigmoid) (ga, gb, haa, hab, hbb float64) {
	for i, f := range p.f {
		x := f / p.scale
		z := s.A*x + s.B
		q := math.Exp(-math.Abs(z)) // q gives the smaller of p and 1 - p.
		small, large := q/(1+q), 1/(1+q)
		if z < 0 {
			small, large = large, small
		}
		d := p.target(i) - small
		ga, gb = ga+x*d, gb+d
		w := small * large
		haa, hab, hbb = haa+w*x*x, hab+w*x, hbb+w
	}
	return
}

// minimise is Algorithm 1 of Lin, Lin and Weng (2007).
func (p *problem) minimise(s Sigmoid) Sigmoid {
	n := float64(len(p.f))
	value := p.value(s)
	for range mostSteps {
		ga, gb, haa, hab, hbb := p.derivatives(s)
		if max(math.Abs(ga), math.Abs(gb)) <= enough*n {
			break
		}
		haa, hbb = haa+ridge*n, hbb+ridge*n
		determinant := haa*hbb - hab*hab
		da, db := -(hbb*ga-hab*gb)/determinant, -(haa*gb-hab*ga)/determinant
		slope := ga*da + gb*db
		step := 1.0
		for ; step >= shortest; step /= 2 {
			next := Sigmoid{s.A + step*da, s.B + step*db}
			if v := p.value(next); v < value+sufficient*step*slope {
				s, value = next, v
				break
			}
		}
		if step < shortest {
			break
		}
	}
	return s
}

package gating

import (
	"math"

	"bigmkl/internal/fail"
)

// Gates that are learned are functions of the gating features z of a point, with an exponent for
// each gate:
//
//	softmax   a_m = v_m'z + v_m0            eta_m = exp(a_m) / sum_h exp(a_h)     (eq. 3.2)
//	sigmoid   a_m = v_m'z + v_m0            eta_m = 1 / (1 + exp(-a_m))           (eq. 3.3)
//	gauss     a_m = -|z - mu_m|^2 / s_m^2   eta_m = exp(a_m) / sum_h exp(a_h)     (eq. 3.4)
//
// Their derivatives by the exponents are eta_m (delta_mh - eta_h) where gates share the weight 1 of
// a point, and eta_m (1 - eta_m) where they do not. The function that is minimised over the
// parameters comes in as its derivatives by the gates of each point, and nothing else is known of
// it.

// Form is how gates follow from the gating features.
type Form uint8

// These are the forms.
const (
	Softmax Form = iota
	Sigmoid
	Gauss
)

// ParseForm returns the form of a name: softmax, sigmoid or gauss. Any other is of class
// fail.Usage.
func ParseForm(name string) (Form, error) {
	for form, own := range []string{"softmax", "sigmoid", "gauss"} {
		if own == name {
			return Form(form), nil
		}
	}
	return 0, fail.New(fail.Usage, "unknown gates %s (softmax, sigmoid or gauss)", fail.Quote(name))
}

// Learned are gates of one form with their parameters.
type Learned struct {
	Form Form
	// Features is the number of gating features d.
	Features int
	// Parameters has d + 1 numbers for each gate: v_m and v_m0 or, of gauss, mu_m and log s_m.
	// Spreads move as logarithms, so no step makes one negative.
	Parameters []float64
	// Floor is the value below which a gate is closed, which Closed does.
	Floor float64
}

// Gates returns the number of gates.
func (l *Learned) Gates() int { return len(l.Parameters) / (l.Features + 1) }

// of returns the parameters of a gate: those for the features, and the last one.
func (l *Learned) of(gate int) (v []float64, last float64) {
	at := gate * (l.Features + 1)
	return l.Parameters[at : at+l.Features], l.Parameters[at+l.Features]
}

// Values writes the gates of a point with the gating features z to eta. All of them are finite
// whatever finite numbers the parameters are.
func (l *Learned) Values(z, eta []float64) {
	for m := range eta {
		v, last := l.of(m)
		if l.Form == Gauss {
			eta[m] = -squaredDistance(z, v) * math.Exp(-2*last)
			continue
		}
		eta[m] = last
		for j, x := range z {
			eta[m] += v[j] * x
		}
	}
	if l.Form == Sigmoid {
		for m, a := range eta {
			eta[m] = 1 / (1 + math.Exp(-a))
		}
		return
	}
	// With the largest exponent taken off, one term is 1 and no term overflows.
	largest, sum := math.Inf(-1), 0.0
	for _, a := range eta {
		largest = max(largest, a)
	}
	for m, a := range eta {
		eta[m] = math.Exp(a - largest)
		sum += eta[m]
	}
	for m := range eta {
		eta[m] /= sum
	}
}

// Closed sets the gates that are below the floor to exactly 0. A kernel is not computed where its
// gate is closed.
func (l *Learned) Closed(eta []float64) {
	for m, x := range eta {
		if x < l.Floor {
			eta[m] = 0
		}
	}
}

// AddSlope adds to slope, which has the length of Parameters, what a point with the gating features
// z and the gates eta adds to the derivatives of a function by the parameters. changes has the
// derivative of the function by each gate of this point times the gate, and is overwritten. A gate
// below the floor has the change 0, and is in eta as it was before it was closed.
//
// For J(V) = max D of a kernel classifier the changes are -q_m = -theta_m alpha_i eta_m u_m(x_i),
// with u_m = K_m (eta_m alpha), and their part by the exponent of softmax is -r_m = -(q_m - eta_m
// sum_h q_h).
func (l *Learned) AddSlope(z, eta, changes, slope []float64) {
	sum := 0.0
	for _, x := range changes {
		sum += x
	}
	for m, x := range changes {
		if l.Form == Sigmoid {
			changes[m] = x * (1 - eta[m])
		} else {
			changes[m] = x - eta[m]*sum
		}
	}
	for m, x := range changes {
		if x == 0 {
			continue // The gate is closed, or open to the end, and does not move.
		}
		own := slope[m*(l.Features+1) : (m+1)*(l.Features+1)]
		if l.Form != Gauss {
			for j, feature := range z {
				own[j] += x * feature
			}
			own[l.Features] += x
			continue
		}
		mu, logSpread := l.of(m)
		x *= 2 * math.Exp(-2*logSpread)
		for j, feature := range z {
			own[j] += x * (feature - mu[j])
		}
		own[l.Features] += x * squaredDistance(z, mu)
	}
}

// Decay returns sum over gates of |v_m|^2 / 2, without offsets and spreads, which do not harden a
// gate, and adds factor times its slope to slope, unless that is nil.
func (l *Learned) Decay(factor float64, slope []float64) float64 {
	half := 0.0
	for k, v := range l.Parameters {
		if k%(l.Features+1) == l.Features {
			continue
		}
		half += v * v / 2
		if slope != nil {
			slope[k] += factor * v
		}
	}
	return half
}

// Spreads marks which parameters are logarithms of spreads. It is nil for other forms than Gauss.
func (l *Learned) Spreads() []bool {
	if l.Form != Gauss {
		return nil
	}
	are := make([]bool, len(l.Parameters))
	for k := l.Features; k < len(are); k += l.Features + 1 {
		are[k] = true
	}
	return are
}

// The bounds of Gaussian gates: of the coordinates of centres, in deviations of the features, and of spreads,
// in the root mean square length of d features. A gate that is narrower, or whose centre is further away, is 0
// or 1 at most points. It has no slope there, and a slope without end at the others.
const (
	mostCentre                = 3
	leastLearned, mostLearned = 0.5, 10
)

// Bounds returns the bounds of the parameters. They are nil for other forms than Gauss.
func (l *Learned) Bounds() (lower, upper []float64) {
	if l.Form != Gauss {
		return nil, nil
	}
	lower, upper = make([]float64, len(l.Parameters)), make([]float64, len(l.Parameters))
	unit := math.Sqrt(float64(max(1, l.Features)))
	for k := range l.Parameters {
		lower[k], upper[k] = -mostCentre, mostCentre
		if k%(l.Features+1) == l.Features {
			lower[k], upper[k] = math.Log(leastLearned*unit), math.Log(mostLearned*unit)
		}
	}
	return lower, upper
}

// Free takes from a slope, in place, what would push parameters out of bounds where they are at them. What is
// left measures how far the gates are from a stationary point.
func (l *Learned) Free(slope []float64) {
	lower, upper := l.Bounds()
	for k, x := range lower {
		if l.Parameters[k] == x && slope[k] > 0 || l.Parameters[k] == upper[k] && slope[k] < 0 {
			slope[k] = 0
		}
	}
}

package model

import (
	"math"
)

// Machine returns machine k as a model of its own, for the two classes that it separates. The
// result shares memory with m.
func (m *Model) Machine(k int) *Model {
	a := &m.Machines[k]
	r := *m
	r.Multiclass, r.Classes, r.ClassWeights, r.Machines = "", nil, nil, nil
	r.Positive, r.Negative = m.Classes[a.Positive], negativeName(m, a)
	r.PositiveWeight, r.NegativeWeight = classWeight(m, a.Positive), 1
	if a.Negative != Rest {
		r.NegativeWeight = classWeight(m, a.Negative)
	}
	if m.OneTheta {
		r.OneTheta, r.Norm, r.Weights = false, 2, m.Shared()
	}
	if m.Sigmoids != nil {
		r.Sigmoids = m.Sigmoids[k : k+1 : k+1]
	}
	if m.learnsGatesEach() || m.hasLandmarks() {
		g := m.Gates().OfMachine(k)
		g.Landmarks = g.Landmarks.of(a.Support)
		r.SetGates(g)
	}
	r.Double, r.Theta, r.WNorms, r.Bias, r.Alpha, r.Certificate = a.Double, a.Theta, a.WNorms,
		a.Bias, a.Alpha, a.Certificate
	r.Support = make([]int32, len(a.Support))
	for i, s := range a.Support {
		r.Support[i] = m.Support[s]
	}
	r.Vectors, r.Sparse, r.Rows = nil, nil, nil
	if m.Sparse != nil {
		shared := *m.Sparse
		shared.places = a.Support
		r.Sparse = &shared
	} else if m.HasVectors() {
		r.Rows = func(s int, dst []float32) { copy(dst, m.Vector(int(a.Support[s]))) }
	}
	return &r
}

// Worst returns the certificate with the largest gap of all machines and the number of its machine.
// The kind is that of the weakest proof of any machine. If there is one certificate for the whole
// model, it returns that one and -1.
func (m *Model) Worst() (c Certificate, machine int) {
	c, machine = m.Certificate, -1
	if m.OneTheta {
		return c, machine
	}
	kind := "gap"
	for k := range m.Machines {
		a := &m.Machines[k]
		if machine < 0 || a.Certificate.RelativeGap > c.RelativeGap {
			c, machine = a.Certificate, k
		}
		if a.Certificate.Kind != kind {
			kind = a.Certificate.Kind
		}
	}
	if machine >= 0 {
		c.Kind = kind
	}
	return c, machine
}

// Shared returns the common weights of machines with OneTheta, one for each kernel. A machine
// itself has no weight for a kernel whose function vanishes.
func (m *Model) Shared() []float64 {
	theta := make([]float64, m.Len())
	for i := range m.Machines {
		for k, x := range m.Machines[i].Theta {
			theta[k] = max(theta[k], x)
		}
	}
	return theta
}

// Together returns the norm ||w_m|| of each kernel over all machines, which is the square root of
// the sum of squares.
func Together(m *Model) []float64 {
	w := make([]float64, m.Len())
	for i := range m.Machines {
		for k, x := range m.Machines[i].WNorms {
			w[k] = math.Hypot(w[k], x)
		}
	}
	return w
}

// Name returns the names of the classes that machine k separates.
func (m *Model) Name(k int) string {
	a := &m.Machines[k]
	if a.Negative == Rest {
		return m.Classes[a.Positive]
	}
	return m.Classes[a.Positive] + " and " + m.Classes[a.Negative]
}

// negativeName returns the name of what a machine separates its positive class from.
func negativeName(m *Model, a *Machine) string {
	if a.Negative == Rest {
		return "rest"
	}
	return m.Classes[a.Negative]
}

func classWeight(m *Model, class int32) float64 {
	if m.ClassWeights == nil {
		return 1
	}
	return m.ClassWeights[class]
}

package model

import (
	"math"
)

// How a model of several machines decides.
const (
	OneVsRest  = "ovr"    // a machine for each class against all others: the largest decision wins
	OneVsOne   = "ovo"    // a machine for each pair of classes: most votes win, the sum of the decisions where they tie
	MultiLabel = "labels" // a machine for each label against its absence: a row has those whose decision is above 0
)

// Multiclasses lists them.
var Multiclasses = []string{OneVsRest, OneVsOne, MultiLabel}

// Rest stands for all other classes.
const Rest = -1

// Machine is one of several two-class machines that share data, kernels and support vectors.
type Machine struct {
	Positive, Negative int32 // classes, by their places in Model.Classes; Negative may be Rest
	Double             bool  // as Model.Double
	Theta, WNorms      []float64
	Bias               float64
	Support            []int32 // support vectors, by their places in Model.Support, ascending
	Alpha              []float64
	Certificate        Certificate
}

// Several tells whether the model has several machines. Its own weights, bias and dual variables are those of a model of
// one; nothing is in them then.
func (m *Model) Several() bool { return m.Multiclass != "" }

// Len is the number of kernels.
func (m *Model) Len() int {
	if len(m.Machines) > 0 {
		return len(m.Machines[0].Theta)
	}
	return len(m.Theta)
}

// Machine gives machine k as a model of its own, of the two classes that it tells apart. It shares memory with the model.
func (m *Model) Machine(k int) *Model {
	a := &m.Machines[k]
	r := *m
	r.Multiclass, r.Classes, r.ClassWeights, r.Machines = "", nil, nil, nil
	r.Positive, r.Negative = m.Classes[a.Positive], m.negative(a)
	r.PositiveWeight, r.NegativeWeight = m.classWeight(a.Positive), 1
	if a.Negative != Rest {
		r.NegativeWeight = m.classWeight(a.Negative)
	}
	if m.OneTheta {
		r.OneTheta, r.Norm, r.Weights = false, 2, m.Shared()
	}
	if m.Sigmoids != nil {
		r.Sigmoids = m.Sigmoids[k : k+1 : k+1]
	}
	r.Double, r.Theta, r.WNorms, r.Bias, r.Alpha, r.Certificate = a.Double, a.Theta, a.WNorms, a.Bias, a.Alpha, a.Certificate
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

// Worst is the certificate with the largest gap of all machines, the kind being that of the weakest proof, and the number of the
// machine. If the machines have one set of weights it is that of all together, as in a model of one machine, and the number -1.
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

// Shared is the weights of all machines where these have one set. A machine has no weight for a kernel whose function vanishes.
func (m *Model) Shared() []float64 {
	theta := make([]float64, m.Len())
	for i := range m.Machines {
		for k, x := range m.Machines[i].Theta {
			theta[k] = max(theta[k], x)
		}
	}
	return theta
}

// Together is ||w_m|| over all machines.
func (m *Model) Together() []float64 {
	w := make([]float64, m.Len())
	for i := range m.Machines {
		for k, x := range m.Machines[i].WNorms {
			w[k] = math.Hypot(w[k], x)
		}
	}
	return w
}

// Name says which classes machine k tells apart.
func (m *Model) Name(k int) string {
	a := &m.Machines[k]
	if a.Negative == Rest {
		return m.Classes[a.Positive]
	}
	return m.Classes[a.Positive] + " and " + m.Classes[a.Negative]
}

// negative is the name of what a machine sets against its class.
func (m *Model) negative(a *Machine) string {
	if a.Negative == Rest {
		return "rest"
	}
	return m.Classes[a.Negative]
}

func (m *Model) classWeight(class int32) float64 {
	if m.ClassWeights == nil {
		return 1
	}
	return m.ClassWeights[class]
}

// Pairs lists which classes the machines tell apart, in the order of the machines; Rest stands for all others.
func Pairs(multiclass string, classes int) [][2]int32 {
	var r [][2]int32
	for a := range int32(classes) {
		if multiclass != OneVsOne {
			r = append(r, [2]int32{a, Rest})
			continue
		}
		for b := a + 1; b < int32(classes); b++ {
			r = append(r, [2]int32{a, b})
		}
	}
	return r
}

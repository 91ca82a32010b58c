package model

import (
	"math"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
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
	r.Vectors, r.Rows = nil, nil
	if m.HasVectors() {
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

// Of the tensors that describe machines: machine_classes and machine_numbers have a row each.
const (
	machineClasses = 4 // positive, negative, double, number of support vectors
	machineNumbers = 4 // bias, primal, dual, relative gap
)

// packed is the machines as tensors: what a machine has of the same name stands one behind the other.
type packed struct {
	classes, support            []int32
	numbers, theta, norms, dual []float64
	sigmoids                    []float64 // A and B, of one machine, too
}

// pack gives the tensors of the machines.
func (m *Model) pack() *packed {
	p := &packed{}
	for _, s := range m.Sigmoids {
		p.sigmoids = append(p.sigmoids, s.A, s.B)
	}
	if m.Several() { // without any support vectors, too
		p.support, p.dual = []int32{}, []float64{}
	}
	for i := range m.Machines {
		a := &m.Machines[i]
		double := int32(0)
		if a.Double {
			double = 1
		}
		p.classes = append(p.classes, a.Positive, a.Negative, double, int32(len(a.Support)))
		p.numbers = append(p.numbers, a.Bias, a.Certificate.Primal, a.Certificate.Dual, a.Certificate.RelativeGap)
		p.theta, p.norms = append(p.theta, a.Theta...), append(p.norms, a.WNorms...)
		p.dual, p.support = append(p.dual, a.Alpha...), append(p.support, a.Support...)
	}
	return p
}

// unpack makes the machines of the tensors. kinds are the certificates of each.
func (m *Model) unpack(p *packed, kinds []string) error {
	count := len(p.classes) / machineClasses
	kernels := 0
	if count > 0 {
		kernels = len(p.theta) / count
	}
	if count == 0 || len(p.classes) != count*machineClasses || len(p.numbers) != count*machineNumbers || len(p.theta) != count*kernels ||
		len(p.norms) != len(p.theta) || len(p.dual) != len(p.support) || len(kinds) != count {
		return fail.New(fail.Corrupt, "the machines do not fit together")
	}
	if len(p.dual) == 0 {
		p.dual, p.support = []float64{}, []int32{}
	}
	at := 0
	m.Machines = make([]Machine, 0, count)
	for i := range count {
		c, x := p.classes[i*machineClasses:], p.numbers[i*machineNumbers:]
		n := int(c[3])
		if n < 0 || n > len(p.support)-at || c[2] < 0 || c[2] > 1 {
			return fail.New(fail.Corrupt, "machine %d has %d support vectors", i, n)
		}
		m.Machines = append(m.Machines, Machine{
			Positive: c[0], Negative: c[1], Double: c[2] == 1,
			Theta: slices.Clip(p.theta[i*kernels : (i+1)*kernels]), WNorms: slices.Clip(p.norms[i*kernels : (i+1)*kernels]),
			Bias: x[0], Support: slices.Clip(p.support[at : at+n]), Alpha: slices.Clip(p.dual[at : at+n]),
			Certificate: Certificate{Kind: kinds[i], Primal: x[1], Dual: x[2], RelativeGap: x[3]},
		})
		at += n
	}
	if at != len(p.support) {
		return fail.New(fail.Corrupt, "dual variables of no machine")
	}
	return nil
}

// Machines of classes: how many there are, and which classes machine k tells apart.
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

// checkMachines checks what there are of several machines.
func (m *Model) checkMachines(f *faults) {
	if !m.Several() {
		f.check(m.Machines == nil && m.Classes == nil && m.ClassWeights == nil && !m.OneTheta, "machines of a model of one")
		return
	}
	f.check(slices.Contains(Multiclasses, m.Multiclass), "unknown decision %s of several machines", clip(m.Multiclass))
	f.check(m.Task == TaskClass, "several machines in task %s", clip(m.Task))
	least := 3
	if m.Multiclass == MultiLabel {
		least = 1
	}
	f.check(len(m.Classes) >= least && len(m.Classes) <= dataset.MaxClasses, "%d classes", len(m.Classes))
	f.check(m.Positive == "" && m.Negative == "" && m.PositiveLabels == nil && m.Theta == nil && m.WNorms == nil && m.Alpha == nil && m.Bias == 0,
		"a machine beside several")
	seen := map[string]bool{}
	for _, c := range m.Classes {
		before := len(*f)
		f.check(!seen[c], "two classes are called %s", clip(c))
		f.check(c != "" && (m.Multiclass != MultiLabel || c != dataset.EmptySet && !strings.Contains(c, ",")), "%s is no name of a class", clip(c))
		if seen[c] = true; len(*f) > before {
			break // the others may be as many as the classes
		}
	}
	if m.OneTheta {
		f.check(m.Multiclass != OneVsOne && m.Norm <= 2, "one set of weights with %s at p = %v", clip(m.Multiclass), m.Norm)
	}
	f.check(m.ClassWeights == nil || len(m.ClassWeights) == len(m.Classes), "%d weights of %d classes", len(m.ClassWeights), len(m.Classes))
	f.each("class_weights", m.ClassWeights, above0, "positive")
	pairs := [][2]int32(nil)
	if most := len(m.Machines); m.Multiclass != OneVsOne && most == len(m.Classes) || m.Multiclass == OneVsOne && len(m.Classes) <= math.MaxInt16 && 2*most == len(m.Classes)*(len(m.Classes)-1) {
		pairs = Pairs(m.Multiclass, len(m.Classes))
	}
	f.check(pairs != nil, "%d machines of %d classes", len(m.Machines), len(m.Classes))
	used := make([]bool, len(m.Support))
	for k := range pairs {
		a := &m.Machines[k]
		f.check(a.Positive == pairs[k][0] && a.Negative == pairs[k][1], "machine %d tells classes %d and %d apart", k, a.Positive, a.Negative)
		if before := len(*f); !a.check(f, m) {
			for i := range (*f)[before:] {
				(*f)[before+i] += " of machine " + clip(m.Classes[pairs[k][0]])
			}
			return
		}
		for _, s := range a.Support {
			used[s] = true
		}
	}
	f.check(!slices.Contains(used, false), "a support vector of no machine")
	if m.OneTheta {
		m.checkOneTheta(f)
	}
}

func (m *Model) checkOneTheta(f *faults) {
	shared := m.Shared()
	for i := range m.Machines {
		for k, x := range m.Machines[i].Theta {
			if x != shared[k] && x != 0 {
				f.check(false, "weight %d of machine %d is %v, of others %v", k, i, x, shared[k])
				return
			}
		}
	}
}

// check finds faults of one machine and reports false if there are.
func (a *Machine) check(f *faults, m *Model) bool {
	before, kernels := len(*f), m.Len()
	f.check(kernels > 0 && len(a.Theta) == kernels && len(a.WNorms) == kernels, "%d weights and %d norms of %d kernels", len(a.Theta), len(a.WNorms), kernels)
	f.each("theta", a.Theta, atLeast0, "finite and >= 0")
	f.each("w_norms", a.WNorms, atLeast0, "finite and >= 0")
	f.check(len(a.Alpha) == len(a.Support), "%d dual variables for %d support vectors", len(a.Alpha), len(a.Support))
	f.each("alpha", a.Alpha, func(x float64) bool { return finite(x) && x != 0 }, "finite and other than 0")
	f.check(finite(a.Bias), "bias %v", a.Bias)
	a.Certificate.check(f)
	f.check(ascending(a.Support, len(m.Support)), "support vectors out of order or out of range")
	return len(*f) == before
}

// ascending tells whether a list holds different numbers below n in order.
func ascending(list []int32, n int) bool {
	last := int32(-1)
	for _, i := range list {
		if i <= last || int(i) >= n {
			return false
		}
		last = i
	}
	return true
}

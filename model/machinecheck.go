package model

import (
	"math"
	"slices"
	"strings"

	"bigmkl/dataset"
)

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
	f.each("w_norms", a.WNorms, squared, ">= 0 with a finite square")
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

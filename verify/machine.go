package verify

import (
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// machine is one of the machines of a model, or its only one.
type machine struct {
	*model.Model         // as a model of its own, but for its support vectors
	name         string  // "" of the only one
	at           []int32 // its support vectors, by their places among those of the model
	norm         *regularizer
	linear       linearPart
	unit         float64 // relative rounding that the solver's arithmetic may have left in a sum
	dearest      float64 // bound of a dual variable, without row weights
}

// machinesOf lists the machines.
func machinesOf(m *model.Model, b *kernelspec.Bank) []machine {
	if !m.Several() {
		all := make([]int32, len(m.Support))
		for s := range all {
			all[s] = int32(s)
		}
		return []machine{newMachine(m, b, all, m.C*max(m.PositiveWeight, m.NegativeWeight))}
	}
	var list []machine
	any := 0.0
	for k := range m.Classes {
		any = max(any, costOfClass(m, int32(k)))
	}
	for k := range m.Machines {
		one := m.Machine(k)
		c := newMachine(one, b, m.Machines[k].Support, m.C*max(one.PositiveWeight, one.NegativeWeight))
		switch c.name = one.Positive; m.Multiclass {
		case model.OneVsOne:
			c.name += " and " + one.Negative
		case model.OneVsRest: // the others have weights of their own
			c.dearest = any
		}
		list = append(list, c)
	}
	return list
}

func newMachine(m *model.Model, b *kernelspec.Bank, at []int32, dearest float64) machine {
	return machine{Model: m, at: at, norm: newRegularizer(m, b), unit: unitOf(m), dearest: dearest}
}

// prefix is how complaints call it.
func (c *machine) prefix() string {
	if c.name == "" {
		return ""
	}
	return "machine " + fail.Quote(c.name) + ": "
}

// machinesFit checks several machines likewise.
func machinesFit(m *model.Model) bool {
	if !slices.Contains(model.Multiclasses, m.Multiclass) || m.Task != model.TaskClass || m.ClassWeights != nil && len(m.ClassWeights) != len(m.Classes) {
		return false
	}
	pairs := model.Pairs(m.Multiclass, len(m.Classes))
	if len(pairs) == 0 || len(pairs) != len(m.Machines) {
		return false
	}
	for k := range m.Machines {
		a := &m.Machines[k]
		if a.Positive != pairs[k][0] || a.Negative != pairs[k][1] || len(a.Theta) != m.Len() || len(a.WNorms) != m.Len() ||
			len(a.Alpha) != len(a.Support) || !ascending(a.Support, len(m.Support)) {
			return false
		}
	}
	return true
}

// machinesOfRow is in how many machines a row has a part.
func machinesOfRow(m *model.Model) int {
	switch {
	case !m.Several():
		return 1
	case m.Multiclass == model.OneVsOne:
		return len(m.Classes) - 1
	}
	return len(m.Machines)
}

// costOfClass is c of a row of a class, without its own weight.
func costOfClass(m *model.Model, class int32) float64 {
	if m.ClassWeights == nil {
		return m.C
	}
	return m.C * m.ClassWeights[class]
}

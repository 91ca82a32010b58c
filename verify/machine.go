package verify

import (
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// machine is one of the machines of a model, or its only one.
type machine struct {
	*model.Model         // as a model of its own, but for its support vectors
	name         string  // "" of the only one
	support      []int32 // its support vectors, by their places among those of the model
	regularizer  *regularizer
	linear       linearPart
	rounding     rounding
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
	return machine{Model: m, support: at, regularizer: newRegularizer(m, b), rounding: roundingOf(m), dearest: dearest}
}

// prefix is how complaints call it.
func (c *machine) prefix() string {
	if c.name == "" {
		return ""
	}
	return "machine " + fail.Quote(c.name) + ": "
}

// wants tells whether a kernel is computed for a role: without weight it counts for V_m only.
func (c *machine) needs(id int32, p *role) bool { return c.Theta[id] != 0 || p.norm != 0 }

package verify

import (
	"math"
)

// This file holds what a model claims to cost to what its kernels cost, its weights and its support
// vectors:
//
//	total = support vectors * sum of d_m of active kernels / sum of d_m of all kernels,
//
// a kernel being active if theta_m is at least 1e-3 of the sum of theta in a classifier that has
// support vectors (Goenen 2010, section 2.8).

// checkCosts checks the total cost. Models of older releases claim none. What the costs do to the
// norm shows in the weights: see checkTheta.
func (p *judgement) checkCosts(f *faults) {
	if p.m.Costs == nil {
		return
	}
	if !(p.m.Costs.Power >= 0) || math.IsInf(p.m.Costs.Power, 0) || !p.bank.HasCosts {
		f.add("costs", "costs to the power %v, of kernels that name costs: %v", p.m.Costs.Power,
			p.bank.HasCosts)
		return
	}
	d := p.bank.Costs()
	active := make([]bool, len(d))
	if p.m.Several() {
		for k := range p.m.Classifiers {
			a := &p.m.Classifiers[k]
			markActive(active, a.Theta, len(a.Alpha))
		}
	} else {
		markActive(active, p.m.Theta, len(p.m.Alpha))
	}
	var part, all neumaier
	for k, x := range d {
		all.add(x)
		if active[k] {
			part.add(x)
		}
	}
	total := float64(len(p.m.Support)) * part.value() / all.value()
	if !(math.Abs(p.m.Costs.Total-total) <= exact*total) {
		f.add("costs", "the model claims a total cost of %.9g, its active kernels and support "+
			"vectors cost %.9g", p.m.Costs.Total, total)
	}
}

// markActive marks the kernels that one classifier needs.
func markActive(active []bool, theta []float64, support int) {
	var sum neumaier
	for _, t := range theta {
		sum.add(t)
	}
	for k, t := range theta {
		active[k] = active[k] || support > 0 && t > 0 && t >= 1e-3*sum.value()
	}
}

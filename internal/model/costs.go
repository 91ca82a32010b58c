package model

import (
	"bigmkl/dataset"
	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
)

// Costs holds the effect of the costs d_m on a model that specifications give kernels by cost=
// (Goenen 2010, section 2.8). In its norm ||w_m|| stands d_m^Power times.
type Costs struct {
	// Power is at least 0. At 0 costs are charged and have no influence on the solution.
	Power float64 `json:"power"`
	// Total is the cost of evaluating the decision function for a row: see TotalCost.
	Total float64 `json:"total"`
}

// formerPower is the power of costs in files without Costs. Releases that wrote those divided the
// importance of a kernel by d_m, where a power of 1 divides it by d_m^2.
const formerPower = 0.5

// Exponent returns the power with which costs of kernels enter the norm, also of a model without
// Costs.
func (c *Costs) Exponent() float64 {
	if c == nil {
		return formerPower
	}
	return c.Power
}

// activeShare is the share of the sum of all weights from which on a kernel counts as active.
const activeShare = 1e-3

// Active marks the kernels that a row needs, of all kernels of a model.
type Active []bool

// Active marks the kernels whose weight is at least 1e-3 of the sum of all weights, in any classifier
// that has support vectors.
func (m *Model) Active() Active {
	active := make(Active, m.Len())
	mark := func(theta []float64, support int) {
		sum := 0.0
		for _, t := range theta {
			sum += t
		}
		for k, t := range theta {
			if support > 0 && t > 0 && t >= activeShare*sum {
				active[k] = true
			}
		}
	}
	if !m.Several() {
		mark(m.Theta, len(m.Support))
	}
	for i := range m.Classifiers {
		mark(m.Classifiers[i].Theta, len(m.Classifiers[i].Support))
	}
	return active
}

// TotalCost returns the number of support vectors of a model times the share of the active kernels in the sum
// of the costs d of all kernels, which are above 0. Support vectors of several classifiers count
// once.
func (a Active) TotalCost(support int, d []float64) float64 {
	charged, all := 0.0, 0.0
	for k, active := range a {
		all += d[k]
		if active {
			charged += d[k]
		}
	}
	return float64(support) * (charged / all)
}

// UnneededViews names the views of which no active kernel takes a feature, in their order. b is the
// bank of the model, and features is the number of features of its rows.
func (a Active) UnneededViews(b *kernelspec.Bank, views []dataset.View, features int) []string {
	var names []string
	need := make([]bool, features)
	whole := false // whether some kernel takes all features
	take := func(k *kernelspec.Kernel) {
		own := b.Features(k.Set)
		whole = whole || own == nil
		for _, j := range own {
			need[j] = true
		}
	}
	for id, active := range a {
		k := &b.Kernels[id]
		switch {
		case !active || k.Kind == kernelspec.Precomputed:
		case k.Kind == kernelspec.Product:
			for _, f := range b.Products[k.Index] {
				take(&f.Kernel)
			}
		default:
			take(k)
		}
	}
	for _, v := range views {
		free := !whole
		for j := v.First - 1; free && j < min(v.Last, features); j++ {
			free = !need[j]
		}
		if free {
			names = append(names, v.Name)
		}
	}
	return names
}

// check checks what can be checked without data.
func (c *Costs) check(specs []string, f *faults) {
	if c == nil {
		return
	}
	f.check(kernelspec.NamesCost(specs), "costs of kernels that have none")
	f.check(atLeast0(c.Power), "costs to the power %v", c.Power)
	f.check(float.Finite(c.Total) && c.Total >= 0, "a total cost of %v", c.Total)
}

// costSection is the costs of kernels.
type costSection struct{ plainSection }

var _ section = costSection{}

func (costSection) since(m *Model) int { return sinceIf(m.Costs != nil, presentVersion) }

func (costSection) check(m *Model, f *faults) { m.Costs.check(m.Kernels, f) }

package model

import (
	"encoding/json"
	"math"
	"slices"
)

// MixtureFamily is the family of models of TaskMED and TaskMixture (Lewis 2006, chapters 3 and 4.1).
// Component c has the kernel k_c, and
//
//	s_c(x) = sum_s w_cs k_c(x_s, x) - k_c(x, x)/2 + e_c
//	f(x) = log sum exp s_c(x) over the components of the positive class - the same over the others.
//
// Alpha of a model of TaskMED is y_s l_s, with the totals l_s of the support vectors. In one of
// TaskMixture every training row is a support vector, l_s is how often it counts, w_cs is
// l_s q_sc / sum_t l_t q_tc for the components of its class and 0 for the others, and e_c is the logarithm
// of the component's share of its class less half of w_c'K_c w_c. Every reader of this package knows the
// family.
const MixtureFamily = "mixture"

// These select whether the entropy of the other class's components is part of the problem.
const (
	EntropyExact = "exact"
	EntropyDrop  = "drop"
)

// Entropies lists them.
var Entropies = []string{EntropyExact, EntropyDrop}

// MostComponents is the largest number of components of a class.
const MostComponents = 64

// Mixture is what a model of components has beside its dual variables.
type Mixture struct {
	// Components has the kernels of the components, counted from 1: the components of the positive
	// class, and of the negative one.
	Components [2][]int `json:"components"`
	// Entropy is one of Entropies, or empty in TaskMixture.
	Entropy string `json:"entropy"`
	// Objective is P after the softmax that follows the last projection, or the negative logarithm of the
	// likelihood, and Change the largest change of a responsibility by that softmax.
	Objective float64 `json:"objective"`
	Change    float64 `json:"q_change"`
	// Rounds is the number of projections, or of steps of EM, from the start of that number, of Restarts.
	Rounds   int `json:"rounds"`
	Start    int `json:"start"`
	Restarts int `json:"restarts"`

	// Multipliers has e of each component, the components of the positive class first.
	Multipliers []float64 `json:"-"`
	// Weights has w, component by component, with a number for each support vector.
	Weights []float64 `json:"-"`
	// Responsibilities has q of every training row over the components of its class, Width numbers
	// each, those behind its components being 0.
	Responsibilities []float64 `json:"-"`
	// Observed has the own component of each training row, counted from 1 within its class, and 0
	// where that was hidden. It is nil if all were.
	Observed []float64 `json:"-"`
}

// Len is the number of components of both classes.
func (x *Mixture) Len() int { return len(x.Components[0]) + len(x.Components[1]) }

// Width is the largest number of components of a class.
func (x *Mixture) Width() int { return max(len(x.Components[0]), len(x.Components[1])) }

// Kernel returns the kernel of component c, 0-based.
func (x *Mixture) Kernel(c int) int {
	if first := len(x.Components[0]); c >= first {
		return x.Components[1][c-first] - 1
	}
	return x.Components[0][c] - 1
}

// Own returns the range of the components of a class.
func (x *Mixture) Own(positive bool) (from, to int) {
	if positive {
		return 0, len(x.Components[0])
	}
	return len(x.Components[0]), x.Len()
}

// Decide returns f of the scores of all components.
func (x *Mixture) Decide(scores []float64) float64 {
	first := len(x.Components[0])
	return logSum(scores[:first]) - logSum(scores[first:])
}

// Weigh writes the weight of each component at a row of these scores to weights: the softmax of the scores
// over the components of its class (Lewis 2006, section 3.6).
func (x *Mixture) Weigh(scores, weights []float64) {
	first := len(x.Components[0])
	for _, side := range [][2]int{{0, first}, {first, len(scores)}} {
		level := logSum(scores[side[0]:side[1]])
		for c := side[0]; c < side[1]; c++ {
			weights[c] = math.Exp(scores[c] - level)
		}
	}
}

// logSum is log sum exp.
func logSum(s []float64) float64 {
	top, sum := slices.Max(s), 0.0
	for _, x := range s {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}

// Family returns the mixture as the family of a model.
func (x *Mixture) Family() *Family {
	// Nothing in the structure can fail to be encoded.
	text, _ := json.Marshal(x)
	family := &Family{Name: MixtureFamily, Settings: text, Arrays: map[string][]float64{
		"multipliers": x.Multipliers, "weights": x.Weights, "responsibilities": x.Responsibilities,
	}}
	if x.Observed != nil {
		family.Arrays["observed"] = x.Observed
	}
	return family
}

// Mixture returns the mixture of a model of the family, or nil if it has none. The arrays belong to
// the model.
func (family *Family) Mixture() *Mixture {
	if family == nil || family.Name != MixtureFamily {
		return nil
	}
	x := &Mixture{}
	if err := json.Unmarshal(family.Settings, x); err != nil {
		x = &Mixture{} // Validate has rejected such a file.
	}
	a := family.Arrays
	x.Multipliers, x.Weights, x.Responsibilities = a["multipliers"], a["weights"], a["responsibilities"]
	x.Observed = a["observed"]
	return x
}

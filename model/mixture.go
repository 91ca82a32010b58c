package model

import (
	"encoding/json"
	"math"
	"slices"

	"bigmkl/internal/float"
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

// SetMixture makes the model one of a mixture.
func (m *Model) SetMixture(x *Mixture) {
	// Nothing in the structure can fail to be encoded.
	text, _ := json.Marshal(x)
	m.Family = &Family{Name: MixtureFamily, Settings: text, Arrays: map[string][]float64{
		"multipliers": x.Multipliers, "weights": x.Weights, "responsibilities": x.Responsibilities,
	}}
	if x.Observed != nil {
		m.Family.Arrays["observed"] = x.Observed
	}
}

// Mixture returns the mixture of the model, or nil if it has none. The arrays belong to the model.
func (m *Model) Mixture() *Mixture {
	if m.Family == nil || m.Family.Name != MixtureFamily {
		return nil
	}
	x := &Mixture{}
	if err := json.Unmarshal(m.Family.Settings, x); err != nil {
		x = &Mixture{} // Validate has refused such a file.
	}
	a := m.Family.Arrays
	x.Multipliers, x.Weights, x.Responsibilities = a["multipliers"], a["weights"], a["responsibilities"]
	x.Observed = a["observed"]
	return x
}

// responsibilitySlack is what rounding may make of a sum of responsibilities.
const responsibilitySlack = 1e-9

// checkMixture checks what only a model of components has.
func checkMixture(m *Model, f *faults) {
	x := m.Mixture()
	f.check((x != nil) == HasComponents(m.Task), "components in task %s, or a task of components without", clip(m.Task))
	if x == nil {
		return
	}
	var strict Mixture
	text, _ := json.Marshal(x)
	err := json.Unmarshal(m.Family.Settings, &strict)
	f.check(err == nil && slices.Equal(text, m.Family.Settings), "the settings of the mixture are damaged")
	arrays := 3
	if x.Observed != nil {
		arrays++
	}
	f.check(len(m.Family.Arrays) == arrays, "%d arrays of a mixture", len(m.Family.Arrays))
	f.check(!m.Several() && m.Norm == 2 && m.Bias == 0 && m.Folds == 0 && m.Posteriors == nil &&
		m.WeightRule == nil && m.CostWeight == nil && m.Stream == nil && m.GroupNorm == 0 && m.ElasticNet == 0 &&
		m.SquaredNorm == 0 && m.Interaction == nil && m.Weights == nil && m.Costs == nil && m.Fill == nil,
		"a mixture beside norms, folds or other problems")
	if m.Task == TaskMixture {
		f.check(x.Entropy == "" && m.C == 1 && m.PositiveWeight == 1 && m.NegativeWeight == 1,
			"an entropy or costs in task mixture")
		f.check(len(m.Support) == m.Points, "%d support vectors of %d rows in task mixture", len(m.Support), m.Points)
	} else {
		f.check(slices.Contains(Entropies, x.Entropy), "unknown entropy %s", clip(x.Entropy))
	}
	for _, side := range x.Components {
		f.check(len(side) >= 1 && len(side) <= MostComponents, "%d components of a class", len(side))
		f.check(!slices.ContainsFunc(side, func(k int) bool { return k < 1 || k > m.Len() }),
			"a component of a kernel that is none of %d", m.Len())
	}
	f.check(float.Finite(x.Objective) && x.Change >= 0 && x.Change <= 1, "an objective of %v after changes of %v",
		x.Objective, x.Change)
	f.check(x.Rounds >= 1 && x.Start >= 1 && x.Restarts >= x.Start, "%d rounds of start %d of %d", x.Rounds,
		x.Start, x.Restarts)
	f.check(len(x.Multipliers) == x.Len(), "%d multipliers of %d components", len(x.Multipliers), x.Len())
	f.check(len(x.Weights) == x.Len()*len(m.Support), "%d weights of %d components and %d support vectors",
		len(x.Weights), x.Len(), len(m.Support))
	// The number of rows is a claim, which the array confirms.
	f.check(x.Width() > 0 && len(x.Responsibilities)/max(1, x.Width()) == m.Points &&
		len(x.Responsibilities)%max(1, x.Width()) == 0, "%d responsibilities of %d rows", len(x.Responsibilities),
		m.Points)
	f.check(x.Observed == nil || len(x.Observed) == m.Points, "components of %d rows were observed, of %d",
		len(x.Observed), m.Points)
	f.each("family.observed", x.Observed, func(o float64) bool { return o >= 0 && o <= MostComponents && o == math.Trunc(o) },
		"a number of a component")
	f.each("family.responsibilities", x.Responsibilities, func(q float64) bool {
		return q >= 0 && q <= 1+responsibilitySlack
	}, "in [0, 1]")
}

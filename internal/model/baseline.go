package model

import (
	"math"
	"slices"

	"bigmkl/internal/float"
)

// Baseline is the cumulative hazard of a row whose decision value is 0, of tasks whose functions are logarithms of relative
// hazards, after Breslow with ties after Efron: at each time of an event of the training rows. Both lists are nil for other tasks.
type Baseline struct {
	// Times ascend and are above 0.
	Times []float64
	// LogHazards are the logarithms of the cumulative hazards, and do not descend. No number may hold the hazards themselves.
	LogHazards []float64
}

// check checks the steps of the hazard of a model of a task.
func (b *Baseline) check(task string, f *faults) {
	f.check(len(b.Times) == len(b.LogHazards) && (len(b.Times) > 0) == GivesHazards(task), "%d times of a baseline with %d hazards in task %s",
		len(b.Times), len(b.LogHazards), clip(task))
	f.check(!slices.ContainsFunc(b.Times, func(t float64) bool { return !above0(t) }), "times of a baseline that are not above 0")
	f.check(!slices.ContainsFunc(b.LogHazards, func(x float64) bool { return !float.Finite(x) }), "hazards of a baseline that are not finite")
	for k := 1; k < min(len(b.Times), len(b.LogHazards)); k++ {
		if !(b.Times[k] > b.Times[k-1] && b.LogHazards[k] >= b.LogHazards[k-1]) {
			f.check(false, "times or hazards of a baseline that do not ascend")
			return
		}
	}
}

// baselineSection is the baseline hazard.
type baselineSection struct{ plainSection }

var _ section = baselineSection{}

func (baselineSection) tensors(m *Model) []field {
	return []field{{name: "baseline_times", f64: &m.Baseline.Times}, {name: "baseline_log_hazards", f64: &m.Baseline.LogHazards}}
}

func (baselineSection) check(m *Model, f *faults) { m.Baseline.check(m.Task, f) }

// LogHazard returns the logarithm of the cumulative hazard up to a time. It is constant between events and after the last one, and
// -inf before the first.
func (b *Baseline) LogHazard(t float64) float64 {
	k, found := slices.BinarySearch(b.Times, t)
	if found {
		k++
	}
	if k == 0 {
		return math.Inf(-1)
	}
	return b.LogHazards[k-1]
}

// Survival returns the probability of no event up to a time, of a row whose decision value is f.
func (b *Baseline) Survival(t, f float64) float64 { return math.Exp(-math.Exp(b.LogHazard(t) + f)) }

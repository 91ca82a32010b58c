package predict

import (
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/model"
)

// vote decides by the decision values of several machines.
type vote struct {
	model   *Model
	trained []int // machines that were trained, the only ones that have a part in decisions
	votes   []int
	sums    []float64
	order   []int // machines that were trained, in the order of their labels in a set
	set     []string
}

func newVote(m *Model) *vote {
	v := &vote{model: m, votes: make([]int, len(m.Classes)), sums: make([]float64, len(m.Classes))}
	for k := range m.Machines {
		if m.Trained(k) {
			v.trained = append(v.trained, k)
		}
	}
	if m.Multiclass == model.MultiLabel {
		v.order = slices.Clone(v.trained)
		slices.SortFunc(v.order, func(a, b int) int { return dataset.CompareLabels(m.Classes[a], m.Classes[b]) })
	}
	return v
}

// decide gives the class of a row, or its set of labels, and the value that decided. Of one-vs-rest
// that is the largest decision value; of one-vs-one the sum of the decision values of the class with
// most votes, which also breaks ties; of labels the largest decision value, whatever its sign.
//
// A machine that was never trained has no part in the decision: its value is a constant, which would
// win or lose against the others by chance. Its class is then never the largest, its pair has no vote
// and its label is not predicted. Where no machine was trained, the first class is predicted.
func (v *vote) decide(decisions []float64) (string, float64) {
	switch v.model.Multiclass {
	case model.OneVsOne:
		return v.pairs(decisions)
	case model.MultiLabel:
		return v.labels(decisions)
	}
	best := v.largest(decisions)
	return v.model.Classes[best], decisions[best]
}

// largest is the machine of the largest decision value.
func (v *vote) largest(decisions []float64) int {
	if len(v.trained) == 0 {
		return 0
	}
	best := v.trained[0]
	for _, k := range v.trained {
		if decisions[k] > decisions[best] {
			best = k
		}
	}
	return best
}

// labels gives the set of labels of a row.
func (v *vote) labels(decisions []float64) (string, float64) {
	best := v.largest(decisions)
	v.set = v.set[:0]
	for _, k := range v.order {
		if decisions[k] > 0 {
			v.set = append(v.set, v.model.Classes[k])
		}
	}
	if len(v.set) == 0 {
		return dataset.EmptySet, decisions[best]
	}
	return strings.Join(v.set, ","), decisions[best]
}

// pairs gives the class that wins most pairs.
func (v *vote) pairs(decisions []float64) (string, float64) {
	clear(v.votes)
	clear(v.sums)
	for _, k := range v.trained {
		f, a := decisions[k], &v.model.Machines[k]
		winner := a.Negative
		if f > 0 {
			winner = a.Positive
		}
		v.votes[winner]++
		v.sums[a.Positive] += f
		v.sums[a.Negative] -= f
	}
	best := 0
	for k, won := range v.votes {
		if won > v.votes[best] || won == v.votes[best] && v.sums[k] > v.sums[best] {
			best = k
		}
	}
	return v.model.Classes[best], v.sums[best]
}

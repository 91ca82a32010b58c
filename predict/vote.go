package predict

import (
	"math"
	"slices"
	"strings"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/model"
)

// Decider decides on rows by their decision values. It is for one goroutine.
type Decider struct {
	model   *Model
	vote    *vote          // nil for one classifier
	middle  int            // number of the quantile next to the median, of several
	mixture *model.Mixture // nil except for tasks of components
	weights []float64      // of the components at one row
}

// NewDecider returns the decider of a model. It takes the classes of the model, and which of its
// classifiers were trained.
func (m *Model) NewDecider() *Decider {
	d := &Decider{model: m, mixture: m.Family.Mixture()}
	if d.mixture != nil {
		d.weights = make([]float64, d.mixture.Len())
	}
	switch {
	case m.Multiclass == model.Quantiles:
		d.middle = middleOf(m.Taus)
	case m.Several():
		d.vote = newVote(m)
	}
	return d
}

// middleOf returns the place of the quantile next to 0.5, and of two the lower one.
func middleOf(taus []float64) int {
	best := 0
	for k, tau := range taus {
		if math.Abs(tau-0.5) < math.Abs(taus[best]-0.5) {
			best = k
		}
	}
	return best
}

// Decide returns the prediction for the decision values of one row, one for each classifier or
// component. Nothing is known of the row. The slice becomes a part of the prediction, whose weights
// of kernels are valid until the next call.
func (d *Decider) Decide(decisions []float64) Prediction {
	if d.mixture != nil {
		f := d.mixture.Decide(decisions)
		d.mixture.Weigh(decisions, d.weights)
		return Prediction{Label: d.labelOf(f), Decision: f, KernelWeights: d.weights}
	}
	if d.model.Multiclass == model.Quantiles {
		return Prediction{Decision: decisions[d.middle], Decisions: decisions}
	}
	if d.vote == nil {
		return Prediction{Label: d.labelOf(decisions[0]), Decision: decisions[0]}
	}
	r := Prediction{Decisions: decisions}
	r.Label, r.Decision = d.vote.decideRow(decisions)
	return r
}

// labelOf returns the label that belongs to a decision value of the only classifier.
func (d *Decider) labelOf(f float64) string {
	m := d.model
	switch {
	case model.DescribesSupport(m.Task) && f >= 0:
		return "1"
	case model.DescribesSupport(m.Task):
		return "-1"
	case f > 0:
		return m.Positive
	}
	return m.Negative
}

// vote decides by the decision values of several classifiers. It is for one goroutine.
type vote struct {
	model *Model
	// trained lists the classifiers that were trained. order lists the same ones in the order that
	// their labels have in a set of labels.
	trained, order []int
	// votes counts the pairs that each class has won, and sums adds up its decision values. Both
	// belong to one row.
	votes []int
	sums  []float64
	// set holds the labels of one row.
	set []string
}

// newVote returns the vote of a model of several classifiers.
func newVote(m *Model) *vote {
	v := &vote{model: m, votes: make([]int, len(m.Classes)), sums: make([]float64, len(m.Classes))}
	for k := range m.Classifiers {
		if m.Convergence().Trained(k) {
			v.trained = append(v.trained, k)
		}
	}
	if m.Multiclass == model.MultiLabel {
		v.order = slices.Clone(v.trained)
		// A set of labels is canonical text, so predicted and known sets can be compared.
		slices.SortFunc(v.order, func(a, b int) int {
			return labeltext.Compare(m.Classes[a], m.Classes[b])
		})
	}
	return v
}

// decideRow returns the class of a row, or its set of labels, and the value that decided. For
// one-vs-rest that is the largest decision value. For one-vs-one it is the sum of the decision
// values of the class with most votes, and this sum also breaks ties. For labels it is the largest
// decision value, whatever its sign.
//
// A classifier that was never trained does not affect the decision. Its value is a constant, which
// would win or lose against the others by chance. Its class then never wins, its pair has no vote,
// and its label is not predicted. If no classifier was trained, the first class is predicted.
func (v *vote) decideRow(decisions []float64) (string, float64) {
	switch v.model.Multiclass {
	case model.OneVsOne:
		return v.decideByPairs(decisions)
	case model.MultiLabel:
		return v.decideLabels(decisions)
	}
	if d := v.model.Discriminant; d != nil {
		best := d.Choose(decisions)
		return v.model.Classes[best], decisions[best]
	}
	best := v.largestClassifier(decisions)
	return v.model.Classes[best], decisions[best]
}

// largestClassifier returns the trained classifier with the largest decision value, and 0 if there
// is none.
func (v *vote) largestClassifier(decisions []float64) int {
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

// decideLabels returns the set of labels whose decision values are above 0.
func (v *vote) decideLabels(decisions []float64) (string, float64) {
	best := v.largestClassifier(decisions)
	v.set = v.set[:0]
	for _, k := range v.order {
		if decisions[k] > 0 {
			v.set = append(v.set, v.model.Classes[k])
		}
	}
	if len(v.set) == 0 {
		return labeltext.EmptySet, decisions[best]
	}
	return strings.Join(v.set, ","), decisions[best]
}

// decideByPairs returns the class that wins most pairs. Of several such classes it is the one with
// the largest sum of decision values, and then the first.
func (v *vote) decideByPairs(decisions []float64) (string, float64) {
	clear(v.votes)
	clear(v.sums)
	for _, k := range v.trained {
		f, a := decisions[k], &v.model.Classifiers[k]
		winner := a.Negative
		if f > 0 {
			winner = a.Positive
		}
		v.votes[winner]++
		v.sums[a.Positive] += f
		v.sums[a.Negative] -= f
	}
	// Classes are compared in their order, so a full tie is decided in the same way every time.
	best := 0
	for k, won := range v.votes {
		if won > v.votes[best] || won == v.votes[best] && v.sums[k] > v.sums[best] {
			best = k
		}
	}
	return v.model.Classes[best], v.sums[best]
}

package train

import (
	"fmt"
	"slices"

	"bigmkl/chunking"
	"bigmkl/internal/gating"
	"bigmkl/internal/model"
	"bigmkl/kernels"
	"bigmkl/predict"
)

// neverTrained is the warning about a classifier that the run did not come to.
const neverTrained = "never trained: the run ended before any step"

// classifierDoubts warns of classifiers that have been trained.
type classifierDoubts struct {
	*warnings
	labelledRows
	kernels     *kernels.Prepared
	gates       *gates
	classifiers int // of the run; 0 for one
}

// add records a warning about a classifier, whose name is "" if it is the only one. It leaves the lines
// of the result to the next call of word.
func (w *classifierDoubts) add(classifier, format string, args ...any) *kind {
	text := fmt.Sprintf(format, args...)
	if classifier == "" {
		return w.count(format, text)
	}
	noun := (&model.Decomposition{Multiclass: w.problem.Multiclass}).Noun()
	k := w.count(format, text+", in "+noun+" "+classifier)
	k.first, k.of, k.noun = text, w.classifiers, noun
	if len(k.classifiers) < namedCases {
		k.classifiers = append(k.classifiers, classifier)
	}
	return k
}

// classifier warns of what is doubtful about a finished classifier: that it was never trained, and kernels that turned out indefinite, that are zero or
// constant on the data, or whose gates are all 0; and of targets that are equal, which leave nothing to learn. name is "" if the classifier is the only one.
// s.norm must be the norm that the solver had: it alone knows which kernels it has dropped.
func (w *classifierDoubts) classifier(s *solved, theta []float64, name string, untrained bool) {
	defer w.word()
	targets := w.store.Targets()
	equal := w.store.Uppers() == nil && targetsAreEqual(targets)
	if equal {
		w.add(name, "all targets are equal, %g: the function is a constant", targets[0])
	}
	if untrained { // Nothing is known of its kernels.
		w.add(name, neverTrained)
		return
	}
	var negative, flat, closed []int
	energies := s.solver.Energies()
	largest := slices.Max(energies)
	for id, v := range energies {
		switch {
		case chunking.Dropped(s.norm, id):
			negative = append(negative, id)
		// A kernel with factor 0 has been named when its factor was found.
		case v == 0 && largest > 0 && w.gates.closedFor(int32(id)):
			closed = append(closed, id)
		case v == 0 && largest > 0 && w.kernels.Factor(id) != 0:
			flat = append(flat, id)
		}
	}
	w.ofKernels(name, "%s is indefinite here: weight 0", negative)
	w.ofKernels(name, "%s adds nothing to the function, as a kernel that is constant on these data: weight 0", flat)
	w.ofKernels(name, "the gate of %s is closed for every row: weight 0", closed)
	if !equal && !slices.ContainsFunc(theta, func(x float64) bool { return x > 0 }) {
		if model.ByMargin(w.problem.Task) {
			w.add(name, "no kernel tells the classes apart: one class is predicted")
		} else {
			w.add(name, "no kernel tells the rows apart: the function is a constant")
		}
	}
}

// ofKernels records a warning about kernels of a classifier. The line of the result lists the
// kernels of all classifiers that it is about.
func (w *classifierDoubts) ofKernels(classifier, format string, ids []int) {
	if len(ids) == 0 {
		return
	}
	k := w.add(classifier, format, w.kernels.List(ids))
	k.list = w.kernels.List
	k.kernels = slices.Compact(slices.Sorted(slices.Values(append(k.kernels, ids...))))
}

// slightCostWeight is the weight 1/C of the loss, of a sum of 1, below which a run warns that
// hardly any error is allowed.
const slightCostWeight = 1e-2

// jointCost warns of a C that was found without a bound in sight. The centred identity has a
// smaller trace than the identity itself. A kernel which is nearly the identity, such as a narrow
// Gaussian, therefore takes the place of the errors: it pays to let the function meet every label.
func (w *classifierDoubts) jointCost(m *predict.Model) {
	if m.CostWeight == nil || *m.CostWeight >= slightCostWeight || m.Convergence().Untrained() > 0 {
		return
	}
	what, meets := "1/C of the loss", "the function meets the labels"
	if m.Discriminant != nil {
		what, meets = "lambda of the identity", "H is interpolated: the scores meet the indicators of the classes"
	}
	w.warn("the weight %s is %.2g: a kernel that is nearly the identity, such as a narrow "+
		"Gaussian, takes its place, and %s of the training rows", what, *m.CostWeight, meets)
}

// mostOfOneGate is the mean of a gate from which on the others hardly have a part.
const mostOfOneGate = 0.99

// oneGate warns of gates of one class that leave all rows to one of them. One class maximises
// -1/2 ||v||^2, which has no loss to weigh against it: J is least where the kernel of the largest
// values has all of the weight that gates share, and the description of the rows is that kernel's.
func (w *classifierDoubts) oneGate(g *gates) {
	if !model.DescribesSupport(w.problem.Task) || g.learned.Form == gating.Sigmoid ||
		g.learned.Gates() == 1 {
		return
	}
	n, means := w.store.Len(), make([]float64, g.learned.Gates())
	for i := range n {
		for m, x := range g.table.Row(i) {
			means[m] += x / float64(n)
		}
	}
	for m, x := range means {
		if x >= mostOfOneGate {
			w.warn("gate %d has %.1f %% of the weight of all rows: one class draws gates to the kernel "+
				"of the largest values", m+1, 100*x)
		}
	}
}

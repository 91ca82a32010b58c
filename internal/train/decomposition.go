package train

import (
	"slices"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
)

// A decomposition turns a problem of K classes into two-class problems:
//
//	one-vs-rest   K classifiers, class k against all others
//	one-vs-one    K(K-1)/2 classifiers, class a against class b on the points of these two alone
//	labels        one classifier for each label, the rows that have it against those that have not
//	quantiles     one regressor for each quantile of the targets, of all rows; see quantiles.go
//
// model.Pairs has the order of the classifiers. It must stay, because models and checkpoints store
// the classifiers in this order.

// mostClassifiers is the largest number of classifiers of one model.
const mostClassifiers = 1 << 20

// decomposition holds the classes of several classifiers and the two that each classifier
// separates.
//
// A class of the data is one label text of the rows. With sets of labels that text is a set such as
// 1,3, and the classes of the decomposition are the single labels; otherwise the two are the same.
type decomposition struct {
	// kind is one of model.Multiclasses, or model.Quantiles.
	kind string
	// taus holds the quantiles of kind model.Quantiles, which has no classes.
	taus []float64
	// classes holds the names of the classes of the decomposition.
	classes []string
	// of holds, for each class of the data, the classes of the decomposition that its rows have.
	of [][]int32
	// columns is set if the classifiers are columns of one solution. Values of kernels are then
	// computed once for all.
	columns bool
	// pairs holds the positive and the negative class of each classifier. The latter may be
	// model.Rest.
	pairs [][2]int32
	// rows holds the rows of each class of the data, ascending. It is nil unless kind is
	// one-vs-one.
	rows [][]int32
}

// decompose returns the decomposition that the options ask for. It is nil if one classifier is
// enough: if none was asked for, or if the data have two classes.
func (r labelledRows) decompose(w *warnings) (*decomposition, error) {
	if own := r.problem.traits().decompose; own != nil {
		return own(r)
	}
	if r.problem.Multiclass == "" {
		return nil, nil
	}
	names := r.store.Classes()
	d := &decomposition{kind: r.problem.Multiclass, columns: r.problem.Multiclass == model.SingleClassifier}
	switch {
	case d.kind == model.MultiLabel:
		d.classes, d.of = labeltext.Sets(names)
		if len(d.classes) == 0 {
			return nil, fail.New(fail.Input, "no row has a label")
		}
	case len(names) == 2 && d.kind != model.SingleClassifier:
		w.warn("there are two classes, which one classifier tells apart: "+
			"several classifiers (%s) are not needed", d.kind)
		fallthrough
	case len(names) < 2:
		return nil, nil // The one classifier rejects such data, with the reason.
	default:
		d.classes = names
		for k := range names {
			d.of = append(d.of, []int32{int32(k)})
		}
	}
	for label := range r.problem.ClassWeight {
		if l, err := labeltext.Canonical(label); err != nil || !slices.Contains(d.classes, l) {
			return nil, fail.New(fail.Usage, "class weight for %s, which is none of the %d classes",
				fail.Quote(label), len(d.classes))
		}
	}
	if n := len(d.classes); n > dataset.MaxClasses {
		return nil, fail.New(fail.Input, "%d labels, at most %d", n, dataset.MaxClasses)
	} else if d.kind == model.OneVsOne && n*(n-1)/2 > mostClassifiers {
		return nil, fail.New(fail.Input, "%d classes have %d pairs with a classifier each, at most %d",
			n, n*(n-1)/2, mostClassifiers).
			WithHint("--multiclass ovr has a classifier for each class")
	}
	if d.kind == model.SingleClassifier && len(d.classes) > model.MostColumns {
		return nil, fail.New(fail.Input, "%d classes, at most %d of one classifier for all",
			len(d.classes), model.MostColumns).WithHint("--multiclass ovr has a classifier for each class")
	}
	d.pairs = model.Pairs(d.kind, len(d.classes))
	// With many classes a classifier for a pair has few of the points. To find them in lists by
	// class takes time in proportion to their number, and not to that of all points.
	if d.kind == model.OneVsOne {
		d.rows = make([][]int32, len(names))
		for i, class := range r.store.Labels() {
			d.rows[class] = append(d.rows[class], int32(i))
		}
	}
	return d, nil
}

// effort returns what the classifiers take together, for the budgets: it depends on their points.
func (d *decomposition) effort(store *dataset.Store) budget.Effort {
	if d.taus != nil {
		return effortOfQuantiles(len(d.taus), store.Len())
	}
	var points []int
	for _, s := range d.sides(store) {
		points = append(points, s[0]+s[1])
	}
	e := budget.NewEffort(points, store.Len())
	if d.columns {
		e.Time = 1
	}
	return e
}

// sides counts the points of each classifier: first the points of its positive class, then the
// points against it. Regressors have none.
func (d *decomposition) sides(store *dataset.Store) [][2]int {
	if d.taus != nil {
		return nil
	}
	count := make([]int, len(d.of)) // points of each class of the data
	for _, class := range store.Labels() {
		count[class]++
	}
	sides := make([][2]int, len(d.pairs))
	for k := range d.pairs {
		for class, points := range count {
			if s := d.sign(k, int32(class)); s != 0 { // +1 counts in place 0, and -1 in place 1.
				sides[k][(1-s)/2] += points
			}
		}
	}
	return sides
}

// sign returns the label of a class of the data in classifier k: +1, -1, or 0 if the classifier
// does not use its points.
func (d *decomposition) sign(k int, class int32) int8 {
	switch p := d.pairs[k]; {
	case slices.Contains(d.of[class], p[0]):
		return 1
	case p[1] == model.Rest || slices.Contains(d.of[class], p[1]):
		return -1
	}
	return 0
}

// classifierPoints returns the rows that are the points of classifier k, ascending, with their
// labels in it. The order is part of the bits of a model: sums over points follow it. Hence the two
// lists of a pair are merged and not appended.
func (d *decomposition) classifierPoints(k int, labels []int32) (index []int32, y []int8) {
	if d.rows == nil {
		for i, class := range labels {
			if s := d.sign(k, class); s != 0 {
				index, y = append(index, int32(i)), append(y, s)
			}
		}
		return index, y
	}
	positive, negative := d.rows[d.pairs[k][0]], d.rows[d.pairs[k][1]]
	for len(positive) > 0 || len(negative) > 0 {
		if len(negative) == 0 || len(positive) > 0 && positive[0] < negative[0] {
			index, y, positive = append(index, positive[0]), append(y, 1), positive[1:]
		} else {
			index, y, negative = append(index, negative[0]), append(y, -1), negative[1:]
		}
	}
	return index, y
}

// classifierName returns the name of classifier k for messages: the classes that it separates.
func (d *decomposition) classifierName(k int) string {
	classifier := model.Classifier{Positive: d.pairs[k][0], Negative: d.pairs[k][1]}
	own := model.Decomposition{Multiclass: d.kind, Classes: d.classes, Taus: d.taus,
		Classifiers: []model.Classifier{classifier}}
	return own.ShortName(0)
}

// problem returns the loss of classifier k and the rows that are its points. Both classes have the
// cost C; the weights of the points contain the weights of classes.
func (d *decomposition) problem(w *Workspace, k int) (chunking.Loss, []int32) {
	if d.taus != nil {
		return d.lossOfTau(w, k), allRows(w.Store)
	}
	index, y := d.classifierPoints(k, w.Store.Labels())
	p := &w.Options.Problem
	return loss.OfClasses(p.Task, p.Loss, y, [2]float64{p.C, p.C}, d.pointWeights(w, k, index)), index
}

// allRows lists the rows of a store.
func allRows(store *dataset.Store) []int32 {
	index := make([]int32, store.Len())
	for i := range index {
		index[i] = int32(i)
	}
	return index
}

// pointWeights returns the weights of the points of classifier k: those of their rows times those
// of their classes. It returns nil if all are 1. With sets of labels the weight of a label counts
// for the rows that have it; a row without it may have several other labels, and keeps weight 1.
func (d *decomposition) pointWeights(w *Workspace, k int, index []int32) []float64 {
	rows, p := w.Store.Weights(), &w.Options.Problem
	if rows == nil && p.ClassWeight == nil {
		return nil
	}
	weights := make([]float64, len(index))
	for j, i := range index {
		weights[j] = 1
		if rows != nil {
			weights[j] = rows[i]
		}
		if class := w.Store.Labels()[i]; d.kind != model.MultiLabel {
			weights[j] *= p.classWeight(d.classes[class])
		} else if d.sign(k, class) > 0 {
			weights[j] *= p.classWeight(d.classes[d.pairs[k][0]])
		}
	}
	return weights
}

package selection

import (
	"slices"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
)

// A prediction without any feature of a row is the class, or each label, that most rows of the training have, or
// their mean. The decision value of a classifier is then the same for all rows: the share of its positive rows
// less that of its negative ones, of which one-vs-rest takes the largest and all others the sign.

// constantOn returns the figures on some rows of the constant prediction by the others. It is the
// figure without any source, which the gain of a source alone is measured from.
func (p *pool) constantOn(rows []int32) map[string]float64 {
	store := p.data.Store()
	others := rest(rows, store.Len())
	// The constant goes through the same figures as a training, so both treat ties and special
	// cases alike.
	held := &bigmkl.Held{Rows: rows}
	targets := loss.TargetsOf(p.shape.Task, store.Targets(), store.Uppers())
	for k := range p.data.Classifiers() {
		// Targets are in the form in which the loss has them, such as logarithms of times.
		constant := 0.0
		if !p.shape.HasClasses() {
			for _, i := range others {
				constant += targets[i] / float64(len(others))
			}
		} else {
			constant = balanceOf(p.shape, store, k, others)
		}
		held.Decisions = append(held.Decisions, slices.Repeat([]float64{constant}, len(rows)))
	}
	return figuresAt(p.shape, store, held, rows, nil)
}

// balanceOf returns the share of positive rows less that of negative ones, of the rows that a classifier
// has. It has the sign of the more frequent side. All rows have the same rank, so AUC is 1/2.
func balanceOf(shape *bigmkl.Model, store *dataset.Store, classifier int, rows []int32) float64 {
	// A plain problem of two classes has class 1 as its positive one.
	positive, negative := int32(1), int32(0)
	if shape.Several() {
		m := &shape.Classifiers[classifier]
		positive, negative = m.Positive, m.Negative
	}
	// In the case of sets of labels a class of the store is a set, and a classifier is for one label.
	var of [][]int32 // the labels of each set
	if shape.Multiclass == model.MultiLabel {
		_, of = labeltext.Sets(store.Classes())
	}
	up, down := 0.0, 0.0
	for _, i := range rows {
		class := store.Labels()[i]
		switch {
		case class == positive && of == nil, of != nil && slices.Contains(of[class], positive):
			up++
		case class == negative || negative == model.Rest:
			down++
		}
	}
	// A classifier of one-vs-one may have no row of either class among the others.
	if up+down == 0 {
		return 0
	}
	return (up - down) / (up + down)
}

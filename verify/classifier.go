package verify

import (
	"fmt"

	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// classifier is one of the classifiers of a model, or its only one, as the two-class problem (or
// the regression, or the one-class problem) that it solves.
type classifier struct {
	*model.Model         // the classifier as a model of its own, except for its support vectors
	name         string  // what the classifier separates; "" for the only one
	support      []int32 // places of its support vectors among the support vectors of the model, ascending
	regularizer  *regularizer
	linear       linearPart
	rounding     rounding
	component    int     // number of the component of a mixture, from 1; 0 for a classifier
	dearest      float64 // the largest bound c of its dual variables, without the weights of rows
	column       bool    // it is the function of one class of a classifier for all
}

// classifiersOf returns the classifiers of the model m, whose kernels are the kernels of b. In
// one-vs-rest the classes on the negative side keep their own weights, so the largest bound belongs
// to any class.
func classifiersOf(m *model.Model, b *kernelspec.Bank) []classifier {
	if x := m.Family.Mixture(); x != nil {
		return components(m, x, b)
	}
	if !m.Several() {
		all := make([]int32, len(m.Support))
		for s := range all {
			all[s] = int32(s)
		}
		dearest := m.C * max(m.PositiveWeight, m.NegativeWeight)
		for _, p := range m.Posteriors {
			_, c := soften(m, p)
			dearest = max(dearest, c)
		}
		return []classifier{newClassifier(m, b, all, dearest)}
	}
	var list []classifier
	any := 0.0
	for k := range m.Classes {
		any = max(any, costOfClass(m, int32(k)))
	}
	for k := range m.Classifiers {
		one := m.Classifier(k)
		c := newClassifier(one, b, m.Classifiers[k].Support, m.C*max(one.PositiveWeight, one.NegativeWeight))
		switch c.name = one.Positive; m.Multiclass {
		case model.OneVsOne:
			c.name += " and " + one.Negative
		case model.OneVsRest: // a row of another class has the weight of that class
			c.dearest = any
		case model.SingleClassifier:
			c.dearest, c.column = classMargin*any, true
		}
		if m.Discriminant != nil {
			// One solver had all columns, and stopped by the gap of all together.
			all := *one
			all.Certificate = m.Certificate
			c.rounding = roundingOf(&all)
		}
		list = append(list, c)
	}
	return list
}

// newClassifier returns the classifier of the model m with the given support vectors and largest
// bound.
func newClassifier(m *model.Model, b *kernelspec.Bank, at []int32, dearest float64) classifier {
	return classifier{Model: m, support: at, regularizer: newRegularizer(m, b), rounding: roundingOf(m),
		dearest: dearest}
}

// prefix returns how faults of the classifier begin.
func (c *classifier) prefix() string {
	if c.component > 0 {
		return fmt.Sprintf("component %d: ", c.component)
	}
	if c.name == "" {
		return ""
	}
	return "classifier " + fail.Quote(c.name) + ": "
}

package verify

import (
	"fmt"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
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
	noun         string  // what the model has several of
	component    int     // number of the component of a mixture, from 1; 0 for a classifier
	dearest      float64 // the largest bound c of its dual variables, without the weights of rows
	column       bool    // it is the function of one class of a classifier for all
}

// eachClassifier returns the classifiers of a model of several, whose kernels are the kernels of b. In
// one-vs-rest the classes on the negative side keep their own weights, so the largest bound belongs
// to any class.
func eachClassifier(m *model.Model, b *kernelspec.Bank) (list []classifier) {
	for k := range m.Classifiers {
		one := m.Classifier(k)
		c := newClassifier(one, b, m.Classifiers[k].Support, m.C*max(one.PositiveWeight, one.NegativeWeight))
		c.name, c.noun = m.Name(k), m.Noun()
		if m.Multiclass == model.OneVsRest { // a row of another class has the weight of that class
			c.dearest = costOfAny(m)
		}
		list = append(list, c)
	}
	return list
}

// costOfAny returns the largest bound of the dual variables of any class.
func costOfAny(m *model.Model) float64 {
	most := 0.0
	for k := range m.Classes {
		most = max(most, costOfClass(m, int32(k)))
	}
	return most
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
	return c.noun + " " + fail.Quote(c.name) + ": "
}

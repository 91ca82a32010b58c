package verify

import (
	"math"

	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// One classifier for all classes has a function f_c and a bias for each class c. A row of class y and
// of the bound c has the loss
//
//	c sum over l != y of  max(0, m_l - f_y + f_l),
//
// with m_l = 2, or 2 (Pr(y|x) - Pr(l|x)) of posteriors, and its dual variables alpha are -A_l in the
// functions of other classes, 0 <= A_l <= c, and the sum of all A_l in that of its own. The linear
// part of the dual value is sum m_l A_l. Each function is taken for a classifier with the parts of
// loss and linear part that name it as l. Their sums, with one norm of all, are the values of the
// classifier, which judge.go adds up; a function has no certificate of its own.

// classMargin is what the score of a row's own class is to exceed every other by, if labels are
// certain.
const classMargin = 2

// singleWing is the wing of one classifier for all classes.
type singleWing struct {
	plainWing
	functions int // one for each class
}

var _ wing = singleWing{}

func (w singleWing) traits(m *model.Model) wingTraits {
	t := w.plainWing.traits(m)
	t.columns, t.posteriors = true, len(m.Classes)
	return t
}

func (w singleWing) fits(m *model.Model) bool {
	return w.plainWing.fits(m) && model.HasLosses(m.Task) && m.Loss == "" && m.OneTheta
}

func (singleWing) classifiers(m *model.Model, b *kernelspec.Bank) []classifier {
	list := eachClassifier(m, b)
	for k := range list {
		list[k].dearest, list[k].column = classMargin*costOfAny(m), true
	}
	return list
}

// roles gives the roles of a row the margins that its posteriors ask for.
func (singleWing) roles(m *model.Model, row int, list []role) []role {
	for i := range list {
		list[i].margin = classMargin
	}
	if m.Posteriors == nil {
		return list
	}
	posteriors := m.Posteriors[row*len(m.Classes) : (row+1)*len(m.Classes)]
	own := ownClass(list)
	for i := range list {
		list[i].margin *= posteriors[own] - posteriors[list[i].classifier]
	}
	return list
}

// checkDual checks the sign of a dual variable and its bound. The linear part has it in the functions of
// other classes.
func (w singleWing) checkDual(_ *classifier, a float64, p *role, place string, f *faults) float64 {
	most := p.cost
	if p.y > 0 {
		most *= float64(w.functions - 1)
	}
	if !float.Finite(a) || a*p.y < 0 {
		f.add("sign", "%s: alpha is %v for label %+g", place, a, p.y)
	}
	if math.Abs(a) > most*(1+boxSlack) {
		f.add("box", "%s: |alpha| is %.17g, above its bound %.17g", place, math.Abs(a), most)
	}
	if p.y > 0 {
		return 0
	}
	return p.margin * math.Abs(a)
}

func (w singleWing) sumLosses(k *worker, b *batch) error {
	for r := range b.rows {
		k.addContrasts(&b.rows[r])
	}
	return nil
}

// rowSum is the sum of the dual variables of a row over the functions of a classifier for all
// classes.
type rowSum struct{ sum, size neumaier }

// add takes one of them.
func (s *rowSum) add(a float64) {
	s.sum.add(a)
	s.size.add(math.Abs(a))
}

// check checks that it is 0.
func (s *rowSum) check(place string, f *faults) {
	if x := s.sum.value(); !(math.Abs(x) <= balance*s.size.value()) {
		f.add("classes", "%s: alpha of all classes sums to %g, not 0", place, x)
	}
}

// addContrasts adds the losses of a row in a classifier for all classes.
func (w *worker) addContrasts(one *row) {
	own, values, roughs := -1, make([]float64, len(one.roles)), make([]float64, len(one.roles))
	for q, p := range one.roles {
		if p.cost == 0 { // the row is outside of the sample of the losses
			return
		}
		values[q], roughs[q] = w.decision(one, q)
		if p.y > 0 {
			own = q
		}
	}
	for q, p := range one.roles {
		l := &w.losses[p.classifier]
		l.rows++
		if q == own {
			continue
		}
		loss := func(off float64) float64 {
			return p.cost * max(0, p.margin-values[own]+values[q]+off)
		}
		x, rough := loss(0), roughs[q]+roughs[own]
		l.sum.add(x)
		l.squares += x * x
		l.costs += p.cost * math.Abs(p.margin)
		l.slack.add(math.Abs(loss(rough) - x))
		l.slack.add(math.Abs(loss(-rough) - x))
	}
	w.counted++
}

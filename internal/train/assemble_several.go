package train

import (
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// classifierOf returns classifier k as a part of a model. Its support vectors are rows of the data
// until modelOfSeveral numbers them among the support vectors of all classifiers. double is set if
// the training ended in double precision.
func (a *assembler) classifierOf(d *decomposition, k int, s *solved, double bool) *model.Classifier {
	m := &model.Classifier{
		Positive: d.pairs[k][0], Negative: d.pairs[k][1], Double: double,
		Theta: s.solution.Theta, WNorms: s.solution.WNorms,
		Bias: s.solution.Certificate.Bias, Certificate: a.certificate(&s.solution),
	}
	for j, x := range s.solution.Alpha {
		if x != 0 {
			m.Support, m.Alpha = append(m.Support, s.rows[j]), append(m.Alpha, x)
		}
	}
	return m
}

// modelOfSeveral returns the model of several classifiers. A row that is a support vector of many
// classifiers is stored once: a prediction computes its kernel values once for all of them.
func (a *assembler) modelOfSeveral(d *decomposition, classifiers []model.Classifier,
	f *calibration) (*predict.Model, error) {
	a.clock.setOperation("the model was put together")
	m := a.newModel(f)
	m.Multiclass, m.Classes, m.Taus, m.Classifiers = d.kind, d.classes, d.taus, classifiers
	if p := a.options.Problem; p.ClassWeight != nil {
		for _, name := range d.classes {
			m.ClassWeights = append(m.ClassWeights, p.classWeight(name))
		}
	}
	// place first marks the support vectors of any classifier, and then holds the number of each
	// among them. They stay in the order of the rows.
	place := make([]int32, a.store.Len())
	for k := range classifiers {
		for _, i := range classifiers[k].Support {
			place[i] = 1
		}
	}
	for i, used := range place {
		if used != 0 {
			place[i] = int32(len(m.Support))
			m.Support = append(m.Support, int32(i))
		}
	}
	points, err := a.gatherSupport(m)
	if err != nil {
		return nil, err
	}
	for k := range classifiers {
		one := &classifiers[k]
		for j, i := range one.Support {
			one.Support[j] = place[i]
		}
		// All classifiers predict in one precision, which is the best that any of them needed.
		m.Double = m.Double || one.Double
		if len(one.Support) == 0 {
			continue // An untrained classifier has no products to centre.
		}
		one.Bias -= a.centringOffset(points, one.Support, one.Alpha, one.Theta)
	}
	a.chargeCosts(m)
	a.addOdds(m)
	return m, nil
}

package model

import (
	"errors"
	"slices"

	"bigmkl/internal/float"
)

// discriminantSection is what discriminants have beside their classifiers.
type discriminantSection struct{ means []float64 }

var _ section = (*discriminantSection)(nil)

func (p *discriminantSection) since(m *Model) int {
	return max(sinceIf(m.Discriminant != nil, presentVersion),
		sinceIf(m.Discriminant != nil && m.CostWeight != nil, featuresVersion))
}

func (p *discriminantSection) tensors(m *Model) []field {
	if m.Discriminant != nil {
		p.means = m.Discriminant.Means
	}
	return []field{{name: "class_means", f64: &p.means}}
}

func (p *discriminantSection) join(m *Model, _ *header) error {
	if m.Discriminant != nil {
		m.Discriminant.Means = p.means
	} else if p.means != nil {
		return errors.New("class means of no discriminant")
	}
	return nil
}

func (p *discriminantSection) check(m *Model, f *faults) {
	d := m.Discriminant
	if d == nil {
		f.check(!HasDiscriminant(m.Task), "task %s without what it takes", clip(m.Task))
		return
	}
	k := len(m.Classes)
	f.check(HasDiscriminant(m.Task), "a discriminant in task %s", clip(m.Task))
	f.check(m.Multiclass == OneVsRest && m.OneTheta && m.ClassWeights == nil && !m.RowWeights,
		"a discriminant of classifiers that are not one for each class with the same weights")
	f.check(k >= 2 && k <= MostColumns, "a discriminant of %d classes", k)
	f.check(slices.Contains(DiscriminantRules, d.Rule), "unknown rule %s", clip(d.Rule))
	if m.CostWeight == nil {
		f.check(above0(d.Lambda), "lambda is %v", d.Lambda)
	} else {
		f.check(m.Norm == 1 && m.C == 1, "a lambda that was found at p = %v and C = %v", m.Norm, m.C)
		f.check(d.Lambda == *m.CostWeight, "lambda is %v, its weight %v", d.Lambda, *m.CostWeight)
	}
	f.check(float.Finite(d.Criterion), "the criterion is %v", d.Criterion)
	f.check(len(d.Rows) == k && len(d.Means) == k*k, "%d counts of rows and %d means of %d classes",
		len(d.Rows), len(d.Means), k)
	n := 0
	for _, rows := range d.Rows {
		if rows < 1 || rows > m.Points {
			f.check(false, "a class of %d rows", rows)
			return
		}
		n += rows
	}
	f.check(n == m.Points, "classes of %d rows in all, and %d rows", n, m.Points)
	f.each("class_means", d.Means, float.Finite[float64], "finite")
}

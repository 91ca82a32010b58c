package verify_test

import (
	"math"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"bigmkl/internal/model"
	"bigmkl/verify"
)

// ofClassifiers are ways to be wrong that only several classifiers have.
var ofClassifiers = []wrong{
	{name: "classifiers exchanged", want: "for label|of neither class", sampled: true, alter: func(m *model.Model) bool {
		a, b := &m.Classifiers[0], &m.Classifiers[1]
		*a, *b = *b, *a
		a.Positive, a.Negative, b.Positive, b.Negative = b.Positive, b.Negative, a.Positive, a.Negative
		return true
	}},
	{name: "weights of two classifiers exchanged", want: norms, alter: func(m *model.Model) bool {
		a, b := &m.Classifiers[0], &m.Classifiers[1]
		a.Theta, b.Theta = b.Theta, a.Theta
		return slices.ContainsFunc(a.Theta, func(x float64) bool { return x > 0 }) && differ(a.Theta, b.Theta)
	}},
	{name: "norms of two classifiers exchanged", want: norms, alter: func(m *model.Model) bool {
		a, b := &m.Classifiers[0], &m.Classifiers[1]
		a.WNorms, b.WNorms = b.WNorms, a.WNorms
		return differ(a.WNorms, b.WNorms)
	}},
	{name: "biases of two classifiers exchanged", want: "claims a primal value", alter: func(m *model.Model) bool {
		a, b := &m.Classifiers[0], &m.Classifiers[1]
		a.Bias, b.Bias = b.Bias, a.Bias
		return math.Abs(a.Bias-b.Bias) > 1
	}},
	{name: "certificates of two classifiers exchanged", want: values, alter: func(m *model.Model) bool {
		a, b := &m.Classifiers[0], &m.Classifiers[1]
		a.Certificate, b.Certificate = b.Certificate, a.Certificate
		return math.Abs(a.Certificate.Primal-b.Certificate.Primal) > 0.1*a.Certificate.Primal
	}},
	{name: "support vectors exchanged", want: "^row .*: support vector .* has", sampled: true, alter: func(m *model.Model) bool {
		if m.Vectors == nil {
			return false
		}
		a, b := m.Vector(0), m.Vector(len(m.Support)-1)
		for j := range a {
			a[j], b[j] = b[j], a[j]
		}
		return true
	}},
	{name: "alpha of a classifier at another support vector", want: "for label|of neither class|above its bound|" + alphas, alter: func(m *model.Model) bool {
		a := &m.Classifiers[most(m)]
		for i, s := range a.Support {
			if next := s + 1; int(next) < len(m.Support) && (i+1 == len(a.Support) || a.Support[i+1] > next) {
				a.Support[i] = next
				return tidy(m)
			}
		}
		return false
	}},
	{name: "alpha of a row of a third class", want: "of neither class", sampled: true, alter: func(m *model.Model) bool {
		if m.Multiclass != model.OneVsOne {
			return false
		}
		a, b := &m.Classifiers[0], &m.Classifiers[1] // of classes 0 and 1, and of 0 and 2
		for i, s := range b.Support {
			if at, found := slices.BinarySearch(a.Support, s); !found && b.Alpha[i] < 0 {
				a.Support, a.Alpha = slices.Insert(a.Support, at, s), slices.Insert(a.Alpha, at, 1e-6)
			}
		}
		return true
	}},
	{name: "a support vector of a classifier dropped", want: "the sum of alpha", sampled: true, alter: func(m *model.Model) bool {
		a := &m.Classifiers[most(m)]
		i := largest(m.Classifier(most(m)))
		a.Support, a.Alpha = slices.Delete(a.Support, i, i+1), slices.Delete(a.Alpha, i, i+1)
		return tidy(m)
	}},
	{name: "a classifier without support vectors", want: "claims a dual value", sampled: true, alter: func(m *model.Model) bool {
		a := &m.Classifiers[most(m)]
		a.Support, a.Alpha = nil, nil
		return tidy(m)
	}},

	{name: "a class renamed", want: "none of the model's", sampled: true, alter: func(m *model.Model) bool { m.Classes[1] = "renamed"; return true }},
	{name: "classes exchanged", want: "not in order", sampled: true, alter: func(m *model.Model) bool {
		m.Classes[0], m.Classes[1] = m.Classes[1], m.Classes[0]
		return true
	}},
	{name: "a class too many", want: "no row has the class \"99\"", sampled: true, alter: func(m *model.Model) bool {
		if m.ClassWeights != nil {
			m.ClassWeights = append(m.ClassWeights, 1)
		}
		m.Classes = append(m.Classes, "99")
		spare, old := m.Classifiers[0], m.Classifiers
		m.Classifiers = nil
		for _, pair := range model.Pairs(m.Multiclass, len(m.Classes)) {
			at := slices.IndexFunc(old, func(a model.Classifier) bool { return a.Positive == pair[0] && a.Negative == pair[1] })
			if at < 0 {
				spare.Positive, spare.Negative = pair[0], pair[1]
				m.Classifiers = append(m.Classifiers, spare)
				continue
			}
			m.Classifiers = append(m.Classifiers, old[at])
		}
		return true
	}},
	{name: "a class left out", want: "none of the model's", sampled: true, alter: func(m *model.Model) bool {
		last := int32(len(m.Classes) - 1)
		if last < 3 {
			return false
		}
		m.Classifiers = slices.DeleteFunc(m.Classifiers, func(a model.Classifier) bool { return a.Positive == last || a.Negative == last })
		if m.Classes = m.Classes[:last]; m.ClassWeights != nil {
			m.ClassWeights = m.ClassWeights[:last]
		}
		return tidy(m)
	}},
	{name: "the weight of a class up", want: "claims a primal value", alter: func(m *model.Model) bool { return weighing(m, 10) }},
	{name: "the weight of a class down", want: "above its bound", sampled: true, alter: func(m *model.Model) bool { return weighing(m, 0.1) }},
	{name: "class weights left out", want: "above its bound|claims a primal value", alter: func(m *model.Model) bool {
		had := m.ClassWeights != nil
		m.ClassWeights = nil
		return had
	}},
	{name: "class weights exchanged", want: "above its bound", alter: func(m *model.Model) bool {
		if len(m.ClassWeights) < 3 {
			return false
		}
		w := m.ClassWeights
		w[1], w[2] = w[2], w[1]
		return w[1] != w[2]
	}},
	{name: "labels that are classes", want: "none of the model's", sampled: true, alter: func(m *model.Model) bool {
		had := m.Multiclass == model.MultiLabel
		m.Multiclass = model.OneVsRest
		return had
	}},
	{name: "precision of all", want: "claims double precision", sampled: true, alter: func(m *model.Model) bool { m.Double = !m.Double; return true }},
}

// weighing changes the weight of a class by a factor.
func weighing(m *model.Model, by float64) bool {
	if m.ClassWeights == nil {
		for range m.Classes {
			m.ClassWeights = append(m.ClassWeights, 1)
		}
	}
	m.ClassWeights[1] *= by
	return true
}

// differ reports whether two numbers differ by 5 %.
func differ(a, b []float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 0.05*max(a[i], b[i]) {
			return true
		}
	}
	return false
}

// most is the classifier with the most support vectors.
func most(m *model.Model) int {
	best := 0
	for k := range m.Classifiers {
		if len(m.Classifiers[k].Support) > len(m.Classifiers[best].Support) {
			best = k
		}
	}
	return best
}

// tidy leaves out support vectors that no classifier has any more, without which a model is a file.
func tidy(m *model.Model) bool {
	used := make([]bool, len(m.Support))
	for _, a := range m.Classifiers {
		for _, s := range a.Support {
			used[s] = true
		}
	}
	place, kept := make([]int32, len(used)), 0
	for s, keep := range used {
		if !keep {
			continue
		}
		place[s] = int32(kept)
		m.Support[kept] = m.Support[s]
		if m.Vectors != nil {
			copy(m.Vectors[kept*m.Features:(kept+1)*m.Features], m.Vectors[s*m.Features:(s+1)*m.Features])
		}
		kept++
	}
	m.Support = m.Support[:kept]
	if m.Vectors != nil {
		m.Vectors = m.Vectors[:kept*m.Features]
	}
	for k := range m.Classifiers {
		for i, s := range m.Classifiers[k].Support {
			m.Classifiers[k].Support[i] = place[s]
		}
	}
	return true
}

// inClassifier is a way in which a model of one is wrong, done to a classifier; false if it does not have
// this part.
func inClassifier(m *model.Model, k int, alter func(m *model.Model) bool) bool {
	a, one := &m.Classifiers[k], m.Classifier(k)
	before := *a
	before.Theta, before.WNorms, before.Alpha = slices.Clone(a.Theta), slices.Clone(a.WNorms), slices.Clone(a.Alpha)
	support := slices.Clone(one.Support)
	one.Vectors, one.Rows = nil, nil
	if !alter(one) || !slices.Equal(support, one.Support) {
		return false
	}
	a.Theta, a.WNorms, a.Bias, a.Alpha, a.Certificate, a.Double = one.Theta, one.WNorms, one.Bias, one.Alpha, one.Certificate, one.Double
	m.Double = slices.ContainsFunc(m.Classifiers, func(a model.Classifier) bool { return a.Double })
	return !reflect.DeepEqual(before, *a)
}

// TestWrongClassifiers alters one thing of a model of several classifiers at a time. What is of a classifier is said of that
// classifier and of no other.
func TestWrongClassifiers(t *testing.T) {
	t.Parallel()
	models := honestSeveral(t)
	shared := slices.DeleteFunc(slices.Clone(wrongs), func(w wrong) bool { return !w.shared })
	single := trials(t, models, wrongs, shared, func(h honest, m *model.Model, w wrong) bool {
		k := most(h.model)
		switch {
		case w.double && !m.Classifiers[k].Double:
			return false
		case w.shared:
			return w.alter(m)
		}
		return inClassifier(m, k, w.alter)
	})
	several := trials(t, models, ofClassifiers, ofClassifiers, func(_ honest, m *model.Model, w wrong) bool { return w.alter(m) })
	count := 0
	for i, h := range models {
		t.Run(h.name, func(t *testing.T) {
			quarter := verify.Options{Sample: h.model.Points / 4, Seed: 3}
			for _, o := range []verify.Options{{}, quarter} {
				if list := h.complaints(t, copied(t, h.model), o); len(list) > 0 {
					t.Errorf("the model as it is, sample of %d: %q", o.Sample, list)
				}
			}
			try := func(w trial, prefix, want string) {
				count++
				expected, begins := regexp.MustCompile(prefix+want), regexp.MustCompile(prefix)
				options := []verify.Options{{}}
				if w.sampled {
					options = append(options, quarter)
				}
				for _, o := range options {
					list := h.complaints(t, copied(t, w.model), o)
					if !slices.ContainsFunc(list, expected.MatchString) {
						t.Errorf("%s, sample of %d: no complaint of %q in %q", w.name, o.Sample, want, list)
					}
					if slices.ContainsFunc(list, func(s string) bool { return !begins.MatchString(s) }) {
						t.Errorf("%s, sample of %d: %q", w.name, o.Sample, list)
					}
				}
			}
			k := most(h.model)
			name := h.model.Classes[h.model.Classifiers[k].Positive]
			if other := h.model.Classifiers[k].Negative; other != model.Rest {
				name += " and " + h.model.Classes[other]
			}
			for _, w := range single[i] {
				if w.shared {
					try(w, "", w.want)
				} else {
					try(w, `^classifier "`+name+`": `, ".*("+w.want+")")
				}
			}
			for _, w := range several[i] {
				try(w, "", w.want)
			}
		})
	}
	t.Logf("%d trials", count)
}

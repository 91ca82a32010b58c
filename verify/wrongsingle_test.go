package verify_test

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/internal/model"
	"bigmkl/verify"
)

// honestSingle are classifiers for all classes: the norms, both precisions, weights of classes and rows, two classes, an
// indefinite kernel.
var honestSingle = once(func(t testing.TB) []honest {
	iris, wine := manyClasses(t, "iris", 150, true), manyClasses(t, "wine", 178, false)
	one := func(name string, o bigmkl.Options) honest {
		o.Multiclass = bigmkl.SingleClassifier
		rows := iris
		if name != "iris" {
			rows = wine
		}
		return trained(t, "single/"+name, rows, o)
	}
	return []honest{
		one("iris", bigmkl.Options{Kernels: "gauss:auto/3,linear,poly:2", Norm: 1, C: 0.5, Gap: 1e-6, ClassWeight: map[string]float64{"2": 1.5}}),
		one("iris", bigmkl.Options{Kernels: "gauss:auto/3,linear@1-2", Norm: 4.0 / 3, C: 0.1, Gap: 1e-3, Scale: "standard"}),
		one("wine", bigmkl.Options{Kernels: "gauss:auto/3,linear@1-6", Norm: 2, C: 0.1, Gap: 1e-5, Scale: "minmax", Normalize: "spherical"}),
		one("wine", bigmkl.Options{Kernels: "gauss:auto/2,linear", Norm: 3, C: 0.5, Gap: 1e-4, Scale: "standard"}),
		one("wine", bigmkl.Options{Kernels: "gauss:auto/2,linear", Norm: math.Inf(1), C: 0.5, Gap: 1e-5, Scale: "standard"}),
		one("wine", bigmkl.Options{Kernels: "gauss:auto/2,linear", Norm: 1.5, C: 0.5, Gap: 1e-5, Scale: "standard", Posteriors: bigmkl.Posteriors{Neighbours: 15}}),
		one("wine", bigmkl.Options{Kernels: "gauss:auto/2,linear", Norm: math.Inf(1), C: 0.5, Gap: 1e-3, Scale: "standard", Precision: "32"}),
		one("wine", bigmkl.Options{Kernels: "gauss:auto/2 prior=0.5,linear cost=3", Norm: 1.2, C: 0.5, Gap: 1e-5, Scale: "standard"}),
		one("wine", bigmkl.Options{Kernels: "gauss:auto/2 prior=0.5,linear", Norm: 3, C: 0.5, Gap: 1e-5, Scale: "standard"}),
		one("wine, indefinite", bigmkl.Options{Kernels: "gauss:auto,sigmoid:0.01:-0.1", Norm: 4.0 / 3, C: 0.1, Gap: 1e-3, Scale: "standard"}),
	}
})

// claimAll claims a primal and a dual value of the classifier, of which every function has the
// certificate.
func claimAll(m *model.Model, primal, dual float64) bool {
	claim(m, primal, dual)
	for k := range m.Classifiers {
		m.Classifiers[k].Certificate = m.Certificate
	}
	return true
}

// ofSingle are ways to be wrong that only a classifier for all classes has, and some that it has in another
// way.
var ofSingle = []wrong{
	{name: "a bias", want: "claims a primal value", alter: func(m *model.Model) bool { m.Classifiers[0].Bias += 1; return true }},
	{name: "biases exchanged", want: "claims a primal value", alter: func(m *model.Model) bool {
		a, b := &m.Classifiers[0], &m.Classifiers[len(m.Classifiers)-1]
		a.Bias, b.Bias = b.Bias, a.Bias
		return math.Abs(a.Bias-b.Bias) > 0.3
	}},
	{name: "one alpha", want: "alpha of all classes sums to", sampled: true, alter: func(m *model.Model) bool {
		a := &m.Classifiers[most(m)]
		a.Alpha[0] *= 0.9
		return true
	}},
	{name: "alpha between two functions", want: "for label|above its bound|the sum of alpha", sampled: true, alter: func(m *model.Model) bool {
		a, b := &m.Classifiers[0], &m.Classifiers[1]
		for i, s := range a.Support {
			if j := slices.Index(b.Support, s); j >= 0 {
				a.Alpha[i], b.Alpha[j] = a.Alpha[i]+0.05, b.Alpha[j]-0.05
				return a.Alpha[i] != 0 && b.Alpha[j] != 0
			}
		}
		return false
	}},
	{name: "columns exchanged", want: "for label", sampled: true, alter: func(m *model.Model) bool {
		a, b := &m.Classifiers[0], &m.Classifiers[1]
		*a, *b = *b, *a
		a.Positive, b.Positive = b.Positive, a.Positive
		return true
	}},
	{name: "every alpha twice", want: "above its bound|claims a dual value", sampled: false, alter: func(m *model.Model) bool {
		for k := range m.Classifiers {
			scaled(m.Classifiers[k].Alpha, 2)
		}
		return true
	}},
	// With a margin of 1, biases and functions of half the size have a quarter of the norm and half the loss.
	{name: "a margin of 1", want: "claims a primal value|claims a dual value", alter: func(m *model.Model) bool {
		for k := range m.Classifiers {
			a := &m.Classifiers[k]
			scaled(a.Alpha, 0.5)
			scaled(a.WNorms, 0.5)
			a.Bias /= 2
		}
		return claimAll(m, m.Certificate.Primal/4, m.Certificate.Dual/4)
	}},
	{name: "the values of a classifier for two classes", want: "claims a primal value|claims a dual value", alter: func(m *model.Model) bool {
		return claimAll(m, m.Certificate.Primal/2, m.Certificate.Dual/2)
	}},
	{name: "one against the rest", want: "claims a primal value|claims a dual value", alter: func(m *model.Model) bool {
		m.Multiclass = model.OneVsRest
		return m.Norm <= 2 && m.Posteriors == nil // With them there is no such model.
	}},
	{name: "a posterior", want: "fingerprint", sampled: true, alter: func(m *model.Model) bool {
		if m.Posteriors == nil {
			return false
		}
		m.Posteriors[3] = (1 + m.Posteriors[3]) / 3
		return true
	}},
	{name: "margins of labels that are certain", want: "fingerprint|claims a primal value|claims a dual value", alter: func(m *model.Model) bool {
		was := m.Posteriors != nil
		m.Posteriors, m.PosteriorsOf = nil, ""
		return was
	}},
	{name: "a larger C", want: "claims a primal value", alter: func(m *model.Model) bool { m.C *= 3; return true }},
	{name: "a smaller C", want: "above its bound", sampled: true, alter: func(m *model.Model) bool { m.C *= 0.9; return true }},
	{name: "the weight of a class", want: "above its bound|claims a primal value", alter: func(m *model.Model) bool {
		if m.ClassWeights == nil {
			return false
		}
		m.ClassWeights[1] /= 2
		return true
	}},
	{name: "a prior", want: "weights of all|claims a primal value|norm of|claims a dual value", alter: func(m *model.Model) bool {
		at := slices.IndexFunc(m.Kernels, func(s string) bool { return strings.Contains(s, "prior=0.5") })
		if at >= 0 {
			m.Kernels[at] = strings.Replace(m.Kernels[at], "prior=0.5", "prior=0.6", 1)
		}
		return at >= 0
	}},
	{name: "weights of all functions", want: "weights of all|claims|the norm of w_", alter: func(m *model.Model) bool {
		for k := range m.Classifiers {
			scaled(m.Classifiers[k].Theta, 1.02)
		}
		return true
	}},
}

// TestWrongSingle alters one thing of a classifier for all classes at a time.
func TestWrongSingle(t *testing.T) {
	t.Parallel()
	models := honestSingle(t)
	list := trials(t, models, ofSingle, ofSingle, func(_ honest, m *model.Model, w wrong) bool { return w.alter(m) })
	for i, h := range models {
		t.Run(h.name, func(t *testing.T) {
			quarter := verify.Options{Sample: h.model.Points / 4, Seed: 3}
			for _, o := range []verify.Options{{}, quarter} {
				if list := h.complaints(t, copied(t, h.model), o); len(list) > 0 {
					t.Errorf("the model as it is, sample of %d: %q", o.Sample, list)
				}
			}
			for _, w := range list[i] {
				options := []verify.Options{{}}
				if w.sampled {
					options = append(options, quarter)
				}
				for _, o := range options {
					list := h.complaints(t, copied(t, w.model), o)
					if !slices.ContainsFunc(list, regexp.MustCompile(w.want).MatchString) {
						t.Errorf("%s, sample of %d: no complaint of %q in %q", w.name, o.Sample, w.want, list)
					}
				}
			}
		})
	}
}

// TestWrongCertificateOfFunction: a function of a classifier for all classes with a certificate of its own is not sound,
// and verify reports this for a model that no file can have.
func TestWrongCertificateOfFunction(t *testing.T) {
	t.Parallel()
	h := honestSingle(t)[1]
	m := copied(t, h.model)
	m.Classifiers[1].Certificate.Primal *= 2
	if list := h.complaints(t, m, verify.Options{}); !slices.ContainsFunc(list, regexp.MustCompile("another certificate").MatchString) {
		t.Errorf("no complaint in %q", list)
	}
}

package model

import (
	"math"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/float"
)

func (p *classifierSection) check(m *Model, f *faults) {
	f.check(m.Len() > 0, "no kernels")
	if !m.Several() {
		p.checkOne(m, f)
		f.check(m.Classifiers == nil && m.Classes == nil && m.ClassWeights == nil &&
			!m.OneTheta && m.Taus == nil, "classifiers of a model of one")
		return
	}
	f.check(m.Positive == "" && m.Negative == "" && m.PositiveLabels == nil && m.Theta == nil &&
		m.WNorms == nil && m.Alpha == nil && m.Bias == 0,
		"a classifier beside several")
	if m.OneTheta {
		f.check(m.Multiclass == SingleClassifier || m.Multiclass != OneVsOne && m.Norm <= 2,
			"one set of weights with %s at p = %v", clip(m.Multiclass), m.Norm)
	}
	if m.Multiclass == Quantiles {
		p.checkQuantiles(m, f)
	} else {
		p.checkClasses(m, f)
	}
	pairs := [][2]int32(nil)
	if most, n := len(m.Classifiers), m.parts(); m.Multiclass != OneVsOne && most == n ||
		m.Multiclass == OneVsOne && n <= math.MaxInt16 && 2*most == n*(n-1) {
		pairs = Pairs(m.Multiclass, n)
	}
	f.check(pairs != nil, "%d %ss of %d classes or quantiles", len(m.Classifiers), m.Noun(), m.parts())
	used := make([]bool, len(m.Support))
	for k := range pairs {
		a := &m.Classifiers[k]
		f.check(a.Positive == pairs[k][0] && a.Negative == pairs[k][1],
			"classifier %d tells classes %d and %d apart", k, a.Positive, a.Negative)
		if before := len(*f); !a.check(f, m) {
			for i := range (*f)[before:] {
				(*f)[before+i] += " of " + m.Noun() + " " + clip(m.nameOf(pairs[k][0]))
			}
			return
		}
		for _, s := range a.Support {
			used[s] = true
		}
	}
	f.check(!slices.Contains(used, false), "a support vector of no %s", m.Noun())
	if m.OneTheta {
		p.checkOneTheta(m, f)
	}
}

// MostTaus is the largest number of quantiles of one model.
const MostTaus = 1000

// checkQuantiles checks what a model of several quantiles has in place of classes.
func (p *classifierSection) checkQuantiles(m *Model, f *faults) {
	f.check(EstimatesQuantile(m.Task), "several quantiles in task %s", clip(m.Task))
	f.check(m.Classes == nil && m.ClassWeights == nil, "classes of several quantiles")
	f.check(len(m.Taus) >= 2 && len(m.Taus) <= MostTaus, "%d quantiles", len(m.Taus))
	f.each("taus", m.Taus, func(tau float64) bool { return tau > 0 && tau < 1 }, "between 0 and 1")
	for k := 1; k < len(m.Taus); k++ {
		if !(m.Taus[k] > m.Taus[k-1]) {
			f.check(false, "quantiles that do not ascend")
			return
		}
	}
}

// checkClasses checks the classes of several classifiers.
func (p *classifierSection) checkClasses(m *Model, f *faults) {
	f.check(slices.Contains(Multiclasses, m.Multiclass), "unknown decision %s of several classifiers",
		clip(m.Multiclass))
	f.check(m.HasClasses() && m.Taus == nil, "several classifiers in task %s", clip(m.Task))
	least := 3
	switch {
	case m.Multiclass == MultiLabel:
		least = 1
	case HasDiscriminant(m.Task), m.Multiclass == SingleClassifier:
		least = 2
	}
	f.check(len(m.Classes) >= least && len(m.Classes) <= dataset.MaxClasses, "%d classes",
		len(m.Classes))
	seen := map[string]bool{}
	for _, c := range m.Classes {
		before := len(*f)
		f.check(!seen[c], "two classes are called %s", clip(c))
		f.check(c != "" && (m.Multiclass != MultiLabel || c != labeltext.EmptySet &&
			!strings.Contains(c, ",")), "%s is no name of a class", clip(c))
		if seen[c] = true; len(*f) > before {
			break // There may be as many faults as classes.
		}
	}
	if m.Multiclass == SingleClassifier {
		p.checkSingle(m, f)
	}
	f.check(m.ClassWeights == nil || len(m.ClassWeights) == len(m.Classes),
		"%d weights of %d classes", len(m.ClassWeights), len(m.Classes))
	f.each("class_weights", m.ClassWeights, above0, "positive")
}

// checkOne checks the weights and dual variables of a model of one classifier.
func (p *classifierSection) checkOne(m *Model, f *faults) {
	kernels, support := len(m.Theta), len(m.Support)
	f.check(len(m.WNorms) == kernels, "%d norms for %d kernels", len(m.WNorms), kernels)
	f.each("theta", m.Theta, atLeast0, "finite and >= 0")
	f.each("w_norms", m.WNorms, squared, ">= 0 with a finite square")
	f.check(len(m.Alpha) == support, "%d dual variables for %d support vectors", len(m.Alpha),
		support)
	f.each("alpha", m.Alpha, func(a float64) bool { return float.Finite(a) && a != 0 },
		"finite and other than 0")
}

// checkSingle checks what a classifier for all classes, whose functions are columns of one problem,
// has beside other models of several functions.
func (p *classifierSection) checkSingle(m *Model, f *faults) {
	f.check(HasLosses(m.Task) && m.Loss == "" && m.OneTheta && m.Sigmoids == nil &&
		len(m.Classes) <= MostColumns, "one classifier for all of %d classes in task %s with loss %s",
		len(m.Classes), clip(m.Task), clip(m.Loss))
	for k := range m.Classifiers {
		f.check(m.Classifiers[k].Certificate == m.Certificate,
			"function %d of one classifier has a certificate of its own", k)
	}
}

// checkOneTheta checks that classifiers of one set of weights have the same ones.
func (p *classifierSection) checkOneTheta(m *Model, f *faults) {
	shared := m.Shared()
	for i := range m.Classifiers {
		for k, x := range m.Classifiers[i].Theta {
			if x != shared[k] && x != 0 {
				f.check(false, "weight %d of classifier %d is %v, of others %v", k, i, x, shared[k])
				return
			}
		}
	}
}

// check adds the faults of one classifier to f and reports whether there are none.
func (a *Classifier) check(f *faults, m *Model) bool {
	before, kernels := len(*f), m.Len()
	f.check(kernels > 0 && len(a.Theta) == kernels &&
		len(a.WNorms) == kernels, "%d weights and %d norms of %d kernels", len(a.Theta),
		len(a.WNorms), kernels)
	f.each("theta", a.Theta, atLeast0, "finite and >= 0")
	f.each("w_norms", a.WNorms, squared, ">= 0 with a finite square")
	f.check(len(a.Alpha) == len(a.Support), "%d dual variables for %d support vectors",
		len(a.Alpha), len(a.Support))
	f.each("alpha", a.Alpha, func(x float64) bool { return float.Finite(x) && x != 0 },
		"finite and other than 0")
	f.check(float.Finite(a.Bias), "bias %v", a.Bias)
	a.Certificate.check(f)
	f.check(Ascending(a.Support, len(m.Support)), "support vectors out of order or out of range")
	return len(*f) == before
}

func (c *Certificate) check(f *faults) {
	f.check(c.Kind == "gap" || c.Kind == "stationary", "unknown certificate %s", clip(c.Kind))
	f.check(float.Finite(c.Primal) && float.Finite(c.Dual) &&
		float.Finite(c.RelativeGap), "the certificate is not finite")
	f.check(float.Finite(c.Rounding) && c.Rounding >= 0, "the certificate allows for a rounding of %g",
		c.Rounding)
}

package model

import (
	"math"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/float"
	"bigmkl/kernelspec"
)

// checkClassifiers checks the parts that only a model of several classifiers has.
func checkClassifiers(m *Model, f *faults) {
	if !m.Several() {
		f.check(m.Classifiers == nil && m.Classes == nil && m.ClassWeights == nil &&
			!m.OneTheta, "classifiers of a model of one")
		return
	}
	f.check(slices.Contains(Multiclasses, m.Multiclass), "unknown decision %s of several classifiers",
		clip(m.Multiclass))
	f.check(m.HasClasses(), "several classifiers in task %s", clip(m.Task))
	least := 3
	switch {
	case m.Multiclass == MultiLabel:
		least = 1
	case m.Task == TaskRKDA, m.Multiclass == SingleClassifier:
		least = 2
	}
	f.check(len(m.Classes) >= least && len(m.Classes) <= dataset.MaxClasses, "%d classes",
		len(m.Classes))
	f.check(m.Positive == "" && m.Negative == "" && m.PositiveLabels == nil && m.Theta == nil &&
		m.WNorms == nil && m.Alpha == nil && m.Bias == 0,
		"a classifier beside several")
	seen := map[string]bool{}
	for _, c := range m.Classes {
		before := len(*f)
		f.check(!seen[c], "two classes are called %s", clip(c))
		f.check(c != "" && (m.Multiclass != MultiLabel || c != dataset.EmptySet &&
			!strings.Contains(c, ",")), "%s is no name of a class", clip(c))
		if seen[c] = true; len(*f) > before {
			break // There may be as many faults as classes.
		}
	}
	if m.OneTheta {
		f.check(m.Multiclass == SingleClassifier || m.Multiclass != OneVsOne && m.Norm <= 2,
			"one set of weights with %s at p = %v", clip(m.Multiclass), m.Norm)
	}
	if m.Multiclass == SingleClassifier {
		checkSingle(m, f)
	}
	f.check(m.ClassWeights == nil || len(m.ClassWeights) == len(m.Classes),
		"%d weights of %d classes", len(m.ClassWeights), len(m.Classes))
	f.each("class_weights", m.ClassWeights, above0, "positive")
	pairs := [][2]int32(nil)
	if most := len(m.Classifiers); m.Multiclass != OneVsOne && most == len(m.Classes) ||
		m.Multiclass == OneVsOne && len(m.Classes) <= math.MaxInt16 &&
			2*most == len(m.Classes)*(len(m.Classes)-1) {
		pairs = Pairs(m.Multiclass, len(m.Classes))
	}
	f.check(pairs != nil, "%d classifiers of %d classes", len(m.Classifiers), len(m.Classes))
	used := make([]bool, len(m.Support))
	for k := range pairs {
		a := &m.Classifiers[k]
		f.check(a.Positive == pairs[k][0] && a.Negative == pairs[k][1],
			"classifier %d tells classes %d and %d apart", k, a.Positive, a.Negative)
		if before := len(*f); !a.check(f, m) {
			for i := range (*f)[before:] {
				(*f)[before+i] += " of classifier " + clip(m.Classes[pairs[k][0]])
			}
			return
		}
		for _, s := range a.Support {
			used[s] = true
		}
	}
	f.check(!slices.Contains(used, false), "a support vector of no classifier")
	if m.OneTheta {
		checkOneTheta(m, f)
	}
}

// checkSingle checks what a classifier for all classes, whose functions are columns of one problem,
// has beside other models of several functions.
func checkSingle(m *Model, f *faults) {
	f.check(m.Task == TaskClass && m.Loss == "" && m.OneTheta && m.Sigmoids == nil &&
		len(m.Classes) <= MostColumns, "one classifier for all of %d classes in task %s with loss %s",
		len(m.Classes), clip(m.Task), clip(m.Loss))
	for k := range m.Classifiers {
		f.check(m.Classifiers[k].Certificate == m.Certificate,
			"function %d of one classifier has a certificate of its own", k)
	}
}

func checkOneTheta(m *Model, f *faults) {
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

func checkRegularizer(m *Model, f *faults) {
	kernels, count := m.Len(), 0
	for _, set := range []bool{m.GroupNorm != 0, m.ElasticNet != 0, m.SquaredNorm != 0,
		m.Interaction != nil, m.Weights != nil} {
		if set {
			count++
		}
	}
	f.check(count <= 1, "%d norms at once", count)
	f.check(m.GroupNorm == 0 || m.GroupNorm >= 1, "norm %v within groups is below 1",
		float64(m.GroupNorm))
	f.check(m.ElasticNet == 0 || m.ElasticNet > 0 && m.ElasticNet < 1 &&
		m.Norm == 1, "elastic net %v at p = %v", m.ElasticNet, m.Norm)
	f.check(atLeast0(m.SquaredNorm), "squared norm %v", m.SquaredNorm)
	f.check(m.Interaction == nil || len(m.Interaction) == kernels*kernels &&
		m.Norm == 2, "%d interactions of %d kernels at p = %v", len(m.Interaction), kernels, m.Norm)
	f.each("interaction", m.Interaction, atLeast0, "finite and >= 0")
	if len(m.Interaction) == kernels*kernels {
		for i := range kernels {
			for j := range i {
				if m.Interaction[i*kernels+j] != m.Interaction[j*kernels+i] {
					f.check(false, "interactions %d and %d are not symmetric", i, j)
					return
				}
			}
		}
	}
	f.check(m.Weights == nil || len(m.Weights) == kernels &&
		m.Norm == 2, "%d fixed weights of %d kernels at p = %v", len(m.Weights), kernels, m.Norm)
	f.each("weights", m.Weights, atLeast0, "finite and >= 0")
	grouped := slices.ContainsFunc(m.Kernels, namesGroup)
	if !grouped && expansion(m).Regions > 0 {
		return // Regions are groups, of which a norm may make use.
	}
	f.check(grouped == (m.GroupNorm != 0), "groups of kernels without a norm within them, or a "+
		"norm without groups")
}

func namesGroup(s string) bool { return strings.Contains(kernelspec.Suffix(s), "group=") }

func (c *Certificate) check(f *faults) {
	f.check(c.Kind == "gap" || c.Kind == "stationary", "unknown certificate %s", clip(c.Kind))
	f.check(float.Finite(c.Primal) && float.Finite(c.Dual) &&
		float.Finite(c.RelativeGap), "the certificate is not finite")
	f.check(float.Finite(c.Rounding) && c.Rounding >= 0, "the certificate allows for a rounding of %g",
		c.Rounding)
}

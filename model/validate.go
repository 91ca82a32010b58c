package model

import (
	"math"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/kernelspec"
)

// Validate checks everything that can be checked without data. It lists all faults in one error of
// class fail.Corrupt.
func (m *Model) Validate() error {
	var f faults
	checkScalars(m, &f)
	checkArrays(m, &f)
	checkClassifiers(m, &f)
	checkRegularizer(m, &f)
	checkSigmoids(m, &f)
	checkConformal(m, &f)
	m.Censoring.check(m.Task, &f)
	checkPosteriors(m, &f)
	checkFill(m, &f)
	m.Centre.check(m, &f)
	checkText(m, &f)
	m.Family.check(m.Task, &f)
	m.Costs.check(m.Kernels, &f)
	m.WeightRule.check(m, &f)
	m.Discriminant.check(m, &f)
	m.Family.wing().check(m, &f)
	if m.Columns != nil {
		if err := m.Columns.Check(); err != nil {
			f.check(false, "columns: %v", err)
		}
	}
	f.check(len(m.Views) <= dataset.MaxViews, "%d views", len(m.Views))
	kernels, medians, err := kernelspec.Count(m.Kernels, expansion(m))
	if err != nil {
		f.check(false, "%v", err)
	} else {
		f.check(medians == len(m.Medians), "%d medians for kernels that need %d", len(m.Medians),
			medians)
		f.check(kernels == m.Len(), "%d weights for %d kernels", m.Len(), kernels)
	}
	if m.Features >= 0 && m.Features <= math.MaxInt32 {
		if err := m.Scaling.Validate(m.Features); err != nil {
			f.check(false, "scaling: %v", err)
		}
	}
	if m.Occurring != nil {
		if err := m.Occurring.Check(m.Features); err != nil {
			f.check(false, "%v", err)
		}
		f.check(len(m.Views) == 0 && m.Fill == nil && m.Family == nil && m.Sequences == dataset.Numbers &&
			m.Columns == nil, "features that occur, and others that are named")
	}
	if len(f) == 0 {
		return nil
	}
	return fail.New(fail.Corrupt, "the model makes no sense: %s", strings.Join(f, "; "))
}

// NeedsFeatures reports whether the kernel of a specification depends on the features of points.
func NeedsFeatures(spec string) bool { return !strings.HasPrefix(spec, "precomputed:") }

func checkScalars(m *Model, f *faults) {
	f.check(slices.Contains(Tasks, m.Task), "unknown task %s", clip(m.Task))
	f.check(atLeast0(m.Epsilon) && (m.Epsilon == 0 || slices.Contains(TubeTasks, m.Task)), "epsilon %v in task %s",
		m.Epsilon, clip(m.Task))
	tilted := slices.Contains(TauTasks, m.Task)
	f.check(m.Tau == 0 && !tilted || m.Tau > 0 && m.Tau < 1 && tilted, "tau %v in task %s", m.Tau, clip(m.Task))
	f.check(m.Delta == 0 && m.Task != TaskHuber || above0(m.Delta) && m.Task == TaskHuber, "delta %v in task %s", m.Delta, clip(m.Task))
	f.check(m.Loss == "" || m.Loss == LossSquaredHinge && m.Task == TaskClass,
		"loss %s in task %s", clip(m.Loss), clip(m.Task))
	f.check(m.Nu == 0 && m.Task != TaskOneClass || m.Nu > 0 && m.Nu <= 1 &&
		m.Task == TaskOneClass, "nu %v in task %s", m.Nu, clip(m.Task))
	f.check(m.Norm >= 1, "norm %v is below 1", m.Norm)
	f.check(above0(m.C), "C is %v", m.C)
	checkCostWeight(m, f)
	f.check(m.Gap > 0 && m.Gap < 1, "gap %v is not between 0 and 1", m.Gap)
	f.check(slices.Contains([]string{"auto", "32", "64"}, m.Precision), "unknown precision %s",
		clip(m.Precision))
	f.check(m.Positive != m.Negative || !m.HasClasses() ||
		m.Several(), "both classes are called %s", clip(m.Positive))
	f.check(m.HasClasses() || m.Positive == "" && m.Negative == "" &&
		m.PositiveLabels == nil, "classes in task %s", clip(m.Task))
	f.check(m.HasClasses() && !m.Several() || m.PositiveWeight == 1 && m.NegativeWeight == 1,
		"weights of two classes in task %s with %d classifiers", clip(m.Task), len(m.Classifiers))
	f.check(m.C == 1 || m.Task != TaskOneClass && m.Task != TaskMixture, "C is %v in task %s", m.C, clip(m.Task))
	f.check(len(m.PositiveLabels) <= dataset.MaxClasses, "%d positive labels",
		len(m.PositiveLabels))
	f.check(above0(m.PositiveWeight) && above0(m.NegativeWeight), "class weights are %v and %v",
		m.PositiveWeight, m.NegativeWeight)
	f.check(m.Points >= 0 && m.Points <= math.MaxInt32, "the number of points is %d", m.Points)
	f.check(m.Features >= 0 && m.Features <= math.MaxInt32, "the number of features is %d",
		m.Features)
	if _, err := dataset.ParseAlphabet(string(m.Sequences)); err != nil {
		f.check(false, "%v", err)
	}
	f.check(m.Sequences == dataset.Numbers || m.Features <= dataset.MaxSequence &&
		m.Scaling.Kind == dataset.ScaleNone,
		"sequences of %d letters, scaled by %s", m.Features, clip(m.Scaling.Kind))
	f.check(m.Limit == 0 || m.Limit >= m.Points, "%d points within a limit of %d", m.Points,
		m.Limit)
	f.check(m.Store == dataset.LayoutDense ||
		m.Store == dataset.LayoutSparse, "unknown store %s", clip(string(m.Store)))
	if s := m.Stream; s != nil {
		f.check(s.Seen >= m.Points && s.Prepared >= 0 && s.Prepared <= s.Seen && s.Vectors >= 0 && s.Vectors <= m.Points,
			"%d points of a stream of %d, prepared on %d", m.Points, s.Seen, s.Prepared)
	}
	t := m.Tuning
	f.check(t.WorkingSet >= 0 && atLeast0(t.Fresh) && atLeast0(t.Inner) && atLeast0(t.Coarse) &&
		atLeast0(t.Shrink), "the tuning is %v", t)
	f.check(float.Finite(m.Bias), "the bias is %v", m.Bias)
	if !m.Several() || m.OneTheta {
		m.Certificate.check(f)
	} else {
		f.check(m.Certificate == Certificate{}, "a certificate of several classifiers that have their own")
	}
	n := m.Normalization
	f.check(slices.Contains(kernelspec.Normalizers(), n.Kind),
		"unknown normalization %s", clip(n.Kind))
	f.check(n.SampleSize == 0 || n.SampleSize > 0 && n.Scale != nil, "the normaliser's sample is %d", n.SampleSize)
}

// weightSlack is what rounding may make of a sum of weights that is 1.
const weightSlack = 1e-9

// checkCostWeight checks the weight of a cost that was found: the problem that it belongs to has a
// squared loss and a block norm over kernels of equal importance.
func checkCostWeight(m *Model, f *faults) {
	if m.CostWeight == nil {
		return
	}
	f.check(atLeast0(*m.CostWeight) && *m.CostWeight <= 1+weightSlack, "the weight of the cost is %v",
		*m.CostWeight)
	f.check(m.Task == TaskSquare || m.Task == TaskRKDA || m.Loss == LossSquaredHinge,
		"a cost that was found in task %s", clip(m.Task))
	plain := m.GroupNorm == 0 && m.ElasticNet == 0 && m.SquaredNorm == 0 && m.Interaction == nil &&
		m.Weights == nil && m.WeightRule == nil
	named := func(s string) bool {
		return strings.Contains(kernelspec.Suffix(s), "prior=") ||
			strings.Contains(kernelspec.Suffix(s), "cost=")
	}
	f.check(plain && m.Costs == nil && !slices.ContainsFunc(m.Kernels, named),
		"a cost that was found beside another norm or importances")
	f.check(!(m.Several() && m.Discriminant == nil) && m.Folds == 0 && m.Family == nil && m.Stream == nil,
		"a cost that was found for several classifiers, folds, a family or a stream")
}

// checkSigmoids checks the sigmoids and their number of folds.
func checkSigmoids(m *Model, f *faults) {
	f.check(m.Sigmoids != nil || !m.FoldsApart, "folds that were held out without sigmoids")
	if m.Sigmoids == nil && m.Folds == 0 {
		return
	}
	f.check(m.Task == TaskClass, "probabilities of classes in task %s", clip(m.Task))
	f.check(m.Folds >= 2 && m.Folds <= math.MaxInt32, "%d folds", m.Folds)
	f.check(len(m.Sigmoids) == max(1, len(m.Classifiers)), "%d sigmoids of %d classifiers",
		len(m.Sigmoids), max(1, len(m.Classifiers)))
	for k, s := range m.Sigmoids {
		if !s.Valid() {
			f.check(false, "sigmoids[%d] is %v, %v, not finite and falling", k, s.A, s.B)
			break
		}
	}
}

func checkArrays(m *Model, f *faults) {
	kernels, support := m.Len(), len(m.Support)
	f.check(kernels > 0, "no kernels")
	if !m.Several() {
		checkOneClassifier(m, f)
	}
	last := int32(-1)
	for i, row := range m.Support {
		if row <= last || int(row) >= m.Points {
			f.check(false, "support[%d] is %d, not ascending below %d", i, row, m.Points)
			break
		}
		last = row
	}
	if m.Vectors != nil {
		f.check(m.Features >= 0 && len(m.Vectors) == support*m.Features,
			"%d numbers for %d support vectors of %d features",
			len(m.Vectors), support, m.Features)
		i := slices.IndexFunc(m.Vectors, func(x float32) bool { return !float.Finite(x) })
		f.check(i < 0, "vectors[%d] is not finite", i)
		i = 0
		for m.Sequences != dataset.Numbers && i < len(m.Vectors) &&
			m.Sequences.Fits(i%max(1, m.Features), float64(m.Vectors[i])) {
			i++
		}
		f.check(m.Sequences == dataset.Numbers || i == len(m.Vectors),
			"vectors[%d] stands for no letter", i)
	}
	if m.Sparse != nil {
		checkSparse(m, f)
	}
	if slices.ContainsFunc(m.Kernels, NeedsFeatures) {
		f.check(m.Features > 0, "kernels of no features")
		f.check(m.HasVectors() || support == 0, "the support vectors are missing")
	}
	f.each("medians", m.Medians, above0, "positive")
	n := m.Normalization
	f.check((n.Scale != nil) == (n.Kind == "multiplicative" ||
		kernelspec.Multiplicative.AskFor(m.Kernels)), "normalisation %s with %d factors",
		clip(n.Kind), len(n.Scale))
	f.check(n.Scale == nil || len(n.Scale) == kernels, "%d normalisers for %d kernels",
		len(n.Scale), kernels)
	f.each("normalizer", n.Scale, atLeast0, "finite and >= 0")
	f.check(n.StandardError == nil || len(n.StandardError) == kernels &&
		n.SampleSize > 0, "standard errors of normalisers without need")
	f.each("normalizer_error", n.StandardError, atLeast0, "finite and >= 0")
}

// checkOneClassifier checks the weights and dual variables of a model of one classifier.
func checkOneClassifier(m *Model, f *faults) {
	kernels, support := len(m.Theta), len(m.Support)
	f.check(len(m.WNorms) == kernels, "%d norms for %d kernels", len(m.WNorms), kernels)
	f.each("theta", m.Theta, atLeast0, "finite and >= 0")
	f.each("w_norms", m.WNorms, squared, ">= 0 with a finite square")
	f.check(len(m.Alpha) == support, "%d dual variables for %d support vectors", len(m.Alpha),
		support)
	f.each("alpha", m.Alpha, func(a float64) bool { return float.Finite(a) && a != 0 },
		"finite and other than 0")
}

// checkSparse checks support vectors that are stored by their non-zeros.
func checkSparse(m *Model, f *faults) {
	v := m.Sparse.alone()
	f.check(m.Store == dataset.LayoutSparse &&
		m.Vectors == nil, "support vectors by their non-zeros where points were not stored so")
	if !v.bounds(len(m.Support)) {
		f.check(false, "%d rows and %d features of %d values for %d support vectors, or rows "+
			"out of order", len(v.Start)-1, len(v.Index), len(v.Value), len(m.Support))
		return
	}
	for s := range m.Support {
		if index, _ := v.Row(s); !Ascending(index, m.Features) {
			f.check(false, "the features of support vector %d are not ascending below %d", s+1,
				m.Features)
			break
		}
	}
	i := slices.IndexFunc(v.Value, func(x float32) bool { return !float.Finite(x) || x == 0 })
	f.check(i < 0, "vector_value[%d] is not finite and other than 0", i)
	i = 0
	for m.Sequences != dataset.Numbers && i < len(v.Value) &&
		m.Sequences.Fits(int(v.Index[i]), float64(v.Value[i])) {
		i++
	}
	f.check(m.Sequences == dataset.Numbers || i == len(v.Value),
		"vector_value[%d] stands for no letter", i)
}

// checkText refuses strings that JSON would change silently, and those that would not stay on one
// line.
func checkText(m *Model, f *faults) {
	all := slices.Concat([]string{m.Positive, m.Negative}, m.PositiveLabels, m.Classes)
	for _, v := range m.Views {
		all = append(all, v.Name)
	}
	for _, s := range append(all, m.Kernels...) {
		if !dataset.Printable(s) {
			f.check(false, "%s is no text", clip(s))
			return
		}
	}
}

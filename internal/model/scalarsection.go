package model

import (
	"math"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
)

// scalarSection is the numbers of the problem and of its solution.
type scalarSection struct{ plainSection }

var _ section = scalarSection{}

func (scalarSection) since(m *Model) int {
	return max(sinceOfTask(m.Task), sinceIf(m.Loss != "" || m.CostWeight != nil, presentVersion))
}

func (s scalarSection) check(m *Model, f *faults) {
	f.check(traitsOf(m.Task).name != "", "unknown task %s", clip(m.Task))
	for _, n := range LossNumbers {
		x, own := *n.Of(&m.LossSettings), n.IsOf(m.Task) && (n.Name != NameTau || m.Multiclass != Quantiles) // which has Taus
		f.check(own && n.Allows(x) || !own && x == 0, "%s %v in task %s", n.Name, x, clip(m.Task))
	}
	f.check(m.Loss == "" || m.Loss == LossSquaredHinge && HasLosses(m.Task),
		"loss %s in task %s", clip(m.Loss), clip(m.Task))
	f.check(m.Norm >= 1, "norm %v is below 1", m.Norm)
	f.check(above0(m.C), "C is %v", m.C)
	s.checkCostWeight(m, f)
	f.check(m.Gap > 0 && m.Gap < 1, "gap %v is not between 0 and 1", m.Gap)
	f.check(slices.Contains([]string{"auto", "32", "64"}, m.Precision), "unknown precision %s",
		clip(m.Precision))
	f.check(m.Positive != m.Negative || !m.HasClasses() ||
		m.Several(), "both classes are called %s", clip(m.Positive))
	f.check(m.HasClasses() || m.Positive == "" && m.Negative == "" &&
		m.PositiveLabels == nil, "classes in task %s", clip(m.Task))
	f.check(m.HasClasses() && !m.Several() || m.PositiveWeight == 1 && m.NegativeWeight == 1,
		"weights of two classes in task %s with %d classifiers", clip(m.Task), len(m.Classifiers))
	f.check(m.C == 1 || !DescribesSupport(m.Task) && !MaximisesLikelihood(m.Task), "C is %v in task %s", m.C, clip(m.Task))
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
	t := m.Tuning
	f.check(t.WorkingSet >= 0 && atLeast0(t.Fresh) && atLeast0(t.Inner) && atLeast0(t.Coarse) &&
		atLeast0(t.Shrink) && t.Floor >= 0, "the tuning is %v", t)
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
func (scalarSection) checkCostWeight(m *Model, f *faults) {
	if m.CostWeight == nil {
		return
	}
	f.check(atLeast0(*m.CostWeight) && *m.CostWeight <= 1+weightSlack, "the weight of the cost is %v",
		*m.CostWeight)
	f.check(HasSquaredLoss(m.Task) || HasDiscriminant(m.Task) || m.Loss == LossSquaredHinge,
		"a cost that was found in task %s", clip(m.Task))
	plain := m.Regularizer.IsBlockNorm() && m.WeightRule == nil
	named := func(s string) bool {
		return strings.Contains(kernelspec.Suffix(s), "prior=") ||
			strings.Contains(kernelspec.Suffix(s), "cost=")
	}
	f.check(plain && m.Costs == nil && !slices.ContainsFunc(m.Kernels, named),
		"a cost that was found beside another norm or importances")
	f.check(!(m.Several() && m.Discriminant == nil) && m.Folds == 0 && m.Family == nil && m.Stream == nil,
		"a cost that was found for several classifiers, folds, a family or a stream")
}

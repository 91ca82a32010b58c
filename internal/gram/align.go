package gram

import (
	"context"
	"errors"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/fail"
	"bigmkl/internal/train"
	"bigmkl/kernels"
)

// The alignment of two kernels is the cosine of the angle between their matrices (Kloft 2011, eq.
// 5.1):
//
//	A(K, L) = <K, L> / (<K, K> <L, L>)^(1/2),    <K, L> = sum_ij K_ij L_ij.
//
// The matrices are centred first, K -> HKH with H = I - 1 1'/n, unless they are asked for plain.
// Package kernels sums the products of all pairs of matrices in one pass over the pairs of points.

// AlignOptions set which alignments are computed. The zero value asks for centred ones of all
// points.
type AlignOptions struct {
	// Sample is the number of points, drawn by Options.Seed, whose pairs represent all pairs; at
	// least 4. If it equals zero, all points are used and the result is exact.
	Sample int
	// Plain leaves the matrices as they are, and does not centre them.
	Plain bool
	// Rule, if it is not nil, asks for the weights that this rule gives the kernels, with the
	// normalisation of the options.
	Rule *train.WeightRule
}

// leastSample is the smallest number of points from which the estimates can be made.
const leastSample = 4

// Validate returns an error of class fail.Usage if the options make no sense, and nil otherwise.
func (a AlignOptions) Validate() error {
	if a.Sample < 0 || a.Sample > 0 && a.Sample < leastSample {
		return fail.New(fail.Usage, "a sample of %d points (0 for all, or at least %d)",
			a.Sample, leastSample)
	}
	if a.Rule != nil && a.Rule.HoldsOut() {
		return fail.New(fail.Usage, "the rule %s looks at what classifiers predict, and none is trained "+
			"for alignments", a.Rule).WithHint("train --weights rule:%s --theta-out FILE", a.Rule)
	}
	return nil
}

// Alignments measure how similar kernels are to each other and to the labels. An alignment lies
// in [-1, 1]; it is NaN if one of the matrices vanishes, as the centred matrix of a constant
// kernel does.
type Alignments struct {
	// Specs describes each kernel, and Names does so with numbers of four digits.
	Specs, Names []string
	// Kernels holds the alignments between kernels, M x M.
	Kernels [][]float64
	// Labels holds the alignment of each kernel with that of the labels. For two classes the latter
	// is yy', and for more the sum of yy' over the classes, each against the rest.
	Labels []float64
	// Weights holds the weight of each kernel by the rule that was asked for. It is nil without one.
	Weights []float64
	// Points is the number of points, and Sample the number of those whose pairs were summed.
	Points, Sample int
}

// Align reads src and returns the alignments of the kernels of o with each other and with the
// labels. It does not close src. A factor of a kernel does not change its alignments, so no
// multiplicative normalisation is computed. Memory grows with M^2 and not with n. The options of o
// that concern the training alone have no effect.
func Align(ctx context.Context, src dataset.Source, o train.Options, a AlignOptions) (
	*Alignments, error) {
	w, err := train.Open(o)
	if err := errors.Join(err, a.Validate()); err != nil {
		return nil, err
	}
	defer w.Close()
	// A rejection because points or kernels do not fit names what alignments take, and not a
	// training.
	w.Account = func(r *budget.Run, points kernels.Points, b *kernels.Bank) budget.Share {
		s, _ := train.AlignMemory(r, points, b)
		return s
	}
	if err := w.Read(ctx, src); err != nil {
		return nil, err
	}
	if err := w.PrepareKernels(ctx); err != nil {
		return nil, err
	}
	if a.Sample >= w.Store.Len() {
		a.Sample = 0 // All points are fewer than the sample would be.
	}
	threads, heap, err := train.AlignThreads(w.BudgetRun(), w.Store, w.Kernels.Bank, a.Sample)
	if err != nil {
		return nil, err
	}
	w.LimitHeap(heap)
	options := kernels.AlignOptions{
		Sample: a.Sample, Seed: o.Seed, Plain: a.Plain, Classes: w.Store.Labels(),
		Threads: threads, Scratch: w.Options.Budget.Scratch,
	}
	weights, err := ruleWeights(ctx, w, a.Rule, options)
	if err != nil {
		return nil, err
	}
	if a.Plain {
		w.Kernels.Plain()
	}
	products, err := kernels.Matrices{Bank: w.Kernels.Bank, Points: w.Store}.Align(ctx, options)
	// A matrix of the user that changed meanwhile makes all products worthless.
	if err := w.Check(err); err != nil {
		return nil, err
	}
	r, err := alignments(w.Kernels, products, w.Store.Len(), a.Sample)
	if err == nil {
		r.Weights = weights
	}
	return r, err
}

// ruleWeights returns the weights of the rule, or nil without one. Its sums are over normalised
// kernels, and may be centred where the alignments are not.
func ruleWeights(ctx context.Context, w *train.Workspace, rule *train.WeightRule, o kernels.AlignOptions) (
	[]float64, error) {
	if rule == nil {
		return nil, nil
	}
	if err := w.FindScales(ctx, func(string, ...any) {}); err != nil {
		return nil, err
	}
	of := &train.RuleSample{Store: w.Store, Kernels: w.Kernels, Options: o, Check: w.Check}
	sums, err := of.Sums(ctx, rule)
	if err != nil {
		return nil, err
	}
	return rule.Weigh(w.Kernels.Len(), sums)
}

// alignments returns the cosines that follow from products, the matrix of <K_a, K_b> over the M
// kernels and, as the last row and column, the kernel of the labels.
func alignments(p *kernels.Prepared, products []float64, points, sample int) (*Alignments, error) {
	m := p.Len()
	side := m + 1
	// Squares of large kernel values overflow sooner than the values, and one kernel is named for
	// it.
	for id := range m {
		if v := products[id*side+id]; math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, p.Overflow(id, "on these data once they are squared and summed")
		}
	}
	r := &Alignments{Points: points, Sample: points, Labels: make([]float64, m)}
	if sample > 0 {
		r.Sample = sample
	}
	// Rounding may leave a matrix that vanishes with a product of 0 or below. The roots are taken
	// one by one, because the product of two large numbers could overflow.
	cosine := func(i, j int) float64 {
		a, b := products[i*side+i], products[j*side+j]
		if a <= 0 || b <= 0 {
			return math.NaN()
		}
		if i == j {
			return 1
		}
		return products[i*side+j] / (math.Sqrt(a) * math.Sqrt(b))
	}
	for i := range m {
		row := make([]float64, m)
		for j := range row {
			row[j] = cosine(i, j)
		}
		r.Specs, r.Names = append(r.Specs, p.Expanded.Describe(i)), append(r.Names, p.Expanded.Brief(i))
		r.Kernels = append(r.Kernels, row)
		r.Labels[i] = cosine(i, m)
	}
	return r, nil
}

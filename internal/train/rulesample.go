package train

import (
	"context"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/bytesize"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
)

// RuleSample is the rows that a rule of weights looks at in pairs, under kernels that are normalised.
type RuleSample struct {
	Store   *dataset.Store
	Kernels *kernels.Prepared
	Options kernels.AlignOptions // except for Plain, which the rule decides
	Check   func(error) error    // that of the workspace
}

// Sums returns the sums of a rule.
func (s *RuleSample) Sums(ctx context.Context, rule *WeightRule) ([]float64, error) {
	b, o := s.Kernels.Bank, s.Options
	o.Plain = !rule.Centred()
	if o.Plain {
		b = b.Plainly()
	}
	if rule.Name == "fsm" {
		if len(s.Store.Classes()) != 2 {
			return nil, fail.New(fail.Usage, "the rule fsm is for two classes")
		}
		spreads, err := kernels.Matrices{Bank: b, Points: s.Store}.Spreads(ctx, o)
		if err := s.Check(err); err != nil {
			return nil, err
		}
		m := b.Len()
		sums := make([]float64, 3*m)
		for k, x := range spreads {
			sums[k], sums[m+k], sums[2*m+k] = x.First, x.Second, x.Distance
		}
		return sums, s.checkSums(sums, m)
	}
	products, err := kernels.Matrices{Bank: b, Points: s.Store}.Align(ctx, o)
	if err := s.Check(err); err != nil {
		return nil, err
	}
	return s.sumsOfProducts(rule, products)
}

// sumsOfProducts returns the sums of a rule from the products of all kernels and the labels, which
// lack the factors of the multiplicative normalisation.
func (s *RuleSample) sumsOfProducts(rule *WeightRule, products []float64) ([]float64, error) {
	b, m := s.Kernels.Bank, s.Kernels.Len()
	side := m + 1
	for i := range m {
		for j := range side {
			products[i*side+j] *= b.Factor(i)
			products[j*side+i] *= b.Factor(i)
		}
	}
	if rule.Name != "align" {
		return products, s.checkSums(products, m+1)
	}
	sums := make([]float64, 0, 2*m+1)
	for i := range m {
		sums = append(sums, products[i*side+m])
	}
	for i := range side {
		sums = append(sums, products[i*side+i])
	}
	return sums, s.checkSums(sums, m)
}

// checkSums rejects sums that are not finite. Element i belongs to kernel i % kernels.
func (s *RuleSample) checkSums(sums []float64, kernels int) error {
	for i, x := range sums {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return s.Kernels.Overflow(min(i%kernels, s.Kernels.Len()-1),
				"on these data once they are squared and summed")
		}
	}
	return nil
}

// AlignThreads returns the number of threads for products of kernel matrices that the budgets allow, and
// how many bytes of the heap they take. Budgets that are too small for one thread are of class
// fail.Budget. A training whose weights come from a rule has rejected such budgets before.
func AlignThreads(r *budget.Run, store *dataset.Store, b *kernels.Bank, sample int) (threads int, heap int64, err error) {
	// A sample of dense points is copied to a scratch file, 4 bytes for each feature.
	need := store.Size().Points + 4*int64(sample)*int64(store.Dim())
	if !r.Aligned && !store.Sparse() && need > r.MostDisk {
		return 0, 0, fail.New(fail.Budget,
			"the points and the sample's features take %s of disk; --disk is %s",
			bytesize.Text(need), bytesize.Text(r.MostDisk)).
			WithHint("at least --disk %s", bytesize.Flag(need))
	}
	s, thread := AlignMemory(r, store, b)
	if err := s.Reject("memory"); err != nil && !r.Aligned {
		return 0, 0, err
	}
	with := func(threads int) int64 {
		return s.Least + int64(budget.Slack*float64(int64(threads-1)*thread))
	}
	threads = 1
	for threads < r.Threads && with(threads+1) <= r.Memory {
		threads++
	}
	return threads, with(threads), nil
}

// AlignMemory returns what products of kernel matrices take of the memory with one thread, and what
// each further thread adds.
func AlignMemory(r *budget.Run, points kernels.Points, b *kernels.Bank) (budget.Share, int64) {
	result, thread := kernels.Memory{Bank: b, Points: points}.Align()
	m := int64(b.Len())
	parts := append(r.Tables(points, b),
		budget.Part{Name: "alignments", Formula: "8 M^2 and sums", Bytes: result + 8*m*m},
		budget.Part{Name: "sums and tiles of a thread", Bytes: thread})
	return budget.Fixed(r.Memory, parts), thread
}

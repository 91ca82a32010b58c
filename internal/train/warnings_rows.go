package train

import (
	"context"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/kernels"
)

const (
	// mostCompared is the number of rows, from the first on, that are compared with each other.
	mostCompared = 1 << 20
	// compareShare is the inverse share of the memory that the comparison takes. It is so small that no budget has
	// to count it.
	compareShare = 64
)

// rare warns of classes of fewer rows than there are folds for probabilities or for a rule of weights.
func (w *dataDoubts) rare() {
	folds := max(w.options.Folds, w.options.apart)
	if rule := w.options.Norm.Rule; rule != nil && rule.HoldsOut() {
		folds = max(folds, w.options.Norm.RuleFolds)
	}
	// Labels of MultiLabel are sets of classes, which are rare by nature.
	if folds < 2 || w.options.Problem.Multiclass == model.MultiLabel {
		return
	}
	if text := w.store.DescribeRare(folds); text != "" {
		w.warn("%s", text)
	}
}

// contradictions warns of rows that have the same features and other labels. No kernel separates them, and some of
// them are wrong in any model. Matrices and gates from files may separate such rows, and uncertain labels may
// differ.
func (w *dataDoubts) contradictions(ctx context.Context) error {
	s := w.store
	if s.Labels() == nil || len(s.Targets()) > 0 || s.Posteriors() != nil || s.Size().Nonzeros == 0 || !w.options.Team.Leads() ||
		w.gates != nil && !w.gates.usesFeatures() || slices.ContainsFunc(w.kernels.Groups, func(g kernels.Group) bool { return g.Base == kernels.MatrixRow }) {
		return nil
	}
	n := min(s.Len(), mostCompared)
	if memory := w.options.Budget.Memory; memory > 0 {
		n = min(n, int(memory/compareShare/dataset.TwinBytes))
	}
	first, err := s.Twins(ctx, n)
	if err != nil {
		return err
	}
	if odd := countContradictions(first, s.Labels()); odd > 0 {
		of := "rows"
		if n < s.Len() {
			of = "first rows"
		}
		what := "have the features of another row"
		if w.options.Data.Objects != nil {
			what = "name the objects of another row"
		}
		w.warn("%d of %d %s %s and another label: no kernel tells them apart "+
			"(mend the labels, or --posteriors says how certain they are)", odd, n, of, what)
	}
	return nil
}

// countContradictions counts the rows that have the features of a row of another label, by the first row of the same
// features.
func countContradictions(first, labels []int32) (count int) {
	differ := make([]bool, len(first))
	for i, k := range first {
		differ[k] = differ[k] || labels[i] != labels[k]
	}
	for _, k := range first {
		if differ[k] {
			count++
		}
	}
	return count
}

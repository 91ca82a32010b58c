package train

import (
	"cmp"
	"context"
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/kernels"
	"bigmkl/model"
)

const (
	// mostCompared is the number of rows, from the first on, that are compared with each other.
	mostCompared = 1 << 20
	// compareShare is the inverse share of the memory that the comparison takes, so that no budget has to
	// count it.
	compareShare = 64
)

// warnRare warns of classes of fewer rows than there are folds for probabilities or for a rule of weights.
func warnRare(r *run) {
	folds := r.Options.Folds
	if rule := r.Options.Norm.Rule; rule != nil && rule.HoldsOut() {
		folds = max(folds, r.Options.Norm.RuleFolds)
	}
	// Labels of MultiLabel are sets of classes, which are rare by nature.
	if folds < 2 || r.Options.Problem.Multiclass == model.MultiLabel {
		return
	}
	if text := r.Store.DescribeRare(folds); text != "" {
		r.warn("%s", text)
	}
}

// warnContradictions warns of rows that have the same features and other labels. No kernel tells them
// apart, so that some of them are wrong in any model. Matrices and gates from files may tell such rows
// apart, and uncertain labels may differ.
func warnContradictions(ctx context.Context, r *run) error {
	s := r.Store
	if s.Labels() == nil || s.Posteriors() != nil || s.Size().Nonzeros == 0 || !r.Options.Team.Leads() ||
		r.gates != nil && !r.gates.usesFeatures() || slices.ContainsFunc(r.Kernels.Groups, func(g kernels.Group) bool { return g.Base == kernels.MatrixRow }) {
		return nil
	}
	n := min(s.Len(), mostCompared)
	if memory := r.Options.Budget.Memory; memory > 0 {
		n = min(n, int(memory/compareShare/hashedBytes))
	}
	hashes, err := hashRows(ctx, s, n)
	if err != nil {
		return err
	}
	if odd := countContradictions(hashes, s.Labels()); odd > 0 {
		of := "rows"
		if n < s.Len() {
			of = "first rows"
		}
		r.warn("%d of %d %s have the features of another row and another label: no kernel tells them apart "+
			"(mend the labels, or --posteriors says how certain they are)", odd, n, of)
	}
	return nil
}

// hashed is a row by a hash of its features.
type hashed struct {
	hash uint64
	row  int32
}

// hashedBytes is the size of hashed in memory.
const hashedBytes = 16

// hashRows hashes the features of the first n rows in one pass, and ends early if ctx is done.
func hashRows(ctx context.Context, s *dataset.Store, n int) ([]hashed, error) {
	hashes := make([]hashed, n)
	for i := range hashes {
		hashes[i].row = int32(i)
		if i%dataset.PanelWidth != 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := min(i+dataset.PanelWidth, n)
		if s.Sparse() {
			for k := i; k < end; k++ {
				index, value := s.Nonzeros(k)
				for at, j := range index {
					hashes[k].hash = mix(mix(hashes[k].hash, uint32(j)), math.Float32bits(value[at]))
				}
			}
			continue
		}
		// A panel holds its points side by side, so that all of them go on feature by feature.
		panel := s.Panel(i / dataset.PanelWidth)
		for from := 0; from < len(panel); from += dataset.PanelWidth {
			for k := i; k < end; k++ {
				hashes[k].hash = mix(hashes[k].hash, math.Float32bits(panel[from+k-i]))
			}
		}
	}
	return hashes, nil
}

// mix adds a number to a hash. Both steps can be undone, so that two hashes that differ meet only where
// later numbers differ, too.
func mix(h uint64, x uint32) uint64 {
	h = (h ^ uint64(x)) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// countContradictions counts the rows that share their hash with a row of another label. It sorts the
// hashes. Of 2^20 rows two that differ share a hash with a probability of 3e-8.
func countContradictions(hashes []hashed, labels []int32) (count int) {
	slices.SortFunc(hashes, func(a, b hashed) int { return cmp.Compare(a.hash, b.hash) })
	for from := 0; from < len(hashes); {
		to, differ := from+1, false
		for ; to < len(hashes) && hashes[to].hash == hashes[from].hash; to++ {
			differ = differ || labels[hashes[to].row] != labels[hashes[from].row]
		}
		if differ {
			count += to - from
		}
		from = to
	}
	return count
}

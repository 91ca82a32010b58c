package selection

import (
	"errors"
	"fmt"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
)

// TestProbabilitiesKeepGroups: the probabilities of the chosen combination come from rows that are held out as the
// selection does. Here each group has eight copies of a row without information, so a row that is held out by itself is
// known, and nothing is known of a group.
func TestProbabilitiesKeepGroups(t *testing.T) {
	t.Parallel()
	const groups, copies = 24, 8
	rng := datasettest.Random(t, 18)
	var rows []dataset.Row
	var names, folds []string
	for g := range groups {
		one := dataset.Row{Label: fmt.Sprint(1 - 2*(g%2))}
		for j := range 6 {
			one.Index, one.Value = append(one.Index, int32(j)), append(one.Value, rng.NormFloat64())
		}
		for range copies {
			rows, names, folds = append(rows, one.Clone()), append(names, fmt.Sprint("p", g)), append(folds, fmt.Sprint(g/2%4))
		}
	}
	train := func(s *Selection, shared bool, groups []string) (*bigmkl.Result, error) {
		o := small().Training
		s.Apply(&o)
		o.Folds, o.SharedPreparation = 4, shared
		if groups != nil {
			o.FoldGroups = groups
		}
		m, r, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
		if err == nil {
			m.Close()
		}
		return r, err
	}
	for name, c := range map[string]struct {
		splits Splits
		alone  bool
	}{"rows": {Splits{Folds: 4}, true}, "groups": {Splits{Folds: 4, Groups: names}, false}, "given": {Splits{Given: folds}, false}} {
		o := small()
		o.Splits, o.Norms, o.Costs = c.splits, []float64{2}, []float64{10}
		s, _, err := selectRows(t, t.Context(), rows, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, shared := range []bool{false, true} {
			r, err := train(s, shared, nil)
			if err != nil {
				t.Fatal(err)
			}
			// The log loss of a coin is 0.69.
			t.Logf("%s, shared %v: log loss %.3f", name, shared, r.Folding.LogLoss)
			if loss := r.Folding.LogLoss; c.alone && loss > 0.3 || !c.alone && loss < 0.6 {
				t.Errorf("%s, shared %v: log loss %g", name, shared, loss)
			}
			if _, err := train(s, shared, names[1:]); !errors.Is(err, fail.Input) {
				t.Errorf("%d names of %d rows: %v", len(names)-1, len(rows), err)
			}
		}
	}
}

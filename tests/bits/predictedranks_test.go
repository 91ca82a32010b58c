package bits

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/cluster"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/datasettest"
)

// predictedOnRanks compares the predictions of several ranks with the predictions of one process, to the bit. There
// are more panels of rows than ranks. So the share of every rank but the first begins later. Where
// kernels are matrices, only the rows of the matrices are predicted.
func (p *problem) predictedOnRanks(t *testing.T, m *bigmkl.Model, with bigmkl.PredictOptions) {
	t.Helper()
	rows := p.unseen
	if p.gram == nil {
		rows = slices.Concat(p.unseen, p.rows[:min(len(p.rows), 150)])
	}
	want, err := predictions(m, rows, with)
	if err != nil {
		t.Fatal(err)
	}
	const size = 3
	ranks := cluster.Local(size)
	predict := func(rank int) (list []bigmkl.Prediction, err error) {
		team, with := shards.NewTeam(ranks[rank]), with
		with.Ranks = team
		if err = team.Join("", nil); err == nil {
			list, err = predictions(m, rows, with)
		}
		return list, team.End(err)
	}
	var serving sync.WaitGroup
	for rank := 1; rank < size; rank++ {
		serving.Go(func() {
			if got, err := predict(rank); !errors.Is(err, shards.ErrServed) || len(got) > 0 {
				t.Errorf("rank %d predicts %d rows itself: %v", rank, len(got), err)
			}
		})
	}
	got, err := predict(0)
	serving.Wait()
	if err != nil || !slices.EqualFunc(got, want, equal) {
		t.Errorf("%d ranks say something else of %d rows than one process: %v", size, len(rows), err)
	}
}

// predictions lists the predictions of a model.
func predictions(m *bigmkl.Model, rows []dataset.Row, with bigmkl.PredictOptions) (list []bigmkl.Prediction, err error) {
	err = m.Predict(context.Background(), datasettest.Stream(rows), with, func(p bigmkl.Prediction) error {
		p.Decisions, p.Probabilities = slices.Clone(p.Decisions), slices.Clone(p.Probabilities)
		list = append(list, p)
		return nil
	})
	return list, err
}

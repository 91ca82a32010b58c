package train

import (
	"context"
	"math"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/bytesize"
	"bigmkl/internal/fail"
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// The dual variables of tasks rank and survival-ranking belong to ordered pairs of rows, see chunking.Differences. Package loss lists the
// pairs: any two rows of a group with different relevances, or each row with the last, second, fourth, eighth .. last event before its time. A model has the dual variables of
// pairs beside those of rows, which follow from them: only the former give the dual value.

// rankingWing is the wing of losses of pairs.
type rankingWing struct{}

func (rankingWing) traits(*Problem) wingTraits {
	return wingTraits{name: "a ranking", stream: "a ranking, whose pairs change with every row"}
}

func (rankingWing) account(_ *Options, e *Extent, r *budget.Run) { r.Pairs = budget.Pairs(e.pairs) }

func (rankingWing) facts(o *Options) []Fact {
	if model.Named(o.Problem.Task) != o.Problem.Task {
		return []Fact{{"survival", "ranking"}}
	}
	return nil
}

func (rankingWing) train(ctx context.Context, t *classifierTrainer) (*predict.Model, chunking.Status, error) {
	return t.trainAlone(ctx)
}

// rankedRows are rows whose pairs have the dual variables.
type rankedRows struct{ labelledRows }

// countPairs returns the number of pairs of the rows, and of groups without any. Rows without pairs, and more pairs than the memory holds, are errors.
func (r rankedRows) countPairs(memory int64) (pairs int64, idle int, err error) {
	s := r.store
	if s.Weights() != nil {
		return 0, 0, fail.New(fail.Usage, "row weights with task %s: its loss is one of pairs of rows", model.Named(r.problem.Task))
	}
	if s.Uppers() != nil {
		return 0, 0, fail.New(fail.Input, "upper bounds of times in a ranking: it compares times of events").WithHint("--survival regression takes bounds")
	}
	if model.Labeling(r.problem.Task) == dataset.Times {
		list, _ := loss.EventPairs(s.Targets(), nil)
		pairs = int64(len(list))
		if pairs == 0 {
			return 0, 0, fail.New(fail.Input, "no two of %d rows are comparable: no row has an event before the time of another", s.Len()).
				WithHint("--event COLUMN of a table, or T for an event and T+ for none")
		}
	} else if pairs, idle = loss.CountPairs(s.Targets(), s.Labels()); pairs == 0 {
		return 0, 0, fail.New(fail.Input, "no two of %d rows are comparable: in every one of %d groups all relevances are equal", s.Len(), idle).
			WithHint("%s", dataset.GroupHint)
	}
	if need := budget.PairBytes * pairs; need > memory || pairs >= math.MaxInt32 {
		kind, hint := "rows of a group", "smaller groups, or fewer rows of the least relevance, have fewer pairs"
		if model.Labeling(r.problem.Task) == dataset.Times {
			kind, hint = "rows", "--survival regression has no pairs"
		}
		return 0, 0, fail.New(fail.Budget, "%d pairs of %s take %s of memory; --memory is %s", pairs, kind, bytesize.Text(need),
			bytesize.Text(memory)).WithHint("%s", hint)
	}
	return pairs, idle, nil
}

// loss returns the loss of the pairs of the rows.
func (r rankedRows) loss() chunking.Loss {
	if model.Labeling(r.problem.Task) == dataset.Times {
		return loss.NewEventRanking(r.store.Targets(), r.problem.C)
	}
	return loss.NewRanking(loss.RelevancePairs(r.store.Targets(), r.store.Labels()), r.problem.C)
}

// rowPairs returns the dual variables of pairs as a model has them, and none of other losses.
func rowPairs(s *solved) (p model.RowPairs) {
	l, ok := s.loss.(*loss.Ranking)
	if !ok {
		return p
	}
	for k, beta := range s.solution.Pairs {
		if beta != 0 {
			pair := l.List()[k]
			p.Above, p.Below, p.Beta = append(p.Above, pair.Above), append(p.Below, pair.Below), append(p.Beta, beta)
		}
	}
	return p
}

// groups warns of groups of rows without a pair.
func (w *dataDoubts) groups() {
	if model.Labeling(w.problem.Task) != dataset.Relevances {
		return
	}
	if _, idle := loss.CountPairs(w.store.Targets(), w.store.Labels()); idle > 0 {
		w.warn("%d of %d groups have rows of one relevance only, which no pair compares", idle, len(w.store.Classes()))
	}
}

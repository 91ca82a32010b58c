package score

import (
	"bigmkl/internal/evaluate"
	"bigmkl/predict"
)

// ranking keeps the scores of rows with their relevances and groups.
type ranking struct {
	most              int // rows that are kept
	rows              int
	dropped           bool // they were more
	scores, relevance []float64
	group             []int32
	number            map[string]int32 // of each group
}

// rankedOfDecision is how many decision values take as much as a score with the relevance, the group and its name.
const rankedOfDecision = 4

// add keeps the prediction of a row whose relevance is known.
func (r *ranking) add(p predict.Prediction) {
	r.rows++
	if r.dropped = r.dropped || r.rows > r.most/rankedOfDecision; r.dropped {
		r.scores, r.relevance, r.group = nil, nil, nil
		return
	}
	if r.number == nil {
		r.number = map[string]int32{}
	}
	k, ok := r.number[p.Known]
	if !ok {
		k = int32(len(r.number))
		r.number[p.Known] = k
	}
	r.scores, r.relevance, r.group = append(r.scores, p.Decision), append(r.relevance, p.Target), append(r.group, k)
}

// figures returns the figures of the rows that were kept.
func (r *ranking) figures() []Figure {
	f := evaluate.Ranking(r.scores, r.relevance, r.group)
	return []Figure{{"ndcg", "NDCG", f.NDCG}, {"ndcg_10", "NDCG@10", f.NDCG10}, {"map", "MAP", f.MAP}, {"kendall", "Kendall's tau", f.Kendall}}
}

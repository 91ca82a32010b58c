package selection

import (
	"strings"

	"bigmkl"
	"bigmkl/internal/fail"
)

// sources has the sources of an importance, which are a partition of the kernels, and the number of
// samples. The partition makes shares and losses of sources comparable: each kernel counts for one
// source.
type sources struct {
	origins []origin
	samples int // of rows, of which shares are measured
	// A permutation at prediction needs rows as they were read, because packed points are already
	// scaled and normalised.
	apart bool // rows are held out of everything, and can be permuted as they were read
}

// planOf lists the readings of a step. The order is part of the files: a resumed step continues at the
// first reading that its file lacks. Trainings without one source come before pairs, which start from
// their dual variables.
func (q *sources) planOf(s *step) (plan []reading) {
	if s.Fold == "" {
		for range q.samples {
			plan = append(plan, reading{What: sample}, reading{What: sparse})
		}
		return plan
	}
	plan = append(plan, reading{What: whole})
	each := func(w what, needsFeatures bool) {
		for k := range q.origins {
			if !needsFeatures || q.permutes(k) {
				plan = append(plan, reading{What: w, Sources: []int{k}})
			}
		}
	}
	each(permuted, true)
	each(without, false)
	// Pairs are for three sources or more. Without both of two sources nothing would be left.
	for a := range q.origins {
		for b := a + 1; b < len(q.origins) && len(q.origins) <= MostPaired && len(q.origins) > 2; b++ {
			plan = append(plan, reading{What: without, Sources: []int{a, b}})
		}
	}
	each(alone, false)
	each(null, true)
	return plan
}

// permutes reports whether the rows of a source can be permuted. A source that shares features has none
// of its own to permute.
func (q *sources) permutes(k int) bool { return q.apart && q.origins[k].own != nil }

// describe names a reading in a few words. The words are for the lines of progress.
func (q *sources) describe(m *reading) string {
	var names []string
	for _, k := range m.Sources {
		names = append(names, fail.Name(q.origins[k].name))
	}
	text := strings.Join(names, " and ")
	switch m.What {
	case whole:
		return "all sources"
	case permuted:
		return text + " permuted at prediction"
	case without:
		return "without " + text
	case alone:
		return text + " alone"
	case null:
		return text + " permuted in training"
	}
	return "shares on half of the rows"
}

// enter takes the course of a training and the shares of the sources.
func (q *sources) enter(found *reading, held *bigmkl.Held) {
	found.Shares = q.sharesOf(held.Norms)
	found.enter(held)
}

// sharesOf returns the share of each source of the norms ||w_m|| of all classifiers. The shares sum to
// 1, unless all norms are 0. The norms of all classifiers are added before the division, so a
// classifier with a large ||w|| counts more.
func (q *sources) sharesOf(norms [][]float64) []float64 {
	shares, sum := make([]float64, len(q.origins)), 0.0
	for _, w := range norms {
		for k, o := range q.origins {
			for _, m := range o.kernels {
				shares[k] += w[m]
				sum += w[m]
			}
		}
	}
	for k := range shares {
		if sum > 0 {
			shares[k] /= sum
		}
	}
	return shares
}

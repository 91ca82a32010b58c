package selection

import "math"

// Pair compares two cells, each the best cost of its arm, fold by fold. Both directions of a pair are
// in the list, since the test is one-sided.
type Pair struct {
	First  int `json:"first"`
	Second int `json:"second"`
	// P is the one-sided p-value of the corrected resampled t test that the first is better.
	P float64 `json:"p"`
}

// mostPaired is the largest number of arms of which all pairs are compared. 64 arms have 64 x 63
// = 4,032 p-values.
const mostPaired = 64

// comparePairs compares all pairs of arms at their best costs, in either direction, where the figure
// is defined for both and the differences have a p-value.
func (s *Selection) comparePairs() (list []Pair) {
	if len(s.Arms) > mostPaired {
		return nil
	}
	// The best cost is chosen by the figures that are compared, so p-values are optimistic by the same
	// choice for both arms.
	best := make([]int, len(s.Arms))
	for k := range best {
		best[k] = s.bestCost(k)
	}
	for a, first := range best {
		for b, second := range best {
			if a == b || first < 0 || second < 0 {
				continue
			}
			if p := s.Difference(first, second).Greater(); !math.IsNaN(p) {
				list = append(list, Pair{first, second, p})
			}
		}
	}
	return list
}

// bestCost returns the cell of an arm with the best mean, and -1 if the figure is defined for none.
func (s *Selection) bestCost(arm int) int {
	best := -1
	for k := range s.Cells {
		c := &s.Cells[k]
		if c.Arm == arm && len(c.Values) > 0 &&
			(best < 0 || s.better(c.Figures[s.Measure].Mean, s.Cells[best].Figures[s.Measure].Mean)) {
			best = k
		}
	}
	return best
}

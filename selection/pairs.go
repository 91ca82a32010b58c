package selection

import (
	"slices"

	"bigmkl/evaluate"
)

// Pair compares two cells, each the best cost of its arm, fold by fold.
type Pair struct {
	First  int `json:"first"`
	Second int `json:"second"`
	// P is the one-sided p-value of the signed ranks that the first is better. Folds have
	// rows in common that they are trained on, so that it is a little too small.
	P float64 `json:"p"`
}

// mostPaired is the largest number of arms of which all pairs are compared.
const mostPaired = 64

// comparePairs compares all pairs of arms at their best costs, in either direction, where the figure
// is defined for both and 6 of the differences are not 0. of finds the chain of an arm.
func (r *runner) comparePairs(s *Selection, of func(arm int, fold string) *chain) (list []Pair) {
	if len(r.arms) > mostPaired {
		return nil
	}
	best := make([]int, len(r.arms))
	for k := range best {
		best[k] = s.bestCost(k)
	}
	for a, first := range best {
		for b, second := range best {
			if a == b || first < 0 || second < 0 {
				continue
			}
			var differences []float64
			nonzero := 0
			i, j := slices.Index(r.options.Costs, s.Cells[first].Cost), slices.Index(r.options.Costs, s.Cells[second].Cost)
			for _, name := range s.Folds {
				x, defined := of(a, name).Cells[i].Figures[0][s.Measure]
				y, too := of(b, name).Cells[j].Figures[0][s.Measure]
				if !defined || !too {
					continue
				}
				if s.Smaller {
					x, y = y, x
				}
				if differences = append(differences, x-y); x != y {
					nonzero++
				}
			}
			if nonzero >= leastRanks {
				list = append(list, Pair{first, second, evaluate.WilcoxonGreater(differences)})
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

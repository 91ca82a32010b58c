package selection

import (
	"slices"
)

// grid lists all trainings: one chain for each arm and fold, which has a cell for each cost. The
// order of the chains is part of the meaning of Options.Part, so parts of one selection must
// come to the same list.
type grid struct {
	arms    []Arm
	members [][]int   // of each arm the numbers of its kernels in its list; nil for all
	costs   []float64 // ascending
	wide    float64   // a cost beyond them, 0 if there is none
	chains  []*chain
}

// add adds arms. Lists may share kernels, which are trained by themselves once. kernels has a specification for
// each kernel of the list of the arms.
func (g *grid) add(arms []Arm, kernels []string) {
	for _, a := range arms {
		alike := func(b Arm) bool {
			return a.Kind == Single && b.Kind == Single && a.Kernels == b.Kernels && a.Missing == b.Missing
		}
		if !slices.ContainsFunc(g.arms, alike) {
			g.arms, g.members = append(g.arms, a), append(g.members, membersOf(&a, kernels))
		}
	}
}

// listOfTrials lists the trainings of trials: each arm without each fold. The chains of a trial
// follow each other, so its rows are packed once. Rows that lack a view are packed for each
// share, which is why shares are the outer loop.
func (g *grid) listOfTrials(folds [][]fold) {
	for _, list := range folds {
		for _, share := range g.shares() {
			for _, f := range list {
				for k, a := range g.arms {
					if a.Missing == share {
						g.chains = append(g.chains, &chain{Arm: k, Fold: f.Name})
					}
				}
			}
		}
	}
}

// list lists what is to be trained: each arm without each fold and, nested, each arm without
// each pair of folds of one repetition.
func (g *grid) list(folds [][]fold, nested bool) {
	for k := range g.arms {
		for _, list := range folds {
			for _, f := range list {
				g.chains = append(g.chains, &chain{Arm: k, Fold: f.Name})
			}
		}
		if !nested {
			continue
		}
		for _, list := range folds {
			for i, f := range list {
				// A pair of folds is trained once: the nested estimate reads its figures for
				// either fold. K folds take K(K-1)/2 such chains.
				for _, other := range list[i+1:] {
					g.chains = append(g.chains, &chain{Arm: k, Fold: f.Name, Other: other.Name})
				}
			}
		}
	}
}

// shares lists the shares of rows that lack a view in some arm, in their order.
func (g *grid) shares() (list []float64) {
	for _, a := range g.arms {
		if !slices.Contains(list, a.Missing) {
			list = append(list, a.Missing)
		}
	}
	return list
}

// allCosts lists the costs of the cells, ascending.
func (g *grid) allCosts() []float64 {
	if g.wide == 0 {
		return g.costs
	}
	return slices.Sorted(slices.Values(append(slices.Clone(g.costs), g.wide)))
}

// costsOf lists the costs of a chain.
func (g *grid) costsOf(c *chain) []float64 {
	if c.Wide {
		return []float64{g.wide}
	}
	return g.costs
}

// cellAt returns what was found for an arm at a cost without the fold of one of its chains, nil if it
// was not trained. The wide cost has a chain of its own, because it is known only after all other
// chains.
func (g *grid) cellAt(c *chain, cost float64) *cell {
	if j := slices.Index(g.costs, cost); j >= 0 {
		return &c.Cells[j]
	}
	for _, w := range g.chains {
		if w.Wide && w.Arm == c.Arm && w.Fold == c.Fold {
			return &w.Cells[0]
		}
	}
	return nil
}

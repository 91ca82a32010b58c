package kernels

import (
	"cmp"
	"math"
	"slices"
)

// An exponential kernel whose gamma is twice another's is that one's square, and a multiplication
// costs a sixth of an exponential. Geometric ladders of gamma, which are what one usually trains
// with, thus need a few exponentials only.

// maxSquarings is the number of times that a kernel is squared to give others. Each time doubles
// the relative error, and four times save most of what there is to save.
const maxSquarings = 4

// run is a range of members that are in no chain, either all wide or none.
type run struct {
	from, to int
	wide     bool
}

// chaining is how the kernels of a group are computed if all are exponentials.
type chaining struct {
	scales []float64 // -gamma of each member; nil unless all are exponentials
	chains [][]int   // members that are each the square of the one before
	runs   []run     // ranges of members that are in no chain
	copies [][]int   // under gates: members that are in no chain, members of one gamma together
}

// exponentials reports whether every member is exp(-gamma t), where t is the base of the group. All
// of them are then computed together, as plan has arranged it. Kernels that are another function of
// a distance have its base and are none.
func (c *chaining) exponentials() bool { return c.scales != nil }

// plan arranges how the kernels of the group are computed if all are exponentials; others are
// computed one by one. Kernels that are squares of each other form chains, from the smallest gamma
// on; the others are computed in runs. A chain has wide kernels or others, as the square of k - 1
// is made in another way than the square of k. Chains depend on the values of gamma and on which
// kernels are wide, and not on the precision.
func (c *chaining) plan(members []Member) {
	other := func(m Member) bool { return !isExponential(m.Kind) }
	if slices.ContainsFunc(members, other) {
		return
	}
	c.scales, c.chains, c.runs = nil, nil, nil
	for i := range members {
		members[i].Squarings = 0
	}
	// The assembly multiplies distances by -gamma.
	for _, m := range members {
		c.scales = append(c.scales, -m.Gamma)
	}
	order := make([]int, len(members))
	for i := range order {
		order[i] = i
	}
	gamma := func(i int) float64 { return members[i].Gamma }
	compare := func(i int, x float64) int { return cmp.Compare(gamma(i), x) }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(gamma(i), gamma(j)) })
	chained := make([]bool, len(members))
	for _, root := range order {
		if chained[root] || gamma(root) == 0 {
			continue
		}
		chain := []int{root}
		// Kernels are sorted by gamma, so the one with twice the gamma is found by bisection.
		// Doubling is exact in binary: only a gamma that is twice another to the last bit makes a
		// square.
		for len(chain) <= maxSquarings {
			next := math.Ldexp(gamma(root), len(chain))
			at, found := slices.BinarySearchFunc(order, next, compare)
			for found && at < len(order) && chained[order[at]] && gamma(order[at]) == next {
				at++ // this kernel is listed twice, and the first one is in a chain
			}
			if !found || at == len(order) || gamma(order[at]) != next {
				break
			}
			if members[order[at]].Wide != members[root].Wide {
				break
			}
			chain = append(chain, order[at])
		}
		if len(chain) == 1 {
			continue
		}
		for s, i := range chain {
			chained[i] = true
			members[i].Squarings = s
		}
		c.chains = append(c.chains, chain)
	}
	// What is in no chain is cut into ranges, as long as they can be, for one call each.
	for i := 0; i < len(chained); i++ {
		if from := i; !chained[i] {
			wide := members[i].Wide
			for i+1 < len(chained) && !chained[i+1] && members[i+1].Wide == wide {
				i++
			}
			c.runs = append(c.runs, run{from, i + 1, wide})
		}
	}
}

// runFrom returns the members from i on that lie in one run. There are none if i is in a chain.
func (c *chaining) runFrom(i int) run {
	for _, r := range c.runs {
		if r.from <= i && i < r.to {
			return run{i, r.to, r.wide}
		}
	}
	return run{i, i, false}
}

// findCopies lists the members that are in no chain, with members of one gamma together. It is
// for groups of exponentials with gates, as copies without gates would be one kernel.
func (c *chaining) findCopies() {
	c.copies = nil
	at := map[float64]int{}
	for _, r := range c.runs {
		for i := r.from; i < r.to; i++ {
			k, found := at[c.scales[i]]
			if !found {
				k = len(c.copies)
				at[c.scales[i]] = k
				c.copies = append(c.copies, nil)
			}
			c.copies[k] = append(c.copies[k], i)
		}
	}
}

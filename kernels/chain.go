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

// plan arranges how the kernels of the group are computed if all are exponentials; others are
// computed one by one. Kernels that are squares of each other form chains, from the smallest gamma
// on; the others are computed in runs. A chain has wide kernels or others, as the square of k - 1
// is made in another way than the square of k. Chains depend on the values of gamma and on which
// kernels are wide, and not on the precision.
func (g *Group) plan() {
	other := func(m Member) bool { return !isExponential(m.Kind) }
	if slices.ContainsFunc(g.Members, other) {
		return
	}
	g.scales, g.chains, g.runs = nil, nil, nil
	for i := range g.Members {
		g.Members[i].Squarings = 0
	}
	// The assembly multiplies distances by -gamma.
	for _, m := range g.Members {
		g.scales = append(g.scales, -m.Gamma)
	}
	order := make([]int, len(g.Members))
	for i := range order {
		order[i] = i
	}
	gamma := func(i int) float64 { return g.Members[i].Gamma }
	compare := func(i int, x float64) int { return cmp.Compare(gamma(i), x) }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(gamma(i), gamma(j)) })
	chained := make([]bool, len(g.Members))
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
			if g.Members[order[at]].Wide != g.Members[root].Wide {
				break
			}
			chain = append(chain, order[at])
		}
		if len(chain) == 1 {
			continue
		}
		for s, i := range chain {
			chained[i] = true
			g.Members[i].Squarings = s
		}
		g.chains = append(g.chains, chain)
	}
	// What is in no chain is cut into ranges, as long as they can be, for one call each.
	for i := 0; i < len(chained); i++ {
		if from := i; !chained[i] {
			wide := g.Members[i].Wide
			for i+1 < len(chained) && !chained[i+1] && g.Members[i+1].Wide == wide {
				i++
			}
			g.runs = append(g.runs, run{from, i + 1, wide})
		}
	}
}

// runFrom returns the members from i on that lie in one run. There are none if i is in a chain.
func (g *Group) runFrom(i int) run {
	for _, r := range g.runs {
		if r.from <= i && i < r.to {
			return run{i, r.to, r.wide}
		}
	}
	return run{i, i, false}
}

// findCopies lists the members that are in no chain, with members of one gamma together. It is
// for groups of exponentials with gates, as copies without gates would be one kernel.
func (g *Group) findCopies() {
	g.copies = nil
	at := map[float64]int{}
	for _, r := range g.runs {
		for i := r.from; i < r.to; i++ {
			k, found := at[g.scales[i]]
			if !found {
				k = len(g.copies)
				at[g.scales[i]] = k
				g.copies = append(g.copies, nil)
			}
			g.copies[k] = append(g.copies[k], i)
		}
	}
}

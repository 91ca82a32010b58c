package kernels

import (
	"cmp"
	"math"
	"slices"
)

// maxSquarings is the number of times that a kernel is squared to give others: each doubles the relative error, and the
// speed gained is all there by then.
const maxSquarings = 4

// plan arranges how exponential kernels are computed. One whose gamma is twice another's is that one's square, which costs
// a sixth of an exponential: such kernels form chains. The others are taken in runs.
func (g *Group) plan() {
	if !g.UnitDiagonal() {
		return
	}
	for _, m := range g.Members {
		g.scales = append(g.scales, -m.Gamma)
	}
	order := make([]int, len(g.Members))
	for i := range order {
		order[i] = i
	}
	gamma := func(i int) float64 { return g.Members[i].Gamma }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(gamma(i), gamma(j)) })
	chained := make([]bool, len(g.Members))
	for _, root := range order {
		if chained[root] || gamma(root) == 0 {
			continue
		}
		chain := []int{root}
		for len(chain) <= maxSquarings {
			next := math.Ldexp(gamma(root), len(chain))
			at, found := slices.BinarySearchFunc(order, next, func(i int, x float64) int { return cmp.Compare(gamma(i), x) })
			for found && at < len(order) && chained[order[at]] && gamma(order[at]) == next {
				at++ // the same kernel again
			}
			if !found || at == len(order) || gamma(order[at]) != next {
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
	for i := 0; i < len(chained); i++ {
		if from := i; !chained[i] {
			for i+1 < len(chained) && !chained[i+1] {
				i++
			}
			g.runs = append(g.runs, [2]int{from, i + 1})
		}
	}
}

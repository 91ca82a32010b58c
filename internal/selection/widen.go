package selection

import (
	"fmt"
	"math"
	"strings"

	"bigmkl/internal/kernelspec"
)

// With a best cost at the end of the grid, a better one may lie beyond. The default grid then
// grows once, by a cost a decade beyond, for those arms that are best at that end. A grid that the
// options name stays as it is, and the selection reports it.

// widening is the factor between the last cost of the default grid and the one beyond. It is also the
// step of the default grid.
const widening = 10

// widen adds the cost beyond the end at which the best cell is, with the chains of the arms that are
// best there, and reports whether there are any.
func (g *grid) widen(s *Selection) bool {
	if s.Best < 0 || len(g.costs) < 2 {
		return false
	}
	low, high := g.costs[0], g.costs[len(g.costs)-1]
	end := s.Cells[s.Best].Cost
	switch end {
	case low:
		g.wide = short(low / widening)
	case high:
		g.wide = short(high * widening)
	default:
		return false
	}
	// An arm whose best cost lies inside the grid has no chain beyond it, so cellAt returns nil
	// there.
	for arm := range g.arms {
		if k := s.bestOf(func(a *Arm) bool { return a == &s.Arms[arm] }); k < 0 || s.Cells[k].Cost != end {
			continue
		}
		// The new chains start from zeros, because the chain of the grid has dropped its last
		// dual variables.
		for _, name := range s.Folds {
			g.chains = append(g.chains, &chain{Arm: arm, Fold: name, Wide: true})
		}
	}
	return true
}

// ends describes at which ends of the grid the best cell is.
func (g *grid) ends(s *Selection) (list []string) {
	best := &s.Cells[s.Best]
	costs := g.allCosts()
	wider := "--grid-C"
	if n := len(costs); n > 1 && best.Cost == costs[n-1] {
		list = append(list, fmt.Sprintf("the best C is the largest that was tried: a larger one may be better (%s %.4g,..)", wider, best.Cost*widening))
	} else if n > 1 && best.Cost == costs[0] {
		list = append(list, fmt.Sprintf("the best C is the smallest that was tried: a smaller one may be better (%s %.4g,..)", wider, best.Cost/widening))
	}
	arm := &s.Arms[best.Arm]
	// A width is the end of a list only among single kernels of the same kind and view. For a
	// sum of kernels the best width is not known.
	width, kind := widthOf(arm.Kernels)
	if arm.Kind != Single || kind == "" {
		return list
	}
	least, most, count := math.Inf(1), 0.0, 0
	for i := range s.Arms {
		a := &s.Arms[i]
		if w, k := widthOf(a.Kernels); a.Kind == Single && a.Bank == arm.Bank && k == kind {
			least, most, count = min(least, w), max(most, w), count+1
		}
	}
	name, _, _ := kernelspec.CutStem(kind)
	switch {
	case count < 2:
	case width == most:
		list = append(list, fmt.Sprintf("the best %s is the largest of its list: %s:%.4g may be better", name, name, 2*width))
	case width == least:
		list = append(list, fmt.Sprintf("the best %s is the smallest of its list: %s:%.4g may be better", name, name, width/2))
	}
	return list
}

// widthOf returns the number of a kernel such as gauss:0.5@view, and the rest of its text, which
// kernels of one list share. kind is empty if there is no such number.
func widthOf(specs string) (width float64, kind string) {
	body := strings.TrimSuffix(specs, kernelspec.Suffix(specs))
	name, rest, found := kernelspec.CutStem(body)
	if !found {
		return 0, ""
	}
	number, view, _ := strings.Cut(rest, "@")
	if _, err := fmt.Sscanf(number, "%g", &width); err != nil || width <= 0 || strings.ContainsAny(number, ",(:") {
		return 0, ""
	}
	return width, name + ":@" + view + specs[len(body):]
}

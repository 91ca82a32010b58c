package kernels

import (
	"math"
	"slices"

	"bigmkl/internal/simd"
)

// typicalPoints is the number of points on each side of the pairs that TypicalBase looks at.
const typicalPoints = simd.Width

// TypicalBase returns the median of the bases of the group between some points of a set, of which
// there are typicalPoints^2 pairs at most. Bases that are 0 or not finite do not count. It is 0 if
// there are no others.
func (e *Evaluator[T]) TypicalBase(g *Group, points *Set) float64 {
	ids := evenlySpread(len(points.IDs), 2*typicalPoints)
	var sides [2][]int
	for i, at := range ids {
		// Neighbours in the order of the points are on different sides.
		sides[i%2] = append(sides[i%2], int(at))
	}
	if len(sides[1]) == 0 {
		return 0
	}
	var left, right Set
	left.Select(points, sides[0])
	right.Select(points, sides[1])
	panel := right.Panel(0, &PanelBuffer{})
	var rows Rows[T]
	var cols Columns[T]
	e.PackRows(&rows, g, &left)
	e.PackColumns(&cols, g, &panel, len(sides[1]))
	q := len(sides[0])
	base := make([]T, g.TileSize(q))
	e.Base(base, g, &rows, 0, q, &cols, nil)
	var list []float64
	for r := range q {
		for j := range sides[1] {
			if s := float64(base[r*simd.Width+j]); s > 0 && !math.IsInf(s, 1) {
				list = append(list, s)
			}
		}
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

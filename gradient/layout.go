package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// A sum over many points has other last bits if it is cut in another way. The work of a pass is
// therefore cut once, by the number of points and the kernels alone, and sums are merged in the
// order of the cut: neither threads nor memory nor caches can change a bit of the result.

// layout is the cut of the points into units of panels, and of the kernels into blocks of groups.
// There is one block of all groups, unless many groups meet few panels.
type layout struct {
	n, panels int
	units     [][2]int // ranges of panels
	blocks    [][2]int // ranges of groups
}

const (
	// unitPanels is the largest number of panels in a unit, and about the number of units of a
	// problem with fewer than 1,024 panels. 1,024 points are enough columns to pay for packing the
	// rows of a group.
	unitPanels = 32

	// Below fewPanels panels, banks of groupBlocks groups or more are cut by groups instead of
	// points.
	fewPanels   = 64
	groupBlocks = 64
)

// newLayout cuts n points and the groups of the bank. It must not depend on anything else:
// checkpoints and the order of sums rely on it.
func newLayout(n int, bank *kernels.Bank) layout {
	l := layout{n: n, panels: panelsOf(n)}
	groups := len(bank.Groups)
	// Few points and many groups leave too few units for the threads. The points are then one unit,
	// and the groups are cut into up to groupBlocks blocks.
	if l.panels < fewPanels && groups >= groupBlocks {
		l.units = cut(l.panels, l.panels)
		l.blocks = cut(groups, (groups+groupBlocks-1)/groupBlocks)
		return l
	}
	// A unit is what a thread takes at a time and what an interrupt waits for: large problems have
	// units of 32 panels, and smaller ones about 32 units.
	l.units = cut(l.panels, min(max(l.panels/unitPanels, 1), unitPanels))
	l.blocks = cut(groups, groups)
	return l
}

// panelsOf is the range of panels of a range of units.
func (l *layout) panelsOf(units [2]int) [2]int {
	if units[0] >= units[1] {
		return [2]int{}
	}
	return [2]int{l.units[units[0]][0], l.units[units[1]-1][1]}
}

// shards divides a range of units among those who go over them: into as many ranges as are wanted, and no
// more than there are units. If want is 0 every unit is a shard. No result depends on the
// division, as sums are formed for each unit.
func (l *layout) shards(of [2]int, want int) [][2]int {
	units := of[1] - of[0]
	if want <= 0 || want > units {
		want = units
	}
	r := make([][2]int, want)
	for i := range r {
		r[i] = [2]int{of[0] + i*units/want, of[0] + (i+1)*units/want}
	}
	return r
}

// lanes is the number of points in whole panels, with those that only fill the last one up.
//
// Vectors over points have this length in a pass, so every panel is a whole 32 numbers.
func (l *layout) lanes() int { return l.panels * simd.Width }

// count is the number of points in panel p.
func (l *layout) count(p int) int { return min(simd.Width, l.n-p*simd.Width) }

// cut divides 0..n-1 into ranges of the given size. The last range may be shorter.
func cut(n, size int) [][2]int {
	var r [][2]int
	for at := 0; at < n; at += size {
		r = append(r, [2]int{at, min(at+size, n)})
	}
	return r
}

// panelsOf is the number of panels that hold n points.
func panelsOf(n int) int { return (n + simd.Width - 1) / simd.Width }

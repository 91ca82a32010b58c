package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// layout is the cut of the work: units of panels, and blocks of groups where there are few panels. It depends on n and
// the bank alone, because it decides the order of sums.
type layout struct {
	n, panels int
	units     [][2]int // panel ranges
	blocks    [][2]int // group ranges
}

const (
	unitPanels  = 32 // 1,024 points: enough columns to pay for packing the rows of a group
	fewPanels   = 64 // below, a bank of many groups is cut by groups instead
	groupBlocks = 64
)

func newLayout(n int, bank *kernels.Bank) layout {
	l := layout{n: n, panels: (n + simd.Width - 1) / simd.Width}
	groups := len(bank.Groups)
	if l.panels < fewPanels && groups >= groupBlocks {
		l.units = cut(l.panels, l.panels)
		l.blocks = cut(groups, (groups+groupBlocks-1)/groupBlocks)
		return l
	}
	l.units = cut(l.panels, min(max(l.panels/unitPanels, 1), unitPanels))
	l.blocks = cut(groups, groups)
	return l
}

// shards divides the units among those who go over them: ranges of units, as many as are wanted and no more than there are.
// Sums are those of units, whoever takes them, so that no result depends on it.
func (l *layout) shards(want int) [][2]int {
	units := len(l.units)
	if want <= 0 || want > units {
		want = units
	}
	r := make([][2]int, want)
	for i := range r {
		r[i] = [2]int{i * units / want, (i + 1) * units / want}
	}
	return r
}

// cut divides 0..n-1 into ranges of the given size, the last one shorter.
func cut(n, size int) [][2]int {
	var r [][2]int
	for at := 0; at < n; at += size {
		r = append(r, [2]int{at, min(at+size, n)})
	}
	return r
}

// lanes is the number of points in whole panels.
func (l *layout) lanes() int { return l.panels * simd.Width }

// count is the number of points in panel p.
func (l *layout) count(p int) int { return min(simd.Width, l.n-p*simd.Width) }

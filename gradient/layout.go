package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// layout is the cut of the work: shards of panels, and blocks of groups where there are few panels. It depends on n and
// the bank alone, because it decides the order of sums.
type layout struct {
	n, panels int
	shards    [][2]int // panel ranges
	blocks    [][2]int // group ranges
}

const (
	shardPanels = 32 // 1,024 points: enough columns to pay for packing the rows of a group
	fewPanels   = 64 // below, a bank of many groups is cut by groups instead
	groupBlocks = 64
)

func newLayout(n int, bank *kernels.Bank) layout {
	l := layout{n: n, panels: (n + simd.Width - 1) / simd.Width}
	groups := len(bank.Groups)
	if l.panels < fewPanels && groups >= groupBlocks {
		l.shards = cut(l.panels, l.panels)
		l.blocks = cut(groups, (groups+groupBlocks-1)/groupBlocks)
		return l
	}
	l.shards = cut(l.panels, min(max(l.panels/shardPanels, 1), shardPanels))
	l.blocks = cut(groups, groups)
	return l
}

// cut divides 0..n-1 into ranges of the given size, the last one shorter.
func cut(n, size int) [][2]int {
	var r [][2]int
	for at := 0; at < n; at += size {
		r = append(r, [2]int{at, min(at+size, n)})
	}
	return r
}

// count is the number of points in panel p.
func (l *layout) count(p int) int { return min(simd.Width, l.n-p*simd.Width) }

package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// The quadratic model needs the kernels of the working set against itself. The base of a group on column block j against
// the rows above it, 0..32j+31, serves all its kernels. Few groups are shared out by column blocks, and their bases are
// kept for the search; many by ranges of groups, each with all column blocks.

const (
	manyGroups  = 64
	groupRanges = 16
	keptBytes   = 16 << 20
)

// share is the part of the blocks that one goroutine does at a time.
type share struct {
	number          int
	groups, columns [2]int
}

// blockWork is what is done with blocks. Its methods are called from several goroutines, for different shares.
type blockWork[T simd.Real] interface {
	wanted(g *kernels.Group) bool
	// block takes the bases of the rows 0..min(32(j+1),q)-1 on column block j.
	block(w *worker[T], t *share, g *kernels.Group, j int, base []T)
	// end follows the last block of the share.
	end(w *worker[T], t *share)
}

// shares cuts the blocks of a working set. It depends on the set and the bank alone.
func shares(groups, columns int) []share {
	var r []share
	if groups >= manyGroups {
		for i, g := range cut(groups, (groups+groupRanges-1)/groupRanges) {
			r = append(r, share{i, g, [2]int{0, columns}})
		}
		return r
	}
	for j := columns - 1; j >= 0; j-- { // the long ones first
		r = append(r, share{j, [2]int{0, groups}, [2]int{j, j + 1}})
	}
	return r
}

// bases are those of the last working set on its column blocks, [group][block], if they are few.
type bases[T simd.Real] struct {
	set *workingSet
	at  [][][]T
}

// keep makes room for the bases of a set, if it is not too much.
func (b *bases[T]) keep(s *workingSet, bank *kernels.Bank) bool {
	groups := len(bank.Groups)
	if b.set == s {
		return true
	}
	b.set = nil
	if groups >= manyGroups || int64(bank.Bases())*int64(columnStart(s.panels()))*elementSize[T]() > keptBytes {
		return false
	}
	b.set = s
	if len(b.at) != groups || len(b.at[0]) != s.panels() {
		b.at = make([][][]T, groups)
		for g := range b.at {
			b.at[g] = make([][]T, s.panels())
		}
	}
	for _, columns := range b.at { // their memory serves again
		for j := range columns {
			columns[j] = columns[j][:0]
		}
	}
	return true
}

// blocks does the work on all blocks of the working set.
func (m *machine[T]) blocks(ctx context.Context, s *workingSet, work blockWork[T]) error {
	groups := m.bank.Groups
	keep := m.kept.keep(s, m.bank)
	all := shares(len(groups), s.panels())
	var panels []kernels.Panel
	if len(groups) >= manyGroups { // every share takes all panels, and packs the rows of its groups
		for j := range s.panels() {
			panels = append(panels, s.points.Panel(j*simd.Width, &kernels.PanelBuffer{}))
		}
	} else { // every share takes one panel, and the rows of all groups
		err := each(ctx, len(m.workers), len(groups), func(at, k int) error {
			if work.wanted(&groups[k]) {
				m.workers[at].eval.PackRows(&m.packs[k], &groups[k], s.points)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return each(ctx, len(m.workers), len(all), func(at, item int) error {
		w, t := &m.workers[at], &all[item]
		panels := panels
		if panels == nil {
			panels = make([]kernels.Panel, s.panels())
		}
		for k := t.groups[0]; k < t.groups[1]; k++ {
			g := &groups[k]
			if !work.wanted(g) {
				continue
			}
			w.square = &m.packs[k]
			if len(groups) >= manyGroups {
				w.square = &w.rows
				w.eval.PackRows(w.square, g, s.points)
			}
			for j := t.columns[0]; j < t.columns[1]; j++ {
				base := &w.base
				if keep {
					base = &m.kept.at[k][j]
				}
				w.column(m, g, s, j, &panels[j], base, keep)
				work.block(w, t, g, j, *base)
			}
		}
		work.end(w, t)
		return nil
	})
}

// column makes the base of the rows of w.square on column block j, unless it was kept. The panel is filled when it is needed.
func (w *worker[T]) column(m *machine[T], g *kernels.Group, s *workingSet, j int, panel *kernels.Panel, base *[]T, keep bool) {
	done := keep && len(*base) > 0
	if done && !g.Spherical {
		return
	}
	if panel.Len == 0 {
		*panel = s.points.Panel(j*simd.Width, w.buffer(0))
	}
	w.eval.PackColumns(&w.cols, g, panel, len(s.index))
	if done {
		return
	}
	count := min((j+1)*simd.Width, len(s.index))
	*base = grow(*base, g.TileSize(count))
	w.eval.Base(*base, g, w.square, 0, count, &w.cols, nil)
	*base = (*base)[:g.Used(count)]
}

// norms gives the factors of the rows and columns of a block under the spherical normalisation.
func (w *worker[T]) norms(k *kernels.Member) (left, right []T) {
	w.left = w.eval.RowFactors(w.left, w.square, k)
	w.right = w.eval.ColumnFactors(w.right, &w.cols, k)
	return w.left, w.right
}

package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// blockWork is what is done with the blocks of a working set. Its methods are called from several
// goroutines at once, each for a share of its own.
type blockWork[T simd.Real] interface {
	// wanted reports whether the bases of a group are needed.
	wanted(g *kernels.Group) bool

	// block takes the bases of the rows 0..min(32(j+1),q)-1 on column block j.
	block(w *worker[T], t *share, g *kernels.Group, j int, base []T)

	// end is called after the last block of the share.
	end(w *worker[T], t *share)
}

// blocks does the work on all blocks of the working set. Bases that are kept from the call before
// are not made again.
//
// Sums that work makes must be kept share by share and be merged in the order of shares.
func (ps *pass[T]) blocks(ctx context.Context, s *workingSet, work blockWork[T]) error {
	groups := ps.bank.Groups
	// The line search asks for the same set as the model before it, and finds the bases here.
	keep := ps.kept.keep(s, ps.bank)
	all := shares(len(groups), s.panels())
	if err := squareObjects(ctx, ps, s, work.wanted); err != nil {
		return err
	}
	defer lookUpIn(nil, ps.workers)
	var panels []kernels.Panel
	if len(groups) >= manyGroups { // every share takes all panels, and packs the rows of its groups
		for j := range s.panels() {
			panels = append(panels, s.points.Panel(j*simd.Width, &kernels.PanelBuffer{}))
		}
	} else { // every share takes one panel, and the rows of all groups
		// Packed rows are shared by all column blocks of the group.
		err := each(ctx, len(ps.workers), len(groups), func(at, k int) error {
			if work.wanted(&groups[k]) {
				ps.workers[at].eval.PackRows(&ps.packs[k], &groups[k], s.points)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return each(ctx, len(ps.workers), len(all), func(at, item int) error {
		if !ps.fields.team.mine(item) {
			return nil
		}
		w, t := &ps.workers[at], &all[item]
		// Each share has panels of its own unless all shares read the same ones.
		panels := panels
		if panels == nil {
			panels = make([]kernels.Panel, t.columns[1]-t.columns[0])
		} else {
			panels = panels[t.columns[0]:]
		}
		for k := t.groups[0]; k < t.groups[1]; k++ {
			g := &groups[k]
			if !work.wanted(g) {
				continue
			}
			w.square = &ps.packs[k]
			if len(groups) >= manyGroups {
				w.square = &w.rows
				w.eval.PackRows(w.square, g, s.points)
			}
			w.factors.takeRows(w.eval, g, w.square)
			for j := t.columns[0]; j < t.columns[1]; j++ {
				base := &w.base
				if keep {
					base = &ps.kept.at[k][j]
				}
				w.column(g, s, j, &panels[j-t.columns[0]], base, keep)
				work.block(w, t, g, j, *base)
			}
		}
		work.end(w, t)
		return nil
	})
}

// column makes the base of the rows of w.square on column block j, unless it was kept. The panel
// is filled when it is needed first.
func (w *worker[T]) column(g *kernels.Group, s *workingSet, j int, panel *kernels.Panel,
	base *[]T, keep bool) {
	done := keep && len(*base) > 0
	// Kept bases spare the packing of the panel, too, unless the factors of its points are needed.
	if done && !g.PointFactors() {
		return
	}
	if panel.Len == 0 {
		*panel = s.points.Panel(j*simd.Width, w.buffer(0))
	}
	if done {
		w.eval.PackColumnFactors(&w.cols, g, panel, len(s.index))
		return
	}
	w.eval.PackColumns(&w.cols, g, panel, len(s.index))
	// Only the rows above and on the diagonal block are made: the matrix is symmetric.
	count := min((j+1)*simd.Width, len(s.index))
	*base = grow(*base, g.TileSize(count))
	w.eval.Base(*base, g, w.square, 0, count, &w.cols, nil)
	*base = (*base)[:g.Used(count)]
}

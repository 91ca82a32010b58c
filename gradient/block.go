package gradient

import (
	"context"
	"math"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// blockVisitor is called with the base of a 32 x 32 block of the working set against itself, block row i and block column
// j >= i, for every group.
type blockVisitor[T simd.Real] func(w *worker[T], g *kernels.Group, i, j int)

// blocks visits the upper 32 x 32 blocks of the working set, one block row an item.
func (m *machine[T]) blocks(ctx context.Context, s *workingSet, wanted func(*kernels.Group) bool, visit blockVisitor[T]) error {
	d := m.gr.points.Dim()
	side := (len(s.ids) + simd.Width - 1) / simd.Width
	panels := s.panels(d)
	return each(ctx, len(m.workers), side, func(at, i int) error {
		w := &m.workers[at]
		from, to := i*simd.Width, min((i+1)*simd.Width, len(s.ids))
		w.base = grow(w.base, simd.Width*simd.Width)
		for k := range m.gr.bank.Groups {
			g := &m.gr.bank.Groups[k]
			if !wanted(g) {
				continue
			}
			w.eval.PackRows(&w.rows, g, s.points[from*d:to*d], d, s.ids[from:to])
			for j := i; j < side; j++ {
				w.members(g, s, panels[j*d*simd.Width:(j+1)*d*simd.Width], j)
				w.square(g, to-from)
				visit(w, g, i, j)
			}
		}
		return nil
	})
}

// square computes the base of the packed rows against the packed columns.
func (w *worker[T]) square(g *kernels.Group, rows int) {
	const tile = simd.Rows * simd.Width
	for b := 0; b*simd.Rows < rows; b++ {
		w.eval.Base(w.base[b*tile:(b+1)*tile], g, &w.rows, b, &w.cols)
	}
}

// members packs block j of the working set as columns.
func (w *worker[T]) members(g *kernels.Group, s *workingSet, panel []float32, j int) {
	if g.Base == kernels.MatrixRow {
		w.eval.PackMatrixColumns(&w.cols, g, s.ids[j*simd.Width:min((j+1)*simd.Width, len(s.ids))])
		return
	}
	w.eval.PackColumns(&w.cols, g, panel, 0, len(s.ids))
}

// hessian gives sum_m theta_m K_m[B,B] in the upper blocks of h.
func (m *machine[T]) hessian(ctx context.Context, s *workingSet, theta []float64, h *square) error {
	wanted := func(g *kernels.Group) bool { return used(g, theta) }
	return m.blocks(ctx, s, wanted, func(w *worker[T], g *kernels.Group, i, j int) {
		rows := w.rows.Len
		w.coef = grow(w.coef, rows*simd.Width)
		for k := range g.Members {
			member := &g.Members[k]
			weight := theta[member.ID] * m.gr.bank.Factor(int(member.ID))
			if weight == 0 {
				continue
			}
			w.eval.Transform(w.coef, w.base[:rows*simd.Width], member)
			w.spherical(w.coef, rows, member)
			for r := range rows {
				at := (i*simd.Width+r)*h.side + j*simd.Width
				simd.AddTo(h.at[at:at+simd.Width], w.coef[r*simd.Width:(r+1)*simd.Width], weight)
			}
		}
	})
}

// spherical divides a block of kernel values by the norms of its points.
func (w *worker[T]) spherical(k []T, rows int, member *kernels.Member) {
	w.ones = grow(w.ones, rows)
	for r := range w.ones {
		w.ones[r] = 1
	}
	c := w.divide(&w.rows, w.ones, member)
	if c == nil {
		return
	}
	for r := range rows {
		for j := range simd.Width {
			k[r*simd.Width+j] *= w.ones[r] * c[j]
		}
	}
}

// directions gives c_m = d'K_m[B,B]d.
func (m *machine[T]) directions(ctx context.Context, s *workingSet, d []float64, c []float64) error {
	bank := m.gr.bank
	side := (len(s.ids) + simd.Width - 1) / simd.Width
	parts := make([]float64, side*bank.Len())
	all := func(*kernels.Group) bool { return true }
	err := m.blocks(ctx, s, all, func(w *worker[T], g *kernels.Group, i, j int) {
		rows := w.rows.Len
		left, right := d[i*simd.Width:i*simd.Width+rows], d[j*simd.Width:min((j+1)*simd.Width, len(d))]
		weight := 2.0
		if i == j {
			weight = 1
		}
		w.coef = grow(w.coef, rows)
		for k := range g.Members {
			member := &g.Members[k]
			for r, x := range left {
				w.coef[r] = T(x)
			}
			columns := w.divide(&w.rows, w.coef, member)
			clear(w.acc)
			w.eval.Sum(w.acc, w.base[:rows*simd.Width], w.coef, member)
			t := 0.0
			for r, x := range right {
				v := float64(w.acc[r])
				if columns != nil {
					v *= float64(columns[r])
				}
				t += x * v
			}
			parts[i*bank.Len()+int(member.ID)] += weight * t * bank.Factor(int(member.ID))
		}
	})
	clear(c)
	for i := range side {
		for k, x := range parts[i*bank.Len() : (i+1)*bank.Len()] {
			c[k] += x
		}
	}
	return err
}

// rankKernels is the number of kernels whose gradients on the working set are gathered at a time.
const rankKernels = 1024

// addRank adds sum_m rank_m g_m[B] g_m[B]' to h: the products of points with one coordinate sqrt|rank_m| g_m a kernel.
func (gr *Gradient) addRank(ctx context.Context, set []int, rank []float64, h *square) error {
	q := len(set)
	place := gr.bank.Places()
	var used []int32
	for id, r := range rank {
		if r != 0 {
			used = append(used, int32(id))
		}
	}
	blocks := h.side / simd.Rows
	var rows, cols []float64
	for _, part := range cut(len(used), rankKernels) {
		ids := used[part[0]:part[1]]
		n := len(ids)
		rows, cols = grow(rows, h.side*n), grow(cols, h.side*n)
		clear(rows)
		clear(cols)
		err := each(ctx, gr.opt.Threads, q, func(_, i int) error {
			at := gr.now.place(set[i], gr.bank.Len())
			for k, id := range ids {
				x := gr.now.g[at+int(place[id])*simd.Width] * math.Sqrt(math.Abs(rank[id]))
				rows[(i/simd.Rows)*n*simd.Rows+k*simd.Rows+i%simd.Rows] = math.Copysign(1, rank[id]) * x
				cols[(i/simd.Width)*n*simd.Width+k*simd.Width+i%simd.Width] = x
			}
			return nil
		})
		if err != nil {
			return err
		}
		err = each(ctx, gr.opt.Threads, blocks, func(_, b int) error {
			tile := make([]float64, simd.Rows*simd.Width)
			for p := b * simd.Rows / simd.Width; p < h.side/simd.Width; p++ {
				simd.Dot(tile, rows[b*n*simd.Rows:(b+1)*n*simd.Rows], cols[p*n*simd.Width:(p+1)*n*simd.Width], n)
				for r := range simd.Rows {
					at := (b*simd.Rows+r)*h.side + p*simd.Width
					simd.AddTo(h.at[at:at+simd.Width], tile[r*simd.Width:(r+1)*simd.Width], 1)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// slopes gives b_m = sum_i d_i g_m,i over the working set.
func (gr *Gradient) slopes(ctx context.Context, s *workingSet, b []float64) error {
	place := gr.bank.Places()
	parts := cut(len(b), 4096)
	return each(ctx, gr.opt.Threads, len(parts), func(_, part int) error {
		from, to := parts[part][0], parts[part][1]
		clear(b[from:to])
		for i, at := range s.index {
			row := gr.now.g[gr.now.place(at, gr.bank.Len()):]
			for id := from; id < to; id++ {
				b[id] += s.delta[i] * row[int(place[id])*simd.Width]
			}
		}
		return nil
	})
}

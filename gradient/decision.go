package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Function is one or several f(x) = sum_m theta_m sum_i alpha_i k_m(x_i, x) of the same support vectors.
type Function struct {
	Bank    *kernels.Bank
	Points  *kernels.Set
	Outputs []Output
	Threads int
	Guard   func(read func() error) error // has points that may vanish read; nil: they may not
}

// Output is what one function of several has of its own.
type Output struct {
	Theta []float64 // per kernel
	Rows  []int32   // its support vectors, by their places in the points, ascending; nil: all
	Alpha []float64 // of these
}

// Columns is what a function is evaluated on. All panels have IDs if the points are training points; if not, kernels from
// matrices are left out.
type Columns struct {
	Len    int
	Panels []kernels.Panel
}

const (
	decisionRows   = 256 // support vectors packed at a time
	decisionPanels = 32  // panels that share a packing
)

// Values writes the functions at every column to out, in float64 arithmetic if double. out: outputs x columns, row-major.
func (f *Function) Values(ctx context.Context, c Columns, double bool, out []float64) error {
	if double {
		return values[float64](ctx, f, c, out)
	}
	return values[float32](ctx, f, c, out)
}

func values[T simd.Real](ctx context.Context, f *Function, c Columns, out []float64) error {
	// Every thread gets a share, and no share is larger than what one packing should serve.
	panels := len(c.Panels)
	share := max(1, min(decisionPanels, (panels+f.Threads-1)/max(f.Threads, 1)))
	items := cut(panels, share)
	workers := make([]worker[T], max(f.Threads, 1))
	outputs := make([]output[T], len(f.Outputs))
	for i := range outputs {
		outputs[i] = newOutput[T](f, &f.Outputs[i])
	}
	rows := cut(len(f.Points.IDs), decisionRows)
	parts := make([]*kernels.Set, len(rows))
	for i, r := range rows {
		parts[i] = f.Points.Part(r[0], r[1])
	}
	return each(ctx, len(workers), len(items), func(at, item int) error {
		w := &workers[at]
		if w.eval == nil {
			w.eval = kernels.NewEvaluator[T](f.Bank)
		}
		work := func() error { return w.evaluate(ctx, f, outputs, parts, c, items[item], out) }
		if f.Guard != nil {
			return f.Guard(work)
		}
		return work()
	})
}

// output is an Output in element type T: its coefficients part by part, and the rows of each part that it has, nil for all.
type output[T simd.Real] struct {
	scaled
	coef [][]T
	rows [][]int32
}

func newOutput[T simd.Real](f *Function, o *Output) output[T] {
	r := output[T]{scaled: scaled{f.Bank, make([]float64, f.Bank.Len())}}
	for id, at := range f.Bank.Places() {
		r.factor[at] = o.Theta[id] * f.Bank.Factor(id)
	}
	alpha, rows := o.Alpha, o.Rows
	for _, part := range cut(len(f.Points.IDs), decisionRows) {
		n := part[1] - part[0]
		var places []int32
		if o.Rows != nil {
			n, _ = slices.BinarySearch(rows, int32(part[1]))
			places = make([]int32, n)
			for i, at := range rows[:n] {
				places[i] = at - int32(part[0])
			}
			rows = rows[n:]
		}
		r.coef, r.rows = append(r.coef, convert[T](nil, alpha[:n])), append(r.rows, places)
		alpha = alpha[n:]
	}
	return r
}

// evaluate adds all groups and support vectors on a range of panels. A base serves all outputs.
func (w *worker[T]) evaluate(ctx context.Context, f *Function, outputs []output[T], parts []*kernels.Set, c Columns, panels [2]int, out []float64) error {
	lanes := (panels[1] - panels[0]) * simd.Width
	sums := make([]float64, len(outputs)*lanes)
	for g := range f.Bank.Groups {
		group := &f.Bank.Groups[g]
		unknown := group.Base == kernels.MatrixRow && c.Panels[panels[0]].IDs == nil
		wanted := func(o output[T]) bool { return anyWeight(o.of(group)) }
		if unknown || !slices.ContainsFunc(outputs, wanted) {
			continue
		}
		for i, points := range parts {
			if err := ctx.Err(); err != nil {
				return err
			}
			w.eval.PackRows(&w.rows, group, points)
			q := len(points.IDs)
			w.base = grow(w.base, group.TileSize(q))
			for p := panels[0]; p < panels[1]; p++ {
				w.eval.PackColumns(&w.cols, group, &c.Panels[p], c.Len)
				w.eval.Base(w.base, group, &w.rows, 0, q, &w.cols, nil)
				for k := range outputs {
					if o := &outputs[k]; wanted(*o) && len(o.coef[i]) > 0 {
						w.output(o, group, i, w.base[:group.Used(q)], sums[k*lanes+(p-panels[0])*simd.Width:][:simd.Width])
					}
				}
			}
		}
	}
	from := panels[0] * simd.Width
	for k := range outputs {
		copy(out[k*c.Len+from:k*c.Len+min(from+lanes, c.Len)], sums[k*lanes:])
	}
	return nil
}

// output adds one function's kernels of a group, on the rows of a part that it has, to its values at a panel.
func (w *worker[T]) output(o *output[T], group *kernels.Group, part int, base []T, to []float64) {
	weight := o.of(group)
	if group.Spherical {
		w.delta = o.spread(w.delta, part, len(base)/simd.Width/group.Layers)
		w.sum = grow(w.sum, len(weight)*simd.Width)
		clear(w.sum)
		w.addNormed(&o.scaled, group, &w.rows, base, w.delta, w.sum)
		for i, x := range w.sum {
			to[i%simd.Width] += x
		}
		return
	}
	q := len(o.coef[part])
	if rows := o.rows[part]; rows != nil {
		base = w.pick(group, base, rows)
	}
	w.fresh = grow(w.fresh, q*simd.Width)
	clear(w.fresh)
	w.eval.Mix(w.fresh, base, group, 0, len(weight), weight)
	simd.AddRows(to, w.fresh, o.coef[part], 1)
}

// pick copies the bases of some rows, layer by layer.
func (w *worker[T]) pick(group *kernels.Group, base []T, rows []int32) []T {
	layer := len(base) / group.Layers
	w.some = grow(w.some, group.Used(len(rows)))
	to := w.some
	for l := range group.Layers {
		from := base[l*layer : (l+1)*layer]
		for _, at := range rows {
			copy(to[:simd.Width], from[int(at)*simd.Width:])
			to = to[simd.Width:]
		}
	}
	return w.some
}

// spread gives the coefficients of a part for all of its q rows.
func (o *output[T]) spread(dst []T, part, q int) []T {
	if o.rows[part] == nil {
		return append(dst[:0], o.coef[part]...)
	}
	dst = grow(dst, q)
	clear(dst)
	for i, at := range o.rows[part] {
		dst[at] = o.coef[part][i]
	}
	return dst
}

// Afresh implements chunking.Checker: sum_m theta_m g_m of a few points, computed in float64 from alpha, some support
// vectors at a time. Their order keeps the sums small, so that these are more exact than the gradients they are compared with.
func (gr *Gradient) Afresh(ctx context.Context, sample []int, alpha, theta []float64) ([]float64, error) {
	at := gr.collect(sample)
	c := Columns{Len: len(sample)}
	for p := range at.panels() {
		c.Panels = append(c.Panels, at.points.Panel(p*simd.Width, &kernels.PanelBuffer{}))
	}
	list := balanced(alpha)
	sum, part := make([]float64, c.Len), make([]float64, c.Len)
	for _, r := range cut(len(list), decisionRows) {
		o := Output{Theta: theta}
		for _, i := range list[r[0]:r[1]] {
			o.Alpha = append(o.Alpha, alpha[i])
		}
		f := &Function{Bank: gr.bank, Points: gr.collect(list[r[0]:r[1]]).points, Outputs: []Output{o}, Threads: gr.opt.Threads}
		if err := f.Values(ctx, c, true, part); err != nil {
			return nil, err
		}
		for i, x := range part {
			sum[i] += x
		}
	}
	return sum, nil
}

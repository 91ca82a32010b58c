package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Function is f(x) = sum_m theta_m sum_i alpha_i k_m(x_i, x) + bias of support vectors.
type Function struct {
	Bank    *kernels.Bank
	Theta   []float64 // per kernel
	Points  *kernels.Set
	Alpha   []float64
	Bias    float64
	Threads int
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

// Values writes f without its bias at every column to out, in float64 arithmetic if double.
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
	s := &scaled{f.Bank, make([]float64, f.Bank.Len())}
	for id, at := range f.Bank.Places() {
		s.factor[at] = f.Theta[id] * f.Bank.Factor(id)
	}
	rows := cut(len(f.Alpha), decisionRows)
	parts := make([]*kernels.Set, len(rows))
	for i, r := range rows {
		parts[i] = f.Points.Part(r[0], r[1])
	}
	return each(ctx, len(workers), len(items), func(at, item int) error {
		w := &workers[at]
		if w.eval == nil {
			w.eval = kernels.NewEvaluator[T](f.Bank)
		}
		w.evaluate(s, f, parts, c, items[item], out)
		return nil
	})
}

// evaluate adds all groups and support vectors on a range of panels.
func (w *worker[T]) evaluate(s *scaled, f *Function, parts []*kernels.Set, c Columns, panels [2]int, out []float64) {
	sum := make([]float64, (panels[1]-panels[0])*simd.Width)
	for g := range f.Bank.Groups {
		group := &f.Bank.Groups[g]
		weight := s.of(group)
		unknown := group.Base == kernels.MatrixRow && c.Panels[panels[0]].IDs == nil
		if unknown || !anyWeight(weight) {
			continue
		}
		for i, points := range parts {
			w.eval.PackRows(&w.rows, group, points)
			q := len(points.IDs)
			w.delta = convert(w.delta, f.Alpha[i*decisionRows:i*decisionRows+q])
			w.base, w.fresh = grow(w.base, group.TileSize(q)), grow(w.fresh, q*simd.Width)
			for p := panels[0]; p < panels[1]; p++ {
				w.eval.PackColumns(&w.cols, group, &c.Panels[p], c.Len)
				w.eval.Base(w.base, group, &w.rows, 0, q, &w.cols, nil)
				to := sum[(p-panels[0])*simd.Width:][:simd.Width]
				if s.normed(group) {
					w.sum = grow(w.sum, len(weight)*simd.Width)
					clear(w.sum)
					w.addNormed(s, group, &w.rows, w.base[:group.Used(q)], w.delta, w.sum)
					for i, x := range w.sum {
						to[i%simd.Width] += x
					}
					continue
				}
				clear(w.fresh)
				w.eval.Mix(w.fresh, w.base[:group.Used(q)], group, 0, len(weight), weight)
				simd.AddRows(to, w.fresh, w.delta, 1)
			}
		}
	}
	from := panels[0] * simd.Width
	copy(out[from:min(from+len(sum), c.Len)], sum)
}

// Afresh implements chunking.Checker: sum_m theta_m g_m of a few points, computed in float64 from alpha, some support
// vectors at a time.
func (gr *Gradient) Afresh(ctx context.Context, sample []int, alpha, theta []float64) ([]float64, error) {
	at := gr.collect(sample)
	c := Columns{Len: len(sample)}
	for p := range at.panels() {
		c.Panels = append(c.Panels, at.points.Panel(p*simd.Width, &kernels.PanelBuffer{}))
	}
	list := support(alpha)
	sum, part := make([]float64, c.Len), make([]float64, c.Len)
	for _, r := range cut(len(list), decisionRows) {
		f := &Function{Bank: gr.bank, Theta: theta, Points: gr.collect(list[r[0]:r[1]]).points, Threads: gr.opt.Threads}
		for _, i := range list[r[0]:r[1]] {
			f.Alpha = append(f.Alpha, alpha[i])
		}
		if err := f.Values(ctx, c, true, part); err != nil {
			return nil, err
		}
		for i, x := range part {
			sum[i] += x
		}
	}
	return sum, nil
}

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
	Points  []float32 // the support vectors: len(Alpha) x Dim, row-major
	IDs     []int32   // their training rows, used by matrices
	Alpha   []float64
	Dim     int
	Bias    float64
	Threads int
}

// Columns is what a function is evaluated on: n points as panels one after the other, or, for matrices over the training
// points, their numbers.
type Columns struct {
	Len    int
	Panels []float32
	IDs    []int32 // nil: kernels from matrices are left out
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
	panels := (c.Len + simd.Width - 1) / simd.Width
	// Every thread gets a share, and no share is larger than what one packing should serve.
	share := max(1, min(decisionPanels, (panels+f.Threads-1)/max(f.Threads, 1)))
	items := cut(panels, share)
	workers := make([]worker[T], max(f.Threads, 1))
	return each(ctx, len(workers), len(items), func(at, item int) error {
		w := &workers[at]
		if w.eval == nil {
			w.eval, w.acc = kernels.NewEvaluator[T](f.Bank), make([]T, simd.Width)
		}
		w.evaluate(f, c, items[item], out)
		return nil
	})
}

// evaluate adds all groups and support vectors on a range of panels.
func (w *worker[T]) evaluate(f *Function, c Columns, panels [2]int, out []float64) {
	sum := make([]float64, (panels[1]-panels[0])*simd.Width)
	for g := range f.Bank.Groups {
		group := &f.Bank.Groups[g]
		if group.Base == kernels.MatrixRow && c.IDs == nil || !used(group, f.Theta) {
			continue
		}
		for _, part := range cut(len(f.Alpha), decisionRows) {
			ids, alpha := f.IDs[part[0]:part[1]], f.Alpha[part[0]:part[1]]
			w.eval.PackRows(&w.rows, group, f.Points[part[0]*f.Dim:part[1]*f.Dim], f.Dim, ids)
			w.base = grow(w.base, (len(ids)+simd.Rows-1)/simd.Rows*simd.Rows*simd.Width)
			w.load(alpha)
			for p := panels[0]; p < panels[1]; p++ {
				w.project(f, c, group, ids, p)
				for i := range group.Members {
					k := &group.Members[i]
					if t := f.Theta[k.ID]; t != 0 {
						w.add(f.Bank, &w.rows, sum[(p-panels[0])*simd.Width:][:simd.Width], k, t)
					}
				}
			}
		}
	}
	from := panels[0] * simd.Width
	copy(out[from:min(from+len(sum), c.Len)], sum)
}

// used tells whether a kernel of the group has a weight.
func used(g *kernels.Group, theta []float64) bool {
	for i := range g.Members {
		if theta[g.Members[i].ID] != 0 {
			return true
		}
	}
	return false
}

// project makes the base of the packed rows on one panel of columns.
func (w *worker[T]) project(f *Function, c Columns, g *kernels.Group, ids []int32, p int) {
	if g.Base == kernels.MatrixRow {
		w.eval.PackMatrixColumns(&w.cols, g, c.IDs[p*simd.Width:min((p+1)*simd.Width, c.Len)])
		w.square(g, len(ids))
		return
	}
	size := f.Dim * simd.Width
	w.eval.PackColumns(&w.cols, g, c.Panels[p*size:(p+1)*size], 0, c.Len)
	w.square(g, len(ids))
}

// Afresh implements chunking.Checker: sum_m theta_m g_m of a few points, computed in float64 from alpha, some support
// vectors at a time.
func (gr *Gradient) Afresh(ctx context.Context, sample []int, alpha, theta []float64) ([]float64, error) {
	d := gr.points.Dim()
	at, err := gr.collect(ctx, sample)
	if err != nil {
		return nil, err
	}
	c := Columns{Len: len(sample), IDs: at.ids, Panels: at.panels(d)}
	list := support(alpha)
	sum, part := make([]float64, c.Len), make([]float64, c.Len)
	for _, r := range cut(len(list), decisionRows) {
		s, err := gr.collect(ctx, list[r[0]:r[1]])
		if err != nil {
			return nil, err
		}
		f := &Function{Bank: gr.bank, Theta: theta, Points: s.points, IDs: s.ids, Dim: d, Threads: gr.opt.Threads}
		for _, i := range s.index {
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

package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// weights returns the weights of a function. The weight of a kernel and its normaliser are one factor
// from here on.
func (f *Function) weights(o *Output) scaled {
	s := scaled{f.Bank, make([]float64, f.Bank.Len())}
	for id, at := range f.Bank.Places() {
		s.factor[at] = o.Theta[id] * f.Bank.Factor(id)
	}
	return s
}

// output is an Output in element type T: its coefficients for each part of the support vectors, and
// the rows that it has of each part, nil for all.
type output[T simd.Real] struct {
	scaled
	coef [][]T
	rows [][]int32
	// profiles holds the profile of each group, or nil for the kernels one by one. constant is what
	// the constants of all profiles add to every value.
	profiles []*kernels.Profile[T]
	constant float64
	// weighed holds for each group whether one of its kernels has a weight.
	weighed []bool
}

// newOutput cuts the coefficients of function number i into parts. Normalisers become part of its
// weights.
func newOutput[T simd.Real](f *Function, i int) output[T] {
	o := &f.Outputs[i]
	r := output[T]{
		scaled: f.weights(o), weighed: make([]bool, len(f.Bank.Groups)),
		profiles: make([]*kernels.Profile[T], len(f.Bank.Groups)),
	}
	if p, ok := f.profiles.(profiles[T]); ok && p.of != nil {
		r.profiles, r.constant = p.of[i], p.constant(i, o.Alpha)
	}
	for g := range f.Bank.Groups {
		r.weighed[g] = anyWeight(r.of(&f.Bank.Groups[g]))
	}
	alpha, rows := o.Alpha, o.Rows
	for _, part := range cut(len(f.Points.IDs), decisionRows) {
		n := part[1] - part[0]
		var places []int32
		if o.Rows != nil {
			// Rows are in ascending order, so the rows of a part are the next ones.
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

// spread returns the coefficients of a part for all of its q rows, with zeros for those that the
// function does not have.
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

// evaluating is what a worker does of the values of a function: it sums the outputs on some panels of points.
type evaluating[T simd.Real] struct {
	*worker[T]
	function *Function
	outputs  []output[T]
	parts    []*kernels.Set // of the support vectors
	columns  Columns
}

// evaluate sums all groups and support vectors on a range of panels, and writes the values to out.
func (w *evaluating[T]) evaluate(ctx context.Context, panels [2]int, out []float64) error {
	outputs, c := w.outputs, &w.columns
	lanes := (panels[1] - panels[0]) * simd.Width
	sums := make([]float64, len(outputs)*lanes)
	panel := func(p int) *kernels.Panel { return &c.Panels[panels[0]+p] }
	for g := range w.function.Bank.Groups {
		group := &w.function.Bank.Groups[g]
		unknown := group.Base == kernels.MatrixRow && c.Panels[panels[0]].IDs == nil
		wanted := func(o output[T]) bool { return o.weighed[g] }
		if unknown || !slices.ContainsFunc(outputs, wanted) {
			continue
		}
		for i, points := range w.parts {
			// An interrupt waits for one part of the support vectors at most.
			if err := ctx.Err(); err != nil {
				return err
			}
			w.makeBases(group, points, panels[1]-panels[0], c.Len, panel, func(p int, base []T) {
				for k := range outputs {
					if o := &outputs[k]; wanted(*o) && len(o.coef[i]) > 0 {
						w.add(o, g, i, base, sums[k*lanes+p*simd.Width:][:simd.Width])
					}
				}
			})
		}
	}
	from := panels[0] * simd.Width
	for k := range outputs {
		for i := range sums[k*lanes : (k+1)*lanes] {
			sums[k*lanes+i] += outputs[k].constant
		}
		copy(out[k*c.Len+from:k*c.Len+min(from+lanes, c.Len)], sums[k*lanes:])
	}
	return nil
}

// add adds the kernels of group g, on the rows of a part that one function has, to the values of
// the function at a panel.
func (w *evaluating[T]) add(o *output[T], g, part int, base []T, to []float64) {
	group := &o.bank.Groups[g]
	weight := o.of(group)
	// Kernels with factors cannot be mixed before the sum over the rows, because each multiplies the
	// coefficients by factors of its own.
	if w.haveFactors(group) {
		w.delta = o.spread(w.delta, part, len(base)/simd.Width/group.Layers)
		w.sum = grow(w.sum, len(weight)*simd.Width)
		clear(w.sum)
		w.addFactored(&o.scaled, group, &w.rows, base, w.delta, w.sum)
		for i, x := range w.sum {
			to[i%simd.Width] += x
		}
		return
	}
	q := len(o.coef[part])
	// A function with few of the support vectors mixes the kernels on its own rows alone.
	if rows := o.rows[part]; rows != nil {
		base = w.pick(group, base, rows)
	}
	w.fresh = grow(w.fresh, q*simd.Width)
	if p := o.profiles[g]; p != nil {
		p.Evaluate(w.fresh, base)
	} else {
		clear(w.fresh)
		w.eval.Mix(w.fresh, base, group, 0, len(weight), weight)
	}
	// All kernels of the group are one value by now, and the rows are summed once.
	simd.AddRows(to, w.fresh, o.coef[part], 1)
}

// pick copies the bases of some rows, layer by layer.
func (w *evaluating[T]) pick(group *kernels.Group, base []T, rows []int32) []T {
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

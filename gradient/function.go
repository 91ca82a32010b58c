package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Function is one or several functions f(x) = sum_m theta_m sum_i alpha_i k_m(x_i, x) of the same
// support vectors. Bases of kernels are made once for all of them.
type Function struct {
	Bank    *kernels.Bank
	Points  *kernels.Set // the support vectors
	Outputs []Output
	Threads int

	// Guard runs read, which reads points that may vanish while they are read, and returns an error
	// if they have. If it is nil, points cannot vanish.
	Guard func(read func() error) error

	// fields has the tables of bases of the points. If it is nil, bases are computed.
	fields *fields

	// profiles is a profiles[T] of the type that was asked for, see PrepareProfiles. It is nil if
	// every kernel is evaluated.
	profiles any
}

// Output is what one function of several has of its own.
type Output struct {
	Theta []float64 // weight of each kernel
	Rows  []int32   // its support vectors by their places in the points, ascending; nil: all
	Alpha []float64 // their dual variables
}

// Columns is the points that a function is evaluated on. All panels have IDs if these are training
// points. If not, kernels from matrices are left out, as the matrix has no entries for other
// points.
type Columns struct {
	Len    int
	Panels []kernels.Panel
}

const (
	decisionRows   = 256 // support vectors that are packed at a time
	decisionPanels = 32  // panels that share a packing at most
)

// Values writes the functions at every column to out, outputs x columns, row-major. If double,
// arithmetic is float64. The result does not depend on the number of threads.
//
// Values reads the bank and the points and writes to nothing but out, so several calls may run at
// once. An error comes from the context or from Guard.
func (f *Function) Values(ctx context.Context, c Columns, double bool, out []float64) error {
	if double {
		return values[float64](ctx, f, c, out)
	}
	return values[float32](ctx, f, c, out)
}

// PrepareProfiles makes profiles of the functions for the arithmetic of Values with the same double,
// which then costs the same for many widths as for one. Values differ from values without profiles
// by rounding. The weights of outputs must not change any more, and neither may the bank. An error
// comes from the context or from Guard.
func (f *Function) PrepareProfiles(ctx context.Context, double bool) error {
	prepare := func() error { return prepareProfiles[float32](ctx, f) }
	if double {
		prepare = func() error { return prepareProfiles[float64](ctx, f) }
	}
	// The support vectors are looked at, which may vanish.
	if f.Guard != nil {
		return f.Guard(prepare)
	}
	return prepare()
}

// prepareProfiles is PrepareProfiles in element type T.
func prepareProfiles[T simd.Real](ctx context.Context, f *Function) error {
	weights := make([]*scaled, len(f.Outputs))
	for i := range f.Outputs {
		if i == 0 || !slices.Equal(f.Outputs[i].Theta, f.Outputs[i-1].Theta) {
			w := f.weights(&f.Outputs[i])
			weights[i] = &w
		}
	}
	p, err := newProfiles[T](ctx, f.Bank, f.Points, weights, f.Threads)
	f.profiles = p
	return err
}

// weights returns the weights of a function. The weight of a kernel and its normaliser are one factor
// from here on.
func (f *Function) weights(o *Output) scaled {
	s := scaled{f.Bank, make([]float64, f.Bank.Len())}
	for id, at := range f.Bank.Places() {
		s.factor[at] = o.Theta[id] * f.Bank.Factor(id)
	}
	return s
}

// values is Values in element type T. Every thread gets a share of the panels.
func values[T simd.Real](ctx context.Context, f *Function, c Columns, out []float64) error {
	panels := len(c.Panels)
	// Every thread gets a share of the panels, and no share is larger than what one packing of the
	// support vectors should serve.
	share := max(1, min(decisionPanels, (panels+f.Threads-1)/max(f.Threads, 1)))
	items := cut(panels, share)
	workers := make([]worker[T], max(f.Threads, 1))
	outputs := make([]output[T], len(f.Outputs))
	for i := range outputs {
		outputs[i] = newOutput[T](f, i)
	}
	rows := cut(len(f.Points.IDs), decisionRows)
	parts := make([]*kernels.Set, len(rows))
	for i, r := range rows {
		parts[i] = f.Points.Part(r[0], r[1])
	}
	return each(ctx, len(workers), len(items), func(at, item int) error {
		w := &workers[at]
		if w.eval == nil {
			w.eval = evaluator[T](f.fields, f.Bank)
		}
		// The worker of an item reads panels and support vectors. Both may lie in mapped files.
		work := func() error { return w.evaluate(ctx, f, outputs, parts, c, items[item], out) }
		if f.Guard != nil {
			return f.Guard(work)
		}
		return work()
	})
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

// evaluate sums all groups and support vectors on a range of panels, and writes the values to out.
func (w *worker[T]) evaluate(ctx context.Context, f *Function, outputs []output[T],
	parts []*kernels.Set, c Columns, panels [2]int, out []float64) error {
	lanes := (panels[1] - panels[0]) * simd.Width
	sums := make([]float64, len(outputs)*lanes)
	panel := func(p int) *kernels.Panel { return &c.Panels[panels[0]+p] }
	for g := range f.Bank.Groups {
		group := &f.Bank.Groups[g]
		unknown := group.Base == kernels.MatrixRow && c.Panels[panels[0]].IDs == nil
		wanted := func(o output[T]) bool { return o.weighed[g] }
		if unknown || !slices.ContainsFunc(outputs, wanted) {
			continue
		}
		for i, points := range parts {
			// An interrupt waits for one part of the support vectors at most.
			if err := ctx.Err(); err != nil {
				return err
			}
			w.makeBases(group, points, panels[1]-panels[0], c.Len, panel, func(p int, base []T) {
				for k := range outputs {
					if o := &outputs[k]; wanted(*o) && len(o.coef[i]) > 0 {
						w.output(o, g, i, base, sums[k*lanes+p*simd.Width:][:simd.Width])
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

// output adds the kernels of group g, on the rows of a part that one function has, to the values of
// the function at a panel.
func (w *worker[T]) output(o *output[T], g, part int, base []T, to []float64) {
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

package gradient

import (
	"context"
	"slices"
)

// Several columns of dual variables have gradients of their own under the same kernels:
//
//	g_mc = K_m alpha_c,   V_m = sum_c alpha_c'K_m alpha_c,   ghat_c = sum_m theta_m g_mc.
//
// That is one problem of as many variables as columns times points, with the kernels k_m(i,j) for
// two variables of one column and 0 for variables of two columns. Methods take its variables: the
// variable of point i in column c of n points has number c n + i. A pass computes each kernel value
// once for all columns, and a call for one column alone goes to a view of its gradients. All points
// are active, and all kernels are kept.

// columns is the gradients of several columns.
type columns struct {
	*stored
	views []*engine // the gradients of each column as the gradients of one
	// energies is V_m of each column, [column][kernel], as the last pass has summed it.
	energies []float64
}

// newColumns returns the columns of gradients, nil of one column.
func newColumns(of *stored) *columns {
	k := of.opt.columns()
	if k == 1 {
		return nil
	}
	gr := &columns{stored: of}
	size := len(gr.all.g) / k
	for c := range k {
		f := *gr.all
		f.g, f.maps = gr.all.g[c*size:(c+1)*size:(c+1)*size], nil
		view := &engine{fields: gr.fields}
		view.all, view.now = &f, &f
		gr.views = append(gr.views, view)
	}
	gr.energies = make([]float64, k*gr.bank.Len())
	return gr
}

// part is the variables of a list that are in one column: their points, and their places in the
// list.
type part struct {
	column     int
	points, at []int
}

// byColumn cuts a list of variables by column. A column without any is left out.
func (gr *columns) byColumn(variables []int) []part {
	n, of := gr.points.Len(), make([]part, len(gr.views))
	for k, i := range variables {
		p := &of[i/n]
		p.column, p.points, p.at = i/n, append(p.points, i%n), append(p.at, k)
	}
	return slices.DeleteFunc(of, func(p part) bool { return p.points == nil })
}

// pick returns the numbers of a part out of the numbers of its list.
func (p *part) pick(numbers []float64) []float64 {
	r := make([]float64, len(p.at))
	for k, at := range p.at {
		r[k] = numbers[at]
	}
	return r
}

// moved returns the points of which a variable has moved, with the changes of all columns.
func (gr *columns) moved(set []int, delta []float64) *workingSet {
	n, place := gr.points.Len(), make(map[int]int)
	var points []int
	for k, i := range set {
		if _, seen := place[i%n]; !seen && delta[k] != 0 {
			place[i%n] = len(points)
			points = append(points, i%n)
		}
	}
	s := *gr.gather(points)
	s.delta = make([]float64, len(points)*len(gr.views))
	for k, i := range set {
		if delta[k] != 0 {
			s.delta[i/n*len(points)+place[i%n]] = delta[k]
		}
	}
	return &s
}

// change returns the change of the linear kernels' vectors, [column][feature], or nil if no
// kernel is linear.
func (gr *columns) change(s *workingSet) []float64 {
	return together{&gr.engine, len(gr.views)}.change(s)
}

// pass is Pass.
func (gr *columns) pass(ctx context.Context, set []int,
	delta, alpha, theta, combined, v []float64) error {
	s := gr.moved(set, delta)
	k, n, lanes, kernels := len(gr.views), gr.points.Len(), gr.all.lanes(), gr.bank.Len()
	u := &gr.vectors
	u.set, u.vector, u.pending, u.columns = s, gr.change(s), gr.pending, k
	u.alpha, u.combined = grow(u.alpha, k*lanes), grow(u.combined, k*lanes)
	u.theta, u.v = grow(u.theta, kernels), grow(u.v, k*kernels)
	// Lanes behind the last point of a column must not count in alpha'g_m.
	clear(u.alpha)
	for c := range k {
		copy(u.alpha[c*lanes:], alpha[c*n:(c+1)*n])
	}
	places := gr.bank.Places()
	for id, at := range places {
		u.theta[at] = theta[id]
	}
	err := gr.arith.stream(ctx, gr.all, u)
	gr.pending = u.pending
	if err != nil {
		return err
	}
	// As of one column, these vectors move only after a pass that was not cut.
	for j, x := range u.vector {
		gr.sum[j] += x
	}
	clear(v)
	for c := range k {
		copy(combined[c*n:(c+1)*n], u.combined[c*lanes:])
		own := gr.energies[c*kernels : (c+1)*kernels]
		for id, at := range places {
			own[id] = u.v[c*kernels+int(at)]
		}
		if d := gr.points.Dim(); gr.sum != nil {
			linearProducts(gr.bank, gr.sum[c*d:(c+1)*d], gr.sum[c*d:(c+1)*d], own)
		}
		for m, x := range own {
			v[m] += x
		}
	}
	return nil
}

// hessian is Hessian: the columns are blocks of the sum of kernels, and the term of rank M
// goes across them. A set in one column needs no other matrix than its own.
func (gr *columns) hessian(ctx context.Context, set []int,
	theta, rank, h []float64) error {
	parts, q := gr.byColumn(set), len(set)
	whole := len(parts) == 1
	if !whole {
		clear(h)
	}
	for _, p := range parts {
		own, side := h, len(p.points)
		if !whole {
			own = make([]float64, side*side)
		}
		if err := gr.stored.Hessian(ctx, p.points, theta, nil, own); err != nil {
			return err
		}
		if err := centreWide(ctx, gr.opt.Threads, gr.constants, theta, own, side); err != nil {
			return err
		}
		for i := 0; i < side && !whole; i++ {
			for j, at := range p.at {
				h[p.at[i]*q+at] = own[i*side+j]
			}
		}
	}
	if rank == nil {
		return nil
	}
	row, one, g := make([]int32, len(rank)), make([]float64, len(rank)), make([]float64, len(rank)*q)
	for m := range row {
		row[m], one[m] = int32(m), 1
	}
	if err := gr.mix(ctx, set, row, one, g); err != nil {
		return err
	}
	for m, r := range rank {
		for i, x := range g[m*q : (m+1)*q] {
			for j, y := range g[m*q : (m+1)*q] {
				h[i*q+j] += r * x * y
			}
		}
	}
	return nil
}

// directions is Directions: the slopes and curvatures of the columns add up.
func (gr *columns) directions(ctx context.Context, set []int, d, b, c []float64) error {
	clear(b)
	clear(c)
	kernels := gr.bank.Len()
	slope, curve := make([]float64, kernels), make([]float64, kernels)
	for _, p := range gr.byColumn(set) {
		own, s := p.pick(d), gr.gather(p.points)
		view := &gr.views[p.column].fields
		t, err := newRankTerm(view, s.index)
		if err == nil {
			err = t.slopes(ctx, view.now, s.index, own, slope)
		}
		if err != nil {
			return err
		}
		if err := gr.arith.directions(ctx, s, own, curve); err != nil {
			return err
		}
		if gr.sum != nil {
			step := centredSum(gr.bank, gr.points.Dim(),
				&workingSet{index: s.index, points: s.points, delta: own})
			linearProducts(gr.bank, step, step, curve)
		}
		total := sum(own)
		for m := range b {
			b[m] += slope[m]
			c[m] += curve[m]
			if gr.constants != nil {
				c[m] += total * total * gr.constants[m]
			}
		}
	}
	return nil
}

// mix is Mix.
func (gr *columns) mix(ctx context.Context, set []int, row []int32,
	factor, mixed []float64) error {
	q := len(set)
	rows := len(mixed) / max(q, 1)
	for _, p := range gr.byColumn(set) {
		own := make([]float64, rows*len(p.points))
		if err := gr.views[p.column].Mix(ctx, p.points, row, factor, own); err != nil {
			return err
		}
		for r := range rows {
			for k, at := range p.at {
				mixed[r*q+at] = own[r*len(p.points)+k]
			}
		}
	}
	return nil
}

// rebuild is Rebuild.
func (gr *columns) rebuild(ctx context.Context, alpha []float64, double bool) error {
	gr.pending, gr.hollow = nil, true
	if err := gr.use(double); err != nil {
		return err
	}
	clear(gr.all.g)
	clear(gr.sum)
	n, k := gr.points.Len(), len(gr.views)
	var points []int
	for i := range n {
		for c := range k {
			if alpha[c*n+i] != 0 {
				points = append(points, i)
				break
			}
		}
	}
	change := func(c, i int) float64 { return alpha[c*n+i] }
	if err := (together{&gr.engine, k}).apply(ctx, gr.all, points, change, gr.sum); err != nil {
		return err
	}
	gr.hollow = false
	return nil
}

// decide computes as Afresh does.
func (gr *columns) decide(ctx context.Context, sample []int,
	alpha, theta []float64) ([]float64, error) {
	n, values := gr.points.Len(), make([]float64, len(sample))
	for _, p := range gr.byColumn(sample) {
		own, err := exact{&gr.fields}.decide(ctx, gr.bank, p.points, alpha[p.column*n:(p.column+1)*n], theta)
		if err != nil {
			return nil, err
		}
		for k, at := range p.at {
			values[at] = own[k]
		}
	}
	return values, nil
}

// deviations is Deviations.
func (gr *columns) deviations(ctx context.Context, sample []int,
	d, alpha, e []float64) error {
	clear(e)
	n := gr.points.Len()
	fresh, held := make([]float64, len(e)), make([]float64, len(e))
	for _, p := range gr.byColumn(sample) {
		own := p.pick(d)
		err := exact{&gr.fields}.weigh(ctx, gr.bank, p.points, own, alpha[p.column*n:(p.column+1)*n], fresh)
		if err != nil {
			return err
		}
		clear(held)
		view := exact{&gr.views[p.column].fields}
		if err := view.weighHeld(p.points, own, held); err != nil {
			return err
		}
		for m := range e {
			e[m] += fresh[m] - held[m]
		}
	}
	return nil
}

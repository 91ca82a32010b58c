package gradient

import (
	"context"
	"math"
	"slices"
	"testing"
)

// columned is a gradient of several columns beside one of each column alone, on the same bank.
type columned struct {
	t              *testing.T
	name           string
	n, k, kernels  int
	together       *Gradient
	alone          []*Gradient
	alpha, values  []float64
	energies, once []float64
}

func newColumned(t *testing.T, b *bank, o Options, k int) *columned {
	c := &columned{t: t, name: b.name, n: len(b.points.x), k: k, kernels: b.Len()}
	for range k {
		c.alone = append(c.alone, newGradient(t, b, o))
	}
	o.Columns = k
	c.together = newGradient(t, b, o)
	c.alpha, c.values = make([]float64, k*c.n), make([]float64, k*c.n)
	c.energies, c.once = make([]float64, c.kernels), make([]float64, c.kernels)
	return c
}

// same fails unless two lists have the same bits.
func (c *columned) same(what string, got, want []float64) {
	c.t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			c.t.Fatalf("%s: %s %d is %v together, %v alone", c.name, what, i, got[i], want[i])
		}
	}
}

// variables lists the variables of some points, column by column.
func (c *columned) variables(points []int) []int {
	var set []int
	for column := range c.k {
		for _, i := range points {
			set = append(set, column*c.n+i)
		}
	}
	return set
}

// pass makes the same step in both, and compares all that it gives.
func (c *columned) pass(points []int, delta, theta []float64) {
	c.t.Helper()
	set := c.variables(points)
	for k, i := range set {
		c.alpha[i] += delta[k]
	}
	if err := c.together.Pass(c.t.Context(), set, delta, c.alpha, theta, c.values, c.energies); err != nil {
		c.t.Fatal(err)
	}
	c.compare(points, delta, theta)
}

// compare makes the step of the last pass in each column alone.
func (c *columned) compare(points []int, delta, theta []float64) {
	c.t.Helper()
	total, combined := make([]float64, c.kernels), make([]float64, c.n)
	for column, gr := range c.alone {
		from, to := column*c.n, (column+1)*c.n
		own := delta
		if delta != nil {
			own = delta[column*len(points) : (column+1)*len(points)]
		}
		if err := gr.Pass(c.t.Context(), points, own, c.alpha[from:to], theta, combined, c.once); err != nil {
			c.t.Fatal(err)
		}
		c.same("combined gradient", c.values[from:to], combined)
		c.same("V of a column", c.together.ColumnEnergies()[column*c.kernels:(column+1)*c.kernels], c.once)
		size := len(c.together.Values()) / c.k
		c.same("gradient", c.together.Values()[column*size:(column+1)*size], gr.Values())
		for m, x := range c.once {
			total[m] += x
		}
	}
	c.same("V", c.energies, total)
}

// model compares the quadratic model, the slopes and the sums over kernels on a set.
func (c *columned) model(points []int, theta, d []float64) {
	c.t.Helper()
	ctx, q, set := c.t.Context(), len(points), c.variables(points)
	rank, row, one := make([]float64, c.kernels), make([]int32, c.kernels), make([]float64, c.kernels)
	for m := range rank {
		rank[m], row[m], one[m] = float64(m%3), int32(m), 1
	}
	h, g := make([]float64, len(set)*len(set)), make([]float64, c.kernels*len(set))
	b, curve := make([]float64, c.kernels), make([]float64, c.kernels)
	for _, err := range []error{
		c.together.Hessian(ctx, set, theta, rank, h),
		c.together.Mix(ctx, set, row, one, g),
		c.together.Directions(ctx, set, d, b, curve),
	} {
		if err != nil {
			c.t.Fatal(err)
		}
	}
	wantB, wantC := make([]float64, c.kernels), make([]float64, c.kernels)
	for column, gr := range c.alone {
		own, mixed := make([]float64, q*q), make([]float64, c.kernels*q)
		slope, curving := make([]float64, c.kernels), make([]float64, c.kernels)
		for _, err := range []error{
			gr.Hessian(ctx, points, theta, nil, own),
			gr.Mix(ctx, points, row, one, mixed),
			gr.Directions(ctx, points, d[column*q:(column+1)*q], slope, curving),
		} {
			if err != nil {
				c.t.Fatal(err)
			}
		}
		at := column * q
		for m := range c.kernels {
			c.same("row", g[m*len(set)+at:m*len(set)+at+q], mixed[m*q:(m+1)*q])
			wantB[m], wantC[m] = wantB[m]+slope[m], wantC[m]+curving[m]
		}
		// A set in one column has the matrix of that column, to the bit.
		block := make([]float64, q*q)
		if err := c.together.Hessian(ctx, set[at:at+q], theta, nil, block); err != nil {
			c.t.Fatal(err)
		}
		c.same("model of a column", block, own)
	}
	c.same("slope", b, wantB)
	c.same("curvature", curve, wantC)
	for i := range set {
		for j := range set {
			want, size := 0.0, 1.0
			for m, r := range rank {
				want += r * g[m*len(set)+i] * g[m*len(set)+j]
				size += math.Abs(r * g[m*len(set)+i] * g[m*len(set)+j])
			}
			if i/q == j/q { // the part of the kernels, computed above
				continue
			}
			if got := h[i*len(set)+j]; !(math.Abs(got-want) <= 1e-12*size) {
				c.t.Fatalf("%s: model (%d,%d) across columns is %v, want %v", c.name, i, j, got, want)
			}
		}
	}
}

// TestColumns: several columns have, column by column, the bits of gradients of one column, on every
// bank, in both precisions, with cached rows and without, in memory and in files.
func TestColumns(t *testing.T) {
	t.Parallel()
	rng := random(t, 263001)
	const n, k, q = 75, 3, 40
	for at, b := range banks(t, rng, n) {
		o := Options{Threads: 1 + at%3, Memory: 1 << 30}
		if at%2 == 0 {
			o.Memory, o.Scratch = 0, t.TempDir()
		}
		if at%3 > 0 {
			o.Cache.Memory, o.DoubleRows = 1<<20, 1<<20
		}
		c := newColumned(t, b, o, k)
		theta := make([]float64, b.Len())
		for m := range theta {
			theta[m] = rng.Float64()
		}
		set := subset(rng, n, q)
		c.model(set, theta, normals(rng, k*q))
		c.pass(set, normals(rng, k*q), theta)
		// A variable that does not move in one column, and a point that moves in none.
		delta := normals(rng, k*q)
		delta[3] = 0
		for column := range k {
			delta[column*q+5] = 0
		}
		c.passMoved(set, delta, theta)
		c.model(set, theta, normals(rng, k*q))
		c.pass(nil, nil, theta)
	}
}

// passMoved is pass where some changes are 0: alone, a column leaves its points out. So sums of
// many rows may be cut elsewhere. Values agree to rounding.
func (c *columned) passMoved(points []int, delta, theta []float64) {
	c.t.Helper()
	set := c.variables(points)
	for k, i := range set {
		c.alpha[i] += delta[k]
	}
	if err := c.together.Pass(c.t.Context(), set, delta, c.alpha, theta, c.values, c.energies); err != nil {
		c.t.Fatal(err)
	}
	double := c.together.double
	for column, gr := range c.alone {
		own := c.alpha[column*c.n : (column+1)*c.n]
		if err := gr.Rebuild(c.t.Context(), own, double); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := c.together.Rebuild(c.t.Context(), c.alpha, double); err != nil {
		c.t.Fatal(err)
	}
	if err := c.together.Pass(c.t.Context(), nil, nil, c.alpha, theta, c.values, c.energies); err != nil {
		c.t.Fatal(err)
	}
	c.compare(nil, nil, theta)
}

// TestColumnsAfresh: a rebuilt gradient of columns, its values computed again and its deviations equal
// the values of each column alone, and all survive a checkpoint and an interrupted pass.
func TestColumnsAfresh(t *testing.T) {
	t.Parallel()
	rng := random(t, 263002)
	const n, k, q = 75, 3, 40
	for at, b := range banks(t, rng, n) {
		o := Options{Threads: 2, Memory: 1 << 30}
		c := newColumned(t, b, o, k)
		copy(c.alpha, normals(rng, k*n))
		double := at%2 == 0
		for column, gr := range c.alone {
			own := c.alpha[column*n : (column+1)*n]
			if err := gr.Rebuild(t.Context(), own, double); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.together.Rebuild(t.Context(), c.alpha, double); err != nil {
			t.Fatal(err)
		}
		theta, d := make([]float64, b.Len()), normals(rng, 2*k)
		for m := range theta {
			theta[m] = rng.Float64()
		}
		c.pass(nil, nil, theta)
		sample := c.variables([]int{7, 41})
		values, err := c.together.Afresh(t.Context(), sample, c.alpha, theta)
		if err != nil {
			t.Fatal(err)
		}
		e, want := make([]float64, b.Len()), make([]float64, b.Len())
		if err := c.together.Deviations(t.Context(), sample, d, c.alpha, e); err != nil {
			t.Fatal(err)
		}
		for column, gr := range c.alone {
			own, part := c.alpha[column*n:(column+1)*n], make([]float64, b.Len())
			fresh, err := gr.Afresh(t.Context(), []int{7, 41}, own, theta)
			if err != nil {
				t.Fatal(err)
			}
			c.same("value computed afresh", values[2*column:2*column+2], fresh)
			if err := gr.Deviations(t.Context(), []int{7, 41}, d[2*column:2*column+2], own, part); err != nil {
				t.Fatal(err)
			}
			for m, x := range part {
				want[m] += x
			}
		}
		c.same("deviation", e, want)
		c.resume(b, o, subset(rng, n, q), normals(rng, k*q), theta)
	}
}

// resume cuts a pass after its first unit, hands the state to another gradient, and compares what
// that ends with to a pass that was not cut.
func (c *columned) resume(b *bank, o Options, points []int, delta, theta []float64) {
	c.t.Helper()
	set := c.variables(points)
	alpha := slices.Clone(c.alpha)
	for k, i := range set {
		alpha[i] += delta[k]
	}
	o.Columns, o.Threads = c.k, 1
	whole, err := c.together.State(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	began := func() *Gradient {
		gr := newGradient(c.t, b, o)
		copy(gr.Values(), c.together.Values())
		if err := gr.Resume(c.t.Context(), whole); err != nil {
			c.t.Fatal(err)
		}
		return gr
	}
	cut := began()
	ctx := &after{Context: c.t.Context(), calls: 3}
	if err := cut.Pass(ctx, set, delta, alpha, theta, c.values, c.energies); err == nil {
		c.t.Fatalf("%s: a pass was not cut", c.name)
	}
	state, err := cut.State(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	rest, straight := newGradient(c.t, b, o), began()
	copy(rest.Values(), cut.Values())
	if err := rest.Resume(c.t.Context(), state); err != nil {
		c.t.Fatal(err)
	}
	values, energies := make([]float64, len(c.values)), make([]float64, len(c.energies))
	if err := rest.Pass(c.t.Context(), set, delta, alpha, theta, c.values, c.energies); err != nil {
		c.t.Fatal(err)
	}
	if err := straight.Pass(c.t.Context(), set, delta, alpha, theta, values, energies); err != nil {
		c.t.Fatal(err)
	}
	c.same("combined gradient after a cut", c.values, values)
	c.same("V after a cut", c.energies, energies)
	c.same("gradient after a cut", rest.Values(), straight.Values())
}

// after is a context that has ended once its error has been asked for a number of times.
type after struct {
	context.Context
	calls int
}

func (a *after) Err() error {
	if a.calls--; a.calls < 0 {
		return context.Canceled
	}
	return nil
}

package kernels

import (
	"cmp"
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
)

// A skeleton is found on a grid of bases, as an interpolative decomposition: the functions
// k_m(s) - 1, each divided by its standard deviation over the grid, are the columns of a matrix. A
// pivoted orthogonalisation of some of them chooses the columns that span all others, and least
// squares give the coefficients of each. Differences from 1 keep the digits of kernels that are wide
// beside the points. What a kernel costs is a few hundred exponentials and products, about as much
// as two rows of a thousand points.

const (
	// candidates is the number of kernels that a skeleton is chosen from, at most: neighbours of
	// each other span the same.
	candidates = 256
	// worth is the share of the kernels that a skeleton has at most.
	worth = 0.7
	// exactDouble and exactSingle are the errors that are allowed, relative to the standard deviation of
	// a kernel. They are the same for every pair of points as far apart, and so do not average out
	// over the points as roundings do: they have to be well below these.
	exactDouble, exactSingle = 1e-13, 1e-8
	// noisier is how much more a kernel may be rounded than one that is computed by itself, and
	// usualDeviation the standard deviation of the latter at least.
	noisier, usualDeviation = 32.0, 0.1
	// block is the number of kernels whose coefficients one goroutine finds at a time.
	block = 512
)

// family is the kernels of a group as functions of its base, with a basis of them that serves
// skeletons of any accuracy: each is made of the members that come first.
type family struct {
	gamma []float64
	wide  []bool // see Bank.FindWide
	grid  grid   // on which coefficients are found
	finer grid   // on which the candidates are checked
	other grid   // on which all kernels are checked
	some  []int  // the candidates
	basis *basis // nil if no kernel differs from a constant
}

// newFamily returns the kernels of a group whose bases go up to reach, or nil if all bases are 0 or
// one is not finite. A basis has most members at most.
func newFamily(g *Group, reach float64, most int) *family {
	if !(reach > 0) || math.IsInf(reach, 1) {
		return nil
	}
	f := &family{}
	for _, m := range g.Members {
		f.gamma, f.wide = append(f.gamma, m.Gamma), append(f.wide, m.Wide)
	}
	// Below the least base that the narrowest kernel can tell from 0 all kernels are straight lines.
	least := reach * 1e-7
	if narrowest := slices.Max(f.gamma); narrowest > 0 {
		least = min(least, 1e-2/narrowest)
	}
	f.grid = gridTo(reach, least, 16, 64, 0)
	f.finer = gridTo(reach, least, 48, 192, 0.37)
	f.other = gridTo(reach, least, 8, 32, 0.29)
	f.some = candidatesOf(f.gamma)
	f.basis = newBasis(f, most)
	return f
}

// grid is bases in ascending order, of which the first is 0.
type grid []float64

// gridTo returns a grid from least to reach, with so many points for each decade and so many that
// lie evenly. shift moves the inner ones by that share of their distance.
func gridTo(reach, least float64, perDecade, evenly int, shift float64) grid {
	g := grid{0, reach}
	decades := math.Log10(reach / least)
	n := int(math.Ceil(decades * float64(perDecade)))
	for i := range n {
		g = append(g, least*math.Pow(10, decades*(float64(i)+shift)/float64(n)))
	}
	for i := 1; i < evenly; i++ {
		g = append(g, reach*(float64(i)+shift)/float64(evenly))
	}
	slices.Sort(g)
	return slices.Compact(g)
}

// fill sets column to exp(-gamma s) - 1 over the grid.
func (g grid) fill(column []float64, gamma float64) {
	for i, s := range g {
		column[i] = math.Expm1(-gamma * s)
	}
}

// fillScaled sets column to exp(-gamma s) - 1 over the grid, divided by the deviation of the kernel.
func (g grid) fillScaled(column []float64, gamma, deviation float64) {
	g.fill(column, gamma)
	divide(column, deviation)
}

// divide divides the numbers of a column.
func divide(column []float64, by float64) {
	for i := range column {
		column[i] /= by
	}
}

// deviation returns the standard deviation of the numbers of a column.
func deviation(column []float64) float64 {
	mean, square := 0.0, 0.0
	for _, x := range column {
		mean += x
	}
	mean /= float64(len(column))
	for _, x := range column {
		square += float64((x - mean) * (x - mean))
	}
	return math.Sqrt(square / float64(len(column)))
}

// rounded is by how much the values of kernel m are rounded, in units of the arithmetic times the
// standard deviation d: the values of a wide kernel relative to k - 1, which column has over a
// grid, and others relative to 1.
func (f *family) rounded(m int, column []float64, d float64) float64 {
	if !f.wide[m] {
		return 1 / d
	}
	return math.Sqrt(product(column, column)/float64(len(column))) / d
}

// candidatesOf returns some of the kernels, taken evenly from all in the order of their widths.
func candidatesOf(gamma []float64) []int {
	order := make([]int, len(gamma))
	for m := range order {
		order[m] = m
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(gamma[a], gamma[b]) })
	if len(order) <= candidates {
		return order
	}
	some := make([]int, candidates)
	for i := range some {
		some[i] = order[i*(len(order)-1)/(candidates-1)]
	}
	return some
}

// fit returns the members of a skeleton of that accuracy, in their order, and how all are sums of
// them. The list is nil if there is none of at most most members. The result does not depend on the
// number of threads. An error is the context's.
func (f *family) fit(ctx context.Context, exact float64, most, threads int) ([]int, span, error) {
	whole := span{count: len(f.gamma)}
	if f.basis == nil {
		return nil, whole, nil
	}
	// The orthogonalisation looks at root mean squares over the grid, and the check at the largest
	// error: the former has to be smaller by some factor.
	for _, stop := range []float64{exact / 4, exact / 12, exact / 40} {
		count := f.basis.count(stop)
		if count == 0 || count > most {
			break
		}
		t := newTrial(f, count, exact)
		if t.wrong() > max(2, count/4) {
			continue
		}
		x := t.span()
		bad, err := t.solveAll(ctx, x, threads)
		if err != nil {
			return nil, whole, err
		}
		// Kernels that are not exact enough by then are kept themselves, if they are few.
		if len(bad) > max(2, count/4) || count+len(bad) > most {
			continue
		}
		list, x := t.keep(x, bad)
		return list, x, nil
	}
	return nil, whole, nil
}

// trial is a skeleton that is tried: the first members of the basis.
type trial struct {
	*family
	count   int
	exact   float64
	onFiner [][]float64 // columns of the members over the grid, divided by their deviations
	onOther [][]float64
}

func newTrial(f *family, count int, exact float64) *trial {
	t := &trial{family: f, count: count, exact: exact}
	for r, m := range f.basis.list[:count] {
		column := func(g grid) []float64 {
			c := make([]float64, len(g))
			g.fillScaled(c, f.gamma[m], f.basis.deviation[r])
			return c
		}
		t.onFiner = append(t.onFiner, column(f.finer))
		t.onOther = append(t.onOther, column(f.other))
	}
	return t
}

// span returns the coefficients of all kernels, which are to be found.
func (t *trial) span() span {
	n := len(t.gamma)
	return span{count: t.count, coef: make([]float64, n*t.count), constant: make([]float64, n),
		deviation: make([]float64, n)}
}

// wrong counts the candidates whose sums are not as exact on the finer grid as they should be.
func (t *trial) wrong() int {
	wrong, column, row := 0, make([]float64, len(t.finer)), make([]float64, t.count)
	for _, m := range t.some {
		if d := t.solve(row, column, m); !t.exactOn(t.finer, t.onFiner, row, column, m, d) {
			wrong++
		}
	}
	return wrong
}

// solveAll sets the coefficients and the deviations of all kernels, of columns that are divided by
// their deviations, and returns those that are not exact enough.
func (t *trial) solveAll(ctx context.Context, x span, threads int) ([]int, error) {
	parts := make([][]int, (len(t.gamma)+block-1)/block)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, threads))
	for b := range parts {
		group.Go(func() error {
			column := make([]float64, max(len(t.grid), len(t.other)))
			for m := b * block; m < min((b+1)*block, len(t.gamma)); m++ {
				row := x.row(m)
				d := t.solve(row, column, m)
				x.deviation[m] = d
				if !t.exactOn(t.other, t.onOther, row, column, m, d) {
					parts[b] = append(parts[b], m)
				}
			}
			return ctx.Err()
		})
	}
	err := group.Wait()
	return slices.Concat(parts...), err
}

// solve sets row to the coefficients of kernel m for the members, and returns its deviation.
func (t *trial) solve(row, column []float64, m int) float64 {
	clear(row)
	column = column[:len(t.grid)]
	t.grid.fill(column, t.gamma[m])
	d := deviation(column)
	if d == 0 {
		return 0 // a constant, or all but one
	}
	divide(column, d)
	t.basis.solve(row, column)
	return d
}

// exactOn reports whether the sum with these coefficients is kernel m, of deviation d, on a grid on
// which the members are columns, and whether it is rounded little enough.
func (t *trial) exactOn(g grid, columns [][]float64, row, column []float64, m int, d float64) bool {
	if d == 0 {
		return t.gamma[m] == 0
	}
	noise := 0.0
	for r, c := range row {
		v := c * t.basis.rounded[r]
		noise += float64(v * v)
	}
	column = column[:len(g)]
	g.fill(column, t.gamma[m])
	if math.Sqrt(noise) > noisier*max(t.rounded(m, column, d), 1/usualDeviation) {
		return false
	}
	divide(column, d)
	for r, c := range row {
		if c != 0 {
			subtract(column, columns[r], c)
		}
	}
	for _, v := range column {
		if !(math.Abs(v) <= t.exact) {
			return false
		}
	}
	return true
}

// keep returns the members of the skeleton in their order, the bad ones among them, and the
// coefficients of the kernels themselves with their constants.
func (t *trial) keep(found span, bad []int) ([]int, span) {
	own := t.basis.list[:t.count]
	list := slices.Concat(own, bad)
	slices.Sort(list)
	list = slices.Compact(list)
	place := make([]int, t.count) // of the members of the trial within the list
	for r, m := range own {
		place[r], _ = slices.BinarySearch(list, m)
	}
	x := span{count: len(list), coef: make([]float64, len(t.gamma)*len(list)),
		constant: found.constant, deviation: found.deviation}
	for m, d := range x.deviation {
		row, sum := x.row(m), 0.0
		for r, c := range found.row(m) {
			if c != 0 {
				row[place[r]] = c * (d / t.basis.deviation[r])
				sum += row[place[r]]
			}
		}
		x.constant[m] = 1 - sum // all kernels are 1 at a distance of 0
	}
	// Kept kernels are themselves.
	for r, m := range list {
		clear(x.row(m))
		x.coef[m*x.count+r], x.constant[m] = 1, 0
	}
	return list, x
}

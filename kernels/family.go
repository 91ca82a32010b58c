package kernels

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A skeleton is found on a grid of bases, as an interpolative decomposition: the functions
// k_m(s) - 1, each divided by its standard deviation over the grid, are the columns of a matrix. A
// pivoted orthogonalisation chooses the columns that span all others, and least squares give the
// coefficients. Differences from 1 keep the digits of kernels that are wide beside the points.

const (
	// candidates is the number of kernels that a skeleton is chosen from, at most: neighbours of
	// each other span the same.
	candidates = 512
	// worthSingle and worthDouble are the shares of the kernels that a skeleton has at most. In
	// single precision the roundings of a few kernels do not average out as those of all do: a run
	// goes over to double precision earlier, which a skeleton has to be worth.
	worthSingle, worthDouble = 0.125, 0.7
	// perDecade is the number of points of the grid for each decade of the base, and evenly those
	// that lie evenly.
	perDecade, evenly = 48, 256
	// exactDouble and exactSingle are the errors that are allowed, relative to the standard deviation of
	// a kernel.
	exactDouble, exactSingle = 1e-13, 1e-9
	// noisier is how much more a kernel may be rounded than one that is computed by itself, and
	// usualDeviation the standard deviation of the latter at least.
	noisier, usualDeviation = 32.0, 0.1
)

// family is the kernels of a group as functions of its base.
type family struct {
	gamma []float64
	reach float64
	exact float64 // error that is allowed, relative to the standard deviation of a kernel
	most  int     // kernels of a skeleton at most

	grid      []float64
	deviation []float64 // standard deviation of each kernel over the grid
}

// newFamily returns the kernels of a group whose bases go up to reach.
func newFamily(g *Group, reach float64, double bool) *family {
	f := &family{reach: reach, exact: exactSingle}
	worth := worthSingle
	if double {
		f.exact, worth = exactDouble, worthDouble
	}
	for _, m := range g.Members {
		f.gamma = append(f.gamma, m.Gamma)
	}
	f.most = int(worth * float64(len(f.gamma)))
	if !(reach > 0) || math.IsInf(reach, 1) {
		return f
	}
	// Below the least base that the narrowest kernel can tell from 0 all kernels are straight lines.
	least := reach * 1e-7
	if narrowest := slices.Max(f.gamma); narrowest > 0 {
		least = min(least, 1e-2/narrowest)
	}
	f.grid = gridTo(reach, least, 0)
	column := make([]float64, len(f.grid))
	for _, gamma := range f.gamma {
		f.deviation = append(f.deviation, fillColumn(column, f.grid, gamma))
	}
	return f
}

// gridTo returns 0 and bases from least to reach, some evenly spaced and some by decades. shift
// moves the inner ones by that share of their distance.
func gridTo(reach, least, shift float64) []float64 {
	grid := []float64{0, reach}
	decades := math.Log10(reach / least)
	n := int(math.Ceil(decades * perDecade))
	for i := range n {
		grid = append(grid, least*math.Pow(10, decades*(float64(i)+shift)/float64(n)))
	}
	for i := 1; i < evenly; i++ {
		grid = append(grid, reach*(float64(i)+shift)/evenly)
	}
	slices.Sort(grid)
	return slices.Compact(grid)
}

// fillColumn sets column to exp(-gamma s) - 1 over a grid and returns the standard deviation.
func fillColumn(column, grid []float64, gamma float64) float64 {
	mean, square := 0.0, 0.0
	for i, s := range grid {
		column[i] = math.Expm1(-gamma * s)
		mean += column[i] / float64(len(grid))
	}
	for _, x := range column {
		square += (x - mean) * (x - mean)
	}
	return math.Sqrt(square / float64(len(grid)))
}

// fit returns the members of the skeleton, in their order, and how all are sums of them. The list is
// nil if there is no skeleton that is small and exact enough.
func (f *family) fit() ([]int, span) {
	n := len(f.gamma)
	whole := span{count: n}
	if f.grid == nil {
		return nil, whole // all distances are 0, or not finite
	}
	// The orthogonalisation looks at root mean squares over the grid, and the check at the largest
	// error: the former has to be smaller by some factor.
	for _, stop := range []float64{f.exact / 4, f.exact / 12, f.exact / 40} {
		list := f.choose(stop, f.most)
		// Kernels that are not exact enough by then are kept themselves, if they are few.
		for range 2 {
			if len(list) == 0 || len(list) > f.most {
				break
			}
			x := f.solve(list)
			if x.coef == nil {
				break
			}
			bad := f.check(list, x)
			if len(bad) == 0 {
				return list, f.unscale(list, x)
			}
			if len(bad) > max(2, len(list)/4) {
				break
			}
			list = append(list, bad...)
			slices.Sort(list)
			list = slices.Compact(list)
		}
	}
	return nil, whole
}

// choose returns members that span all others up to stop, as root mean squares over the grid.
func (f *family) choose(stop float64, most int) []int {
	// Kernels are taken evenly from all, ordered by gamma.
	order := make([]int, 0, len(f.gamma))
	for m := range f.gamma {
		if f.deviation[m] > 0 {
			order = append(order, m)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case f.gamma[a] < f.gamma[b]:
			return -1
		case f.gamma[a] > f.gamma[b]:
			return 1
		}
		return 0
	})
	if len(order) > candidates {
		var some []int
		for i := range candidates {
			some = append(some, order[i*(len(order)-1)/(candidates-1)])
		}
		order = some
	}
	n := float64(len(f.grid))
	columns := make([][]float64, len(order))
	for k, m := range order {
		columns[k] = make([]float64, len(f.grid))
		fillColumn(columns[k], f.grid, f.gamma[m])
		for i := range columns[k] {
			columns[k][i] /= f.deviation[m] * math.Sqrt(n)
		}
	}
	var list []int
	var basis [][]float64
	for len(list) <= most {
		best, largest, at := 0.0, 0.0, -1
		for k, c := range columns {
			if c == nil {
				continue
			}
			left := math.Sqrt(product(c, c))
			largest = max(largest, left)
			// Among columns that are left alike the one whose values are rounded least is the best.
			if score := left / (1 + usualDeviation/f.deviation[order[k]]); score > best {
				best, at = score, k
			}
		}
		if at < 0 || largest <= stop {
			break
		}
		q := columns[at]
		columns[at] = nil
		for _, b := range basis { // what rounding has left of the directions so far
			subtract(q, b, product(q, b))
		}
		length := math.Sqrt(product(q, q))
		for i := range q {
			q[i] /= length
		}
		for _, c := range columns {
			if c != nil {
				subtract(c, q, product(c, q))
			}
		}
		basis, list = append(basis, q), append(list, order[at])
	}
	return list
}

func product(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}

func subtract(to, q []float64, c float64) {
	for i, x := range q {
		to[i] -= float64(c * x)
	}
}

// solve returns the coefficients of all kernels for those of a list, of columns that are divided by
// their deviations. It returns none if the system has no solution in floating point.
func (f *family) solve(list []int) span {
	rows, kept, all := len(f.grid), len(list), len(f.gamma)
	a := mat.NewDense(rows, kept, nil)
	column := make([]float64, rows)
	for r, m := range list {
		fillColumn(column, f.grid, f.gamma[m])
		for i, x := range column {
			a.Set(i, r, x/f.deviation[m])
		}
	}
	var qr mat.QR
	qr.Factorize(a)
	x := span{count: kept, coef: make([]float64, all*kept), constant: make([]float64, all)}
	const block = 128
	for from := 0; from < all; from += block {
		to := min(from+block, all)
		b := mat.NewDense(rows, to-from, nil)
		for m := from; m < to; m++ {
			if f.deviation[m] == 0 {
				continue // a constant, or all but one
			}
			fillColumn(column, f.grid, f.gamma[m])
			for i, v := range column {
				b.Set(i, m-from, v/f.deviation[m])
			}
		}
		var c mat.Dense
		// A matrix that is close to singular is to be expected: the columns nearly span each other.
		if err := qr.SolveTo(&c, false, b); err != nil {
			if _, close := err.(mat.Condition); !close || math.IsInf(float64(err.(mat.Condition)), 1) {
				return span{}
			}
		}
		for m := from; m < to; m++ {
			for r := range kept {
				x.coef[m*kept+r] = c.At(r, m-from)
			}
		}
	}
	// Kept kernels are themselves.
	for r, m := range list {
		clear(x.row(m))
		x.coef[m*kept+r] = 1
	}
	return x
}

// check returns the kernels whose sums are not as exact as they should be, on another grid than the
// one that the coefficients are from.
func (f *family) check(list []int, x span) []int {
	least := f.grid[1]
	var grids [][]float64
	for _, shift := range []float64{0.29, 0.64} {
		grids = append(grids, gridTo(f.reach, least, shift))
	}
	errors := make([]float64, len(f.gamma))
	for _, grid := range grids {
		column := make([]float64, len(grid))
		columns := make([][]float64, len(list))
		for r, m := range list {
			columns[r] = make([]float64, len(grid))
			fillColumn(columns[r], grid, f.gamma[m])
			for i := range columns[r] {
				columns[r][i] /= f.deviation[m]
			}
		}
		for m := range f.gamma {
			if f.deviation[m] == 0 {
				continue
			}
			fillColumn(column, grid, f.gamma[m])
			for i := range column {
				column[i] /= f.deviation[m]
			}
			for r, c := range x.row(m) {
				if c != 0 {
					subtract(column, columns[r], c)
				}
			}
			for _, v := range column {
				errors[m] = max(errors[m], math.Abs(v))
			}
		}
	}
	var bad []int
	for m := range f.gamma {
		if f.deviation[m] == 0 {
			if f.gamma[m] > 0 {
				bad = append(bad, m)
			}
			continue
		}
		noise := 0.0
		for r, c := range x.row(m) {
			v := c / f.deviation[list[r]]
			noise += float64(v * v)
		}
		allowed := noisier / min(f.deviation[m], usualDeviation)
		if errors[m] > f.exact || math.Sqrt(noise) > allowed {
			bad = append(bad, m)
		}
	}
	return bad
}

// unscale brings the coefficients to those of the kernels themselves, and adds the constants.
func (f *family) unscale(list []int, x span) span {
	for m := range f.gamma {
		row := x.row(m)
		sum := 0.0
		for r, k := range list {
			if row[r] != 0 {
				row[r] *= f.deviation[m] / f.deviation[k]
			}
			sum += row[r]
		}
		x.constant[m] = 1 - sum // all kernels are 1 at a distance of 0
	}
	for r, m := range list {
		clear(x.row(m))
		x.coef[m*x.count+r], x.constant[m] = 1, 0
	}
	x.deviation = f.deviation
	return x
}

package kernels

import "math"

// basis is some kernels of a family that span all of it, in the order in which a pivoted
// orthogonalisation chose them: of the columns that are left, the one that is longest once all
// chosen ones are taken out of it. With the chosen columns as a matrix A = Q R, where Q has
// orthonormal columns and R is upper triangular, the coefficients of a column b are R^-1 Q'b, and
// those for the first members alone come from the corner of R and the first columns of Q.
type basis struct {
	list      []int     // the kernels
	deviation []float64 // their standard deviations over the grid
	rounded   []float64 // by how much their values are rounded, see family.rounded
	// left has the length of the longest column that is left before each choice, and after the
	// last; columns have length 1 at first.
	left []float64
	q    [][]float64 // columns of Q
	r    [][]float64 // r[k] is column k of R, down to its diagonal
}

// newBasis returns a basis of at most most kernels among the candidates of a family. It is nil if
// all of these are constant.
func newBasis(f *family, most int) *basis {
	g := f.grid
	var columns [][]float64
	var of []int // the kernel of each column
	var deviations, rounded []float64
	for _, m := range f.some {
		column := make([]float64, len(g))
		g.fill(column, f.gamma[m])
		d := deviation(column)
		if d == 0 {
			continue
		}
		rounded = append(rounded, f.rounded(m, column, d))
		divide(column, d)
		columns, of, deviations = append(columns, column), append(of, m), append(deviations, d)
	}
	if columns == nil {
		return nil
	}
	b := &basis{}
	root := math.Sqrt(float64(len(g)))
	for {
		best, largest, at := 0.0, 0.0, -1
		for k, c := range columns {
			if c == nil {
				continue
			}
			left := math.Sqrt(product(c, c)) / root
			largest = max(largest, left)
			// Among columns that are left alike the one whose values are rounded least is the best.
			if score := left / (1 + usualDeviation*rounded[k]); score > best {
				best, at = score, k
			}
		}
		b.left = append(b.left, largest)
		if at < 0 || largest <= spanned || len(b.list) == most {
			return b
		}
		b.rounded = append(b.rounded, rounded[at])
		b.add(g, f.gamma[of[at]], of[at], deviations[at])
		columns[at] = nil
		q := b.q[len(b.q)-1]
		for _, c := range columns {
			if c != nil {
				subtract(c, q, product(c, q))
			}
		}
	}
}

// spanned is the length of the longest column that is left at which nothing but rounding is.
const spanned = 1e-15

// add makes a kernel the next member. Its column is orthogonalised twice, as what is left after the
// first time is small beside what rounding has left of the other columns.
func (b *basis) add(g grid, gamma float64, m int, d float64) {
	q, r := make([]float64, len(g)), make([]float64, len(b.q)+1)
	g.fillScaled(q, gamma, d)
	for range 2 {
		for k, other := range b.q {
			c := product(q, other)
			r[k] += c
			subtract(q, other, c)
		}
	}
	length := math.Sqrt(product(q, q))
	divide(q, length)
	r[len(b.q)] = length
	b.list, b.deviation = append(b.list, m), append(b.deviation, d)
	b.q, b.r = append(b.q, q), append(b.r, r)
}

// count returns the number of members after which no column longer than stop is left, or 0 if the
// basis has not so many.
func (b *basis) count(stop float64) int {
	for k, left := range b.left {
		if left <= stop {
			return k
		}
	}
	return 0
}

// solve sets row to the coefficients of a column for the first len(row) members.
func (b *basis) solve(row, column []float64) {
	for k := range row {
		row[k] = product(column, b.q[k])
	}
	for k := len(row) - 1; k >= 0; k-- {
		row[k] /= b.r[k][k]
		for i, c := range b.r[k][:k] {
			row[i] -= float64(c * row[k])
		}
	}
}

// product returns a'b, from four sums that do not wait for each other. The conversions keep
// products from being fused with sums, so all processors give the same numbers.
func product(a, b []float64) float64 {
	b = b[:len(a)]
	s, t, u, v := 0.0, 0.0, 0.0, 0.0
	for len(a) >= 4 {
		s += float64(a[0] * b[0])
		t += float64(a[1] * b[1])
		u += float64(a[2] * b[2])
		v += float64(a[3] * b[3])
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s += float64(x * b[i])
	}
	return (s + t) + (u + v)
}

// subtract takes c times q out of a column.
func subtract(to, q []float64, c float64) {
	q = q[:len(to)]
	for i := range to {
		to[i] -= float64(c * q[i])
	}
}

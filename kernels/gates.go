package kernels

import (
	"bigmkl/internal/simd"
)

// Localized multiple kernel learning gives a kernel another weight at every point. With the gates
// eta_m kernel m becomes
//
//	eta_m(x) k_m(x, z) eta_m(z)                                      (Gönen 2010, eq. 3.9),
//
// which is positive semi-definite wherever k_m is, whatever the gates are. A gate is thus a factor
// for each kernel and point, as the spherical normalisation is (eq. 3.7 of Kloft 2011), and values
// are multiplied by both where they are added up. Bases, and with them cached rows, know of
// neither.

// Gates are weights of kernels that depend on the point.
type Gates interface {
	// Gate puts eta_m of the points with the given numbers in eta, for the kernel with the number
	// m = kernel. The values are finite and may have either sign; 0 closes the kernel at the point.
	// Several goroutines call it at once. It must not change while a method of a Gradient runs.
	Gate(kernel int32, points []int32, eta []float64)
}

// Gated returns the bank with gates: those of rows for row points and those of columns for column
// points. In training both are the same. For predictions rows knows the support vectors by their
// numbers and columns the points of a batch by their place in it, which are what a Set and a Panel
// number them by. Gates that the bank had before are replaced.
//
// The bank must be normalised before: the factors of the multiplicative normalisation are those of
// the kernels without gates. Linear kernels take plain products from here on, as after Plain: what
// centring takes from them is a constant only if sum_i alpha_i eta_m(x_i) is 0, which nothing
// ensures.
func (b *Bank) Gated(rows, columns Gates) *Bank {
	r := *b
	r.Groups = append([]Group(nil), b.Groups...)
	r.rowGates, r.columnGates, r.gated = rows, columns, nil
	for i := range r.Groups {
		r.Groups[i].gated = true
	}
	r.Plain()
	return &r
}

// PointFactors reports whether the kernels of the group have a factor for each point, by which
// values are multiplied when they are added up: under the spherical normalisation or under gates.
// RowFactors and ColumnFactors give these factors.
func (g *Group) PointFactors() bool { return g.Spherical || g.gated }

// Gated reports whether the kernels of the group have gates.
func (g *Group) Gated() bool { return g.gated }

// PackRowFactors packs of the points of a set what RowFactors needs. Gates need the numbers of the
// points alone.
func (e *Evaluator[T]) PackRowFactors(r *Rows[T], g *Group, set *Set) {
	if g.Spherical {
		e.PackRows(r, g, set)
		return
	}
	r.Len, r.ids = len(set.IDs), set.IDs
}

// PackColumnFactors packs of a panel what ColumnFactors needs, as PackRowFactors does.
func (e *Evaluator[T]) PackColumnFactors(c *Columns[T], g *Group, p *Panel, n int) {
	if g.Spherical {
		e.PackColumns(c, g, p, n)
		return
	}
	c.of(p)
}

// gateRows multiplies the factors of row points by their gates. Factors of nil stand for ones, and
// dst is then their memory.
func (e *Evaluator[T]) gateRows(dst, factors []T, r *Rows[T], m *Member) []T {
	if e.bank.rowGates == nil {
		return factors
	}
	return e.gate(dst, factors, r.Len, e.bank.rowGates, r.ids, m)
}

// gateColumns is gateRows for the points of a panel. Lanes behind the last point keep their
// factors.
func (e *Evaluator[T]) gateColumns(dst, factors []T, c *Columns[T], m *Member) []T {
	if e.bank.columnGates == nil {
		return factors
	}
	ids := c.ids
	if ids == nil {
		e.lanes = grow(e.lanes, c.count)
		for i := range e.lanes {
			e.lanes[i] = int32(c.first + i)
		}
		ids = e.lanes
	}
	return e.gate(dst, factors, width, e.bank.columnGates, ids[:c.count], m)
}

// gate multiplies the first of n factors by the gates of some points.
func (e *Evaluator[T]) gate(dst, factors []T, n int, gates Gates, ids []int32, m *Member) []T {
	if factors == nil {
		factors = grow(dst, n)
		fill(factors, 1)
	}
	// A bank of some of the points numbers them anew, and gates know them by their old numbers.
	if e.bank.gated != nil {
		e.numbers = grow(e.numbers, len(ids))
		for i, id := range ids {
			e.numbers[i] = e.bank.gated[id]
		}
		ids = e.numbers
	}
	e.eta = grow(e.eta, len(ids))
	gates.Gate(m.ID, ids, e.eta)
	for i, eta := range e.eta {
		factors[i] *= T(eta)
	}
	return factors
}

// SumFactored is Sum where every kernel has coefficients of its own: coef times its factors. There
// are as many factors for each member as rows have been packed, [member][row], and coef may be
// shorter. Kernels that are not open are left out, and their sums stay as they are.
func (e *Evaluator[T]) SumFactored(sum []float64, base, coef, factors []T, open []bool, g *Group,
	weight []float64) {
	rows := len(factors) / len(g.Members)
	own := func(i, from, to int) []T {
		e.coef = grow(e.coef, to-from)
		left := factors[i*rows+from : i*rows+to]
		for r, x := range coef[from:to] {
			e.coef[r] = x * left[r]
		}
		return e.coef
	}
	at := func(i int) []float64 { return sum[i*simd.Width : (i+1)*simd.Width] }
	if !g.UnitDiagonal() {
		for i := range g.Members {
			if open[i] {
				e.SumOne(at(i), base, own(i, 0, len(coef)), &g.Members[i], weight[i])
			}
		}
		return
	}
	for _, r := range g.runs {
		for i := r[0]; i < r[1]; i++ {
			if open[i] {
				simd.ExpRows(at(i), base, own(i, 0, len(coef)), g.scales[i:i+1], weight[i:i+1])
			}
		}
	}
	e.work = grow(e.work, chunk*simd.Width)
	for _, chain := range g.chains {
		// Links behind the last open one need not be made.
		for len(chain) > 0 && !open[chain[len(chain)-1]] {
			chain = chain[:len(chain)-1]
		}
		for from := 0; len(chain) > 0 && from < len(coef); from += chunk {
			to := min(from+chunk, len(coef))
			k := e.work[:(to-from)*simd.Width]
			for link, i := range chain {
				switch {
				case link == 0:
					simd.Exp(k, base[from*simd.Width:to*simd.Width], g.scales[i])
					if open[i] {
						simd.AddRows(at(i), k, own(i, from, to), weight[i])
					}
				case open[i]:
					simd.SquareRows(at(i), k, own(i, from, to), weight[i])
				default:
					simd.Power(k, k, 1, 0, 2)
				}
			}
		}
	}
}

package kernels

import (
	"math"
	"slices"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// numbered is gates that tell every kernel and point apart: eta_m(x_i) = (m + 1) / 4 - i, and 0 for every third point.
type numbered struct{}

func (numbered) Gate(kernel int32, points []int32, eta []float64) {
	for k, i := range points {
		if eta[k] = float64(kernel+1)/4 - float64(i); i%3 == 2 {
			eta[k] = 0
		}
	}
}

func gateOf(kernel, point int) float64 {
	eta := make([]float64, 1)
	numbered{}.Gate(int32(kernel), []int32{int32(point)}, eta)
	return eta[0]
}

// TestGated: a gated kernel is the kernel times the gates of its two points, whatever it is and however it is normalised. Linear
// kernels are not centred. The bank that was gated stays as it was.
func TestGated(t *testing.T) {
	t.Parallel()
	rng := random(t, 1)
	p := points(rng, 45, 4)
	list := allKinds(nil, []int32{1, 3})
	rows := []int32{40, 3, 0, 17, 44}
	for _, spherical := range []bool{false, true} {
		bank := newBank(t, list, p.survey(t), spherical)
		before := slices.Clone(bank.Groups)
		gated := bank.Gated(numbered{}, numbered{})
		for i := range before {
			if bank.Groups[i].Base != before[i].Base || bank.Groups[i].PointFactors() != spherical && !bank.Groups[i].Members.UnitDiagonal() || bank.Groups[i].Gated() {
				t.Errorf("group %d has changed", i)
			}
			if !gated.Groups[i].PointFactors() || gated.Groups[i].Base == CentredProduct {
				t.Errorf("group %d is of base %d, factors %v", i, gated.Groups[i].Base, gated.Groups[i].PointFactors())
			}
		}
		bank.Plain()
		for id := range list.Kernels {
			plain, got := evaluate[float64](bank, id, p, rows), evaluate[float64](gated, id, p, rows)
			for i, row := range rows {
				for j := range p.x {
					want := plain[i][j] * gateOf(id, int(row)) * gateOf(id, j)
					if !(math.Abs(got[i][j]-want) <= 1e-14*math.Abs(want)) {
						t.Fatalf("spherical %v, kernel %d, points %d and %d: %v, want %v", spherical, id, row, j, got[i][j], want)
					}
				}
			}
			if gated.Definite(id) != bank.Definite(id) {
				t.Errorf("kernel %d is no longer definite", id)
			}
		}
	}
}

// TestGatesKnowNumbers: points of a batch go by their place in it, support vectors by numbers of their own, and points of a bank of
// some by the numbers that they had in the whole. Lanes without a point keep their factors.
func TestGatesKnowNumbers(t *testing.T) {
	t.Parallel()
	rng := random(t, 2)
	p := points(rng, 70, 3)
	whole := newBank(t, allKinds(nil), p.survey(t), false).Gated(numbered{}, numbered{})
	some := []int32{1, 4, 6, 33, 68}
	of := whole.Of(some)
	twice := of.Of([]int32{0, 2, 4})
	var set Set
	set.Gather(p, []int32{2, 1})
	for _, c := range []struct {
		name          string
		bank          *Bank
		first, len    int
		ids           []int32
		rows, columns []int
	}{
		{"batch", whole, 64, 6, nil, []int{2, 1}, []int{64, 65, 66, 67, 68, 69}},
		{"numbers", whole, 0, 3, []int32{9, 8, 60}, []int{2, 1}, []int{9, 8, 60}},
		{"some", of, 2, 3, nil, []int{6, 4}, []int{6, 33, 68}},
		{"some of some", twice, 0, 2, []int32{2, 0}, []int{68, 6}, []int{68, 1}},
	} {
		e := NewEvaluator[float64](c.bank)
		panel := Panel{First: c.first, Len: c.len, IDs: c.ids}
		for i := range c.bank.Groups {
			g := &c.bank.Groups[i]
			var r Rows[float64]
			var cols Columns[float64]
			e.PackRowFactors(&r, g, &set)
			e.PackColumnFactors(&cols, g, &panel, 70)
			for k := range g.Members {
				m := &g.Members[k]
				left, right := e.RowFactors(nil, &r, m), e.ColumnFactors(nil, &cols, m)
				if len(left) != 2 || len(right) != simd.Width {
					t.Fatalf("%s: %d and %d factors", c.name, len(left), len(right))
				}
				for a, x := range left {
					if want := gateOf(int(m.ID), c.rows[a]); x != want {
						t.Errorf("%s, kernel %d: row %d has %v, want %v", c.name, m.ID, a, x, want)
					}
				}
				for b, x := range right {
					want := 1.0
					if b < c.len {
						want = gateOf(int(m.ID), c.columns[b])
					}
					if x != want {
						t.Errorf("%s, kernel %d: lane %d has %v, want %v", c.name, m.ID, b, x, want)
					}
				}
			}
		}
	}
}

// TestSumFactored: the sum of a kernel equals SumOne with multiplied coefficients, to the bit, for any place of the kernel
// in chains of squares or among its copies, and with any others closed.
func TestSumFactored(t *testing.T) {
	t.Parallel()
	rng := random(t, 3)
	const q = 150
	list := &kernelspec.Bank{}
	for _, gamma := range []float64{0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 0.3, 0.07, 0.3, 0.3} {
		list.Kernels = append(list.Kernels, kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: gamma, Set: kernelspec.AllFeatures})
	}
	list.Kernels = append(list.Kernels, kernelspec.Kernel{Kind: kernelspec.Poly, Gamma: 1, Coef: 1, Degree: 3, Set: kernelspec.AllFeatures},
		kernelspec.Kernel{Kind: kernelspec.Linear, Set: kernelspec.AllFeatures})
	p := points(rng, 40, 3)
	bank := newBank(t, list, p.survey(t), false).Gated(numbered{}, numbered{})
	e := NewEvaluator[float32](bank)
	for i := range bank.Groups {
		g := &bank.Groups[i]
		n := len(g.Members)
		if g.Base == SquaredDistance && len(g.chains) == 0 {
			t.Fatal("no chain")
		}
		base, coef, factors := make([]float32, q*simd.Width), make([]float32, q-7), make([]float32, n*q)
		for _, list := range [][]float32{base, coef, factors} {
			for k := range list {
				list[k] = rng.Float32()
			}
		}
		weight := make([]float64, n)
		for m := range weight {
			weight[m] = rng.Float64()
		}
		for range 20 {
			open, sum, want := make([]bool, n), make([]float64, n*simd.Width), make([]float64, n*simd.Width)
			for m := range open {
				open[m] = rng.IntN(2) == 0
				for j := range simd.Width {
					sum[m*simd.Width+j] = float64(m)
					want[m*simd.Width+j] = float64(m)
				}
			}
			e.SumFactored(sum, base[:len(coef)*simd.Width], coef, factors, open, g, weight)
			for m := range open {
				if !open[m] {
					continue
				}
				own := make([]float32, len(coef))
				for r, x := range coef {
					own[r] = x * factors[m*q+r]
				}
				e.SumOne(want[m*simd.Width:(m+1)*simd.Width], base[:len(coef)*simd.Width], own, &g.Members[m], weight[m])
			}
			if !slices.Equal(sum, want) {
				t.Fatalf("group of base %d with %v: %v, want %v", g.Base, open, sum, want)
			}
		}
	}
}

// TestSomeOfSome: rows of a matrix go by their numbers in the whole, however many times a bank is
// cut down.
func TestSomeOfSome(t *testing.T) {
	t.Parallel()
	whole := &Bank{Groups: []Group{{Base: MatrixRow}}}
	twice := whole.Of([]int32{1, 4, 6, 33, 68}).Of([]int32{0, 2, 4})
	if got, want := twice.Groups[0].numbers, []int32{1, 6, 68}; !slices.Equal(got, want) {
		t.Errorf("rows %d of the matrix, want %d", got, want)
	}
}

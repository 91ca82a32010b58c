package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// subsets are feature lists of all shapes: everything, ranges, scattered, a single one.
func subsets(d int) map[string][]int32 {
	var even []int32
	for j := 0; j < d; j += 2 {
		even = append(even, int32(j))
	}
	s := map[string][]int32{"all": nil, "scattered": even, "last": {int32(d - 1)}}
	if d > 3 {
		s["range"] = []int32{1, 2, 3}
		s["ends"] = []int32{0, int32(d - 1)}
	}
	return s
}

// evaluate computes kernel id between rows and all points through Evaluator alone.
func evaluate[T simd.Real](b *Bank, id int, p Points, rows []int32) [][]T {
	e := NewEvaluator[T](b)
	g, m := b.find(id)
	var set Set
	set.Gather(p, rows)
	var packed Rows[T]
	e.PackRows(&packed, g, &set)
	out := make([][]T, len(rows))
	base, k := make([]T, g.TileSize(len(rows))), make([]T, len(rows)*simd.Width)
	var buf PanelBuffer
	for at := 0; at*simd.Width < p.Len(); at++ {
		var cols Columns[T]
		panel := PanelOf(p, at, &buf)
		e.PackColumns(&cols, g, &panel, p.Len())
		left, right := e.RowFactors(nil, &packed, m), e.ColumnFactors(nil, &cols, m)
		e.Base(base, g, &packed, 0, len(rows), &cols, nil)
		e.Transform(k, base, m)
		for i := range rows {
			for j := range panel.Len {
				v := k[i*simd.Width+j]
				if left != nil {
					v *= left[i] * right[j]
				}
				out[i] = append(out[i], v)
			}
		}
	}
	return out
}

func upTo(n int) []int32 {
	r := make([]int32, n)
	for i := range r {
		r[i] = int32(i)
	}
	return r
}

// banks are the same kernels with and without the norm form of distances, and spherically normalised.
func banks(t *testing.T, p *table, set []int32) map[string]*Bank {
	s := p.survey(t)
	direct := newBank(t, allKinds(set), s, false)
	for i := range direct.Groups {
		g := &direct.Groups[i]
		g.Direct = [2]bool{!g.Direct[0], !g.Direct[1]}
	}
	return map[string]*Bank{
		"plain": newBank(t, allKinds(set), s, false), "other distances": direct, "spherical": newBank(t, allKinds(set), s, true),
	}
}

func testSymmetry[T simd.Real](t *testing.T) {
	rng := random(t, 2)
	for _, shape := range [][2]int{{7, 3}, {45, 5}, {33, 70}} {
		p := points(rng, shape[0], shape[1])
		for set, features := range subsets(p.d) {
			for name, b := range banks(t, p, features) {
				for id := range b.Len() {
					k := evaluate[T](b, id, p, upTo(len(p.x)))
					for i := range k {
						for j := range i {
							if bitsOf(k[i][j]) != bitsOf(k[j][i]) {
								t.Fatalf("%s, %s, kernel %d: k(%d,%d) = %v, k(%d,%d) = %v", name, set, id, i, j, k[i][j], j, i, k[j][i])
							}
						}
					}
				}
			}
		}
	}
}

// TestSymmetry: k(x,z) = k(z,x) bit for bit.
func TestSymmetry(t *testing.T) {
	t.Parallel()
	t.Run("float32", testSymmetry[float32])
	t.Run("float64", testSymmetry[float64])
}

func testPosition[T simd.Real](t *testing.T) {
	rng := random(t, 3)
	p := points(rng, 70, 13)
	order := rng.Perm(70)
	moved := &table{d: p.d}
	for _, i := range order {
		moved.x = append(moved.x, p.x[i])
	}
	rows := upTo(70)
	rng.Shuffle(70, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for name, b := range banks(t, p, []int32{0, 3, 4, 9, 12}) {
		for id := range b.Len() {
			want := evaluate[T](b, id, p, upTo(70))
			got := evaluate[T](b, id, moved, rows)
			for a, i := range rows {
				for j := range order {
					if w := want[order[i]][order[j]]; bitsOf(got[a][j]) != bitsOf(w) {
						t.Fatalf("%s, kernel %d: %v, elsewhere %v", name, id, got[a][j], w)
					}
				}
			}
		}
	}
}

// TestPosition: a value does not depend on the places of its points in their tiles.
func TestPosition(t *testing.T) {
	t.Parallel()
	t.Run("float32", testPosition[float32])
	t.Run("float64", testPosition[float64])
}

func testSum[T simd.Real](t *testing.T) {
	rng := random(t, 4)
	p := points(rng, 32, 6)
	list := allKinds(nil)
	for s := range 7 { // chains, one longer than squaring goes on, and a kernel twice
		list.Kernels = append(list.Kernels, kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: math.Ldexp(0.01, s), Set: kernelspec.AllFeatures})
	}
	list.Kernels = append(list.Kernels, list.Kernels[len(list.Kernels)-2], kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: 0.3, Set: kernelspec.AllFeatures})
	b := newBank(t, list, p.survey(t), false)
	squared := 0
	for i := range b.Groups {
		g := &b.Groups[i]
		if g.Base == absoluteDistance {
			// Another function of a distance is not computed as an exponential.
			g.Members[0].Kind, g.Members[0].Degree, g.scales, g.chains, g.runs = kernelspec.Poly, 2, nil, nil, nil
			if g.plan(g.Members); g.exponentials() || g.Members.UnitDiagonal() {
				t.Error("a square of a distance is taken for an exponential")
			}
		}
		for _, q := range []int{1, 5, 8, 30, 64, 150} {
			ids := make([]int32, q)
			for i := range ids {
				ids[i] = int32(rng.IntN(32))
			}
			coef, weight := make([]T, q), make([]float64, len(g.Members))
			for i := range coef {
				coef[i] = T(rng.NormFloat64())
			}
			want := make([]float64, len(g.Members)*simd.Width)
			for j := range want {
				want[j] = float64(j) // Sum adds to what is there
			}
			got := slices.Clone(want)
			for m := range g.Members {
				weight[m] = rng.Float64()
				squared += min(g.Members[m].Squarings, 1)
				simd.AddRows(want[m*simd.Width:(m+1)*simd.Width], slices.Concat(evaluate[T](b, int(g.Members[m].ID), p, ids)...), coef, weight[m])
			}
			e := NewEvaluator[T](b)
			var set Set
			set.Gather(p, ids)
			var rows Rows[T]
			var cols Columns[T]
			panel := PanelOf(p, 0, nil)
			e.PackRows(&rows, g, &set)
			e.PackColumns(&cols, g, &panel, 32)
			base := make([]T, BaseSize(q))
			e.Base(base, g, &rows, 0, q, &cols, nil)
			e.Sum(got, base[:q*simd.Width], coef, g, weight)
			if !slices.Equal(got, want) {
				t.Errorf("group %d, %d rows: %v, want %v", i, q, got, want)
			}
			mixed, sum := make([]T, q*simd.Width), make([]float64, simd.Width)
			e.Mix(mixed, base[:q*simd.Width], g, 0, len(weight), weight)
			simd.AddRows(sum, mixed, coef, 1)
			for j, v := range sum {
				w, size := 0.0, 1.0
				for m := range g.Members {
					w += got[m*simd.Width+j] - float64(m*simd.Width+j)
					size += math.Abs(got[m*simd.Width+j])
				}
				if math.Abs(v-w) > 1e-5*size {
					t.Errorf("group %d, %d rows: mixed %v, want %v", i, q, v, w)
				}
			}
		}
	}
	if squared == 0 {
		t.Error("no kernel is the square of another")
	}
}

// TestSum: Sum has the bits of Transform and a weighted sum, row by row, and Mix is the sum over kernels.
func TestSum(t *testing.T) {
	t.Parallel()
	t.Run("float32", testSum[float32])
	t.Run("float64", testSum[float64])
}

// TestEvaluatorReuse: scratch memory that grew for one group serves the next.
func TestEvaluatorReuse(t *testing.T) {
	t.Parallel()
	rng := random(t, 9)
	p := points(rng, 40, 50)
	b := newBank(t, allKinds(nil, []int32{7}, []int32{1, 30}), p.survey(t), false)
	e := NewEvaluator[float32](b)
	var rows Rows[float32]
	var cols Columns[float32]
	panel := PanelOf(p, 1, nil)
	for _, g := range []int{0, 6, 3, 11, 1, 0} {
		group := &b.Groups[g%len(b.Groups)]
		q := 1 + rng.IntN(20)
		var set Set
		set.Gather(p, upTo(q))
		base, fresh := make([]float32, BaseSize(q)), make([]float32, BaseSize(q))
		e.PackRows(&rows, group, &set)
		e.PackColumns(&cols, group, &panel, 40)
		e.Base(base, group, &rows, 0, q, &cols, nil)
		var r2 Rows[float32]
		var c2 Columns[float32]
		e2 := NewEvaluator[float32](b)
		e2.PackRows(&r2, group, &set)
		e2.PackColumns(&c2, group, &panel, 40)
		e2.Base(fresh, group, &r2, 0, q, &c2, nil)
		if !slices.Equal(base, fresh) {
			t.Errorf("%s: a used evaluator gives other values", fmt.Sprint(group.Base))
		}
	}
}

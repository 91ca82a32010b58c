package kernels

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/kernelstest"
	"bigmkl/internal/simd"
	"bigmkl/internal/testlevel"
)

// nonzeroTable is a table by its non-zeros.
type nonzeroTable struct{ *table }

func (p nonzeroTable) Sparse() bool { return true }

func (p nonzeroTable) Panel(int) []float32 {
	panic("a panel of sparse points was asked for")
}

func (p nonzeroTable) Nonzeros(i int) (index []int32, value []float32) {
	for j, v := range p.x[i] {
		if v != 0 {
			index, value = append(index, int32(j)), append(value, v)
		}
	}
	return index, value
}

// scattered draws n points of d features with about so many that are not zero; some points are all zeros.
func scattered(rng *rand.Rand, n, d, entries int) *table {
	p := &table{d: d}
	for i := range n {
		x := make([]float32, d)
		for range entries * min(i%7, 1) {
			x[rng.IntN(d)] = float32(rng.ExpFloat64()) + 0.1
		}
		p.x = append(p.x, x)
	}
	return p
}

func from(first, n int) []int32 {
	r := make([]int32, n)
	for i := range r {
		r[i] = int32(first + i)
	}
	return r
}

func TestSurveyOfNonzeros(t *testing.T) {
	t.Parallel()
	p := scattered(random(t, 21), 100, 50, 9)
	for i := range p.x {
		p.x[i][3], p.x[i][4] = 2.5, -0.5*float32(i%3)
	}
	shift := p.mean()
	shift[7] = 0.3
	want, err := Survey(t.Context(), p, shift, 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Survey(t.Context(), nonzeroTable{p}, shift, 2)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Deviation, want.Deviation) || !slices.Equal(got.Minimum, want.Minimum) {
		t.Error("other deviations or minima")
	}
	for j, v := range want.Variance {
		if math.Abs(got.Variance[j]-v) > 1e-14*max(v, 1) {
			t.Errorf("feature %d: variance %g, want %g", j, got.Variance[j], v)
		}
	}
	if want.Sparse || !got.Sparse || len(got.Square64) != len(p.x) || got.Variance[3] != 0 {
		t.Errorf("sparse %v and %v, %d squares, variance of a constant %g", want.Sparse, got.Sparse, len(got.Square64), got.Variance[3])
	}
}

// TestMediansOfNonzeros: both layouts give the same bits, also for more features than are taken at a time.
func TestMediansOfNonzeros(t *testing.T) {
	t.Parallel()
	rng := random(t, 22)
	for _, n := range []int{1, 2, 40, medianSample + 50} {
		p := scattered(rng, n, 2*medianFeatures+10, 30)
		dense, sparse := newMedians(p, 1), newMedians(nonzeroTable{p}, 1)
		for i, kind := range []kernelspec.Kind{kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare} {
			all := subsets(p.d)
			for j, name := range slices.Sorted(maps.Keys(all)) {
				if n > 40 && !testlevel.Diagonal(t, i, j, 9, 3) {
					continue
				}
				set := all[name]
				a, b := distanceOf(t, dense.distance, set, kind), distanceOf(t, sparse.distance, set, kind)
				if bitsOf(a) != bitsOf(b) {
					t.Errorf("n = %d, %s on %s: medians %v and %v", n, kind, name, a, b)
				}
				if a, b := distanceOf(t, dense.mean, set, kind), distanceOf(t, sparse.mean, set, kind); bitsOf(a) != bitsOf(b) {
					t.Errorf("n = %d, %s on %s: means %v and %v", n, kind, name, a, b)
				}
			}
		}
	}
}

// sparseSets are all features, ranges short and long, and scattered ones.
func sparseSets(d int) [][]int32 {
	return [][]int32{nil, from(2, shortRange), from(5, 3), {0, 4, int32(d - 1)}}
}

// testSparseDefinitions compares all kinds on sparse points with the definitions, from full panels and from panels of the
// rows in use, which must agree to the bit.
func testSparseDefinitions[T simd.Real](t *testing.T) {
	p := scattered(random(t, 23), 45, 150, 12)
	points := nonzeroTable{p}
	shift := p.mean()
	s, err := Survey(t.Context(), points, shift, 1)
	if err != nil {
		t.Fatal(err)
	}
	list := allKinds(sparseSets(p.d)...)
	b := newBank(t, list, s, false)
	e := NewEvaluator[T](b)
	var set Set
	set.Gather(points, upTo(len(p.x)))
	q := len(p.x)
	base, wide, k := make([]T, BaseSize(q)), make([]T, BaseSize(q)), make([]T, BaseSize(q))
	eps := map[int]float64{0: 2e-6, 1: 1e-14}[precision[T]()]
	seen := map[bool]int{}
	var full, used PanelBuffer
	for i := range b.Groups {
		g := &b.Groups[i]
		seen[e.Sparse(g)]++
		var rows Rows[T]
		e.PackRows(&rows, g, &set)
		for at := 0; at*simd.Width < q; at++ {
			n := min(simd.Width, q-at*simd.Width)
			panel := Panel{First: at * simd.Width, Len: n, index: set.Index[at*simd.Width:][:n], value: set.Value[at*simd.Width:][:n]}
			first, second := full.fill(panel, p.d, false), used.fill(panel, p.d, true)
			var cols, few Columns[T]
			e.PackColumns(&cols, g, &first, q)
			e.PackColumns(&few, g, &second, q)
			e.Base(base, g, &rows, 0, q, &cols, nil)
			e.Base(wide, g, &rows, 0, q, &few, nil)
			if !slices.Equal(base, wide) || !slices.Equal(cols.self, few.self) {
				t.Fatalf("group %d: rows in use give other bits than all", i)
			}
			for _, m := range g.Members {
				kernel := list.Kernels[m.ID]
				e.Transform(k, base, &m)
				for r := range q {
					for c := range n {
						got := float64(k[r*simd.Width+c])
						want, size := kernelstest.Value(kernel, list.Features(kernel.Set), p.x[r], p.x[at*simd.Width+c], shift)
						slope := 1.0
						if kernel.Kind == kernelspec.Poly {
							slope = 200
						}
						if !(math.Abs(got-want) <= eps*slope*(10+size+math.Abs(want))) {
							t.Fatalf("kernel %d, %v on %d features, points %d and %d: %v, want %v", m.ID, kernel.Kind, g.Dim, r, c, got, want)
						}
					}
				}
			}
		}
	}
	if seen[true] != 6 { // squared distances, products, centred products of all features and of the long range
		t.Errorf("%d groups are sparse, %d are not", seen[true], seen[false])
	}
}

func TestSparseDefinitions(t *testing.T) {
	t.Parallel()
	t.Run("float32", testSparseDefinitions[float32])
	t.Run("float64", testSparseDefinitions[float64])
}

// TestSpreadPoints: groups that lay sparse points out densely have the bits of dense points.
func TestSpreadPoints(t *testing.T) {
	t.Parallel()
	p := scattered(random(t, 24), 70, wideAbove+9, 40)
	sparse, err := Survey(t.Context(), nonzeroTable{p}, p.mean(), 1)
	if err != nil {
		t.Fatal(err)
	}
	list := allKinds([]int32{1, 70, int32(p.d - 1)}, from(100, 7), from(wideAbove-80, 80))
	list.Kernels = append(list.Kernels, kernelspec.Kernel{Kind: kernelspec.Laplace, Gamma: 0.1, Set: kernelspec.AllFeatures})
	a, b := newBank(t, list, p.survey(t), false), newBank(t, list, sparse, false)
	for id := range list.Kernels {
		g, _ := b.find(id)
		if g.Sparse {
			continue
		}
		want, got := evaluate[float32](a, id, p, upTo(9)), evaluate[float32](b, id, nonzeroTable{p}, upTo(9))
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("kernel %d: row %d is %v, want %v", id, i, got[i], want[i])
			}
		}
	}
}

// TestAddProducts compares with sums over the features.
func TestAddProducts(t *testing.T) {
	t.Parallel()
	rng := random(t, 25)
	p := scattered(rng, 40, wideAbove+5, 50)
	v := make([]float64, p.d)
	for j := range v {
		v[j] = rng.NormFloat64()
	}
	var buffer PanelBuffer
	for _, points := range []Points{p, nonzeroTable{p}} {
		for _, set := range sparseSets(p.d) {
			g := Group{Base: CentredProduct, features: features{Features: set, Dim: p.d}}
			if set != nil {
				g.Dim = len(set)
			}
			panel := PanelOf(points, 1, &buffer)
			got := [simd.Width]float64{1, 2, 3}
			want := got
			panel.AddProducts(&got, &g, v)
			for i := range panel.Len {
				g.Each(func(j int) { want[i] += v[j] * float64(p.x[simd.Width+i][j]) })
			}
			for i := range got {
				if math.Abs(got[i]-want[i]) > 1e-12 {
					t.Errorf("%d features, point %d: %v, want %v", g.Dim, i, got[i], want[i])
				}
			}
		}
	}
}

// TestNormalizeNonzeros: both layouts find the same scales to rounding.
func TestNormalizeNonzeros(t *testing.T) {
	t.Parallel()
	p := scattered(random(t, 26), 90, wideAbove+5, 30)
	sparse, err := Survey(t.Context(), nonzeroTable{p}, p.mean(), 1)
	if err != nil {
		t.Fatal(err)
	}
	list := allKinds(nil, from(9, shortRange), from(3, 4))
	a, b := newBank(t, list, p.survey(t), false), newBank(t, list, sparse, false)
	want, err := a.normalize(t.Context(), p, p.survey(t), nil, true, 2, 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.normalize(t.Context(), nonzeroTable{p}, sparse, nil, true, 2, 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for id, s := range want.Scale {
		if math.Abs(got.Scale[id]-s) > 1e-9*s {
			t.Errorf("kernel %d: scale %v, want %v", id, got.Scale[id], s)
		}
	}
}

// BenchmarkSparsePanel makes the base of 512 points of 100 non-zeros on one panel after the other, from full panels and from
// panels of the rows in use.
func BenchmarkSparsePanel(b *testing.B) {
	const q, panels = 512, 16
	for _, d := range []int{2000, 20000, 200000} {
		rng := rand.New(rand.NewPCG(1, 2))
		var set Set
		set.reset(d, true)
		for i := range q + panels*simd.Width {
			x := make(map[int32]float32)
			for len(x) < 100 {
				x[int32(rng.IntN(d))] = rng.Float32()
			}
			index := slices.Sorted(maps.Keys(x))
			var value []float32
			for _, j := range index {
				value = append(value, x[j])
			}
			set.IDs, set.Index, set.Value = append(set.IDs, int32(i)), append(set.Index, index), append(set.Value, value)
		}
		bank := &Bank{Groups: []Group{{Base: plainProduct, features: features{Dim: d}, Sparse: true}}, square32: make([]float32, len(set.IDs))}
		g, e := &bank.Groups[0], NewEvaluator[float32](bank)
		var rows Rows[float32]
		var cols Columns[float32]
		var buffer PanelBuffer
		e.PackRows(&rows, g, set.Part(0, q))
		base := make([]float32, BaseSize(q))
		for _, wide := range []bool{false, true} {
			b.Run(fmt.Sprintf("d=%d/used=%v", d, wide), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					at := q + i%panels*simd.Width
					panel := Panel{First: at, Len: simd.Width, index: set.Index[at : at+simd.Width], value: set.Value[at : at+simd.Width]}
					panel = buffer.fill(panel, d, wide)
					e.PackColumns(&cols, g, &panel, len(set.IDs))
					e.Base(base, g, &rows, 0, q, &cols, nil)
				}
			})
		}
	}
}

// TestFirstFrom: the place of the first feature is the place by a search from the start.
func TestFirstFrom(t *testing.T) {
	t.Parallel()
	for n := range 9 {
		list := make([]int32, n)
		for k := range list {
			list[k] = int32(3*k + 1)
		}
		for j := range int32(3*n + 3) {
			want := 0
			for want < n && list[want] < j {
				want++
			}
			if got := firstFrom(list, j); got != want {
				t.Errorf("%v, feature %d: %d, want %d", list, j, got, want)
			}
		}
	}
}

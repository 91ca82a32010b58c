package simd

import (
	"math"
	"testing"
)

func TestShift(t *testing.T) {
	each(t, testShift[float32], testShift[float64])
}

func testShift[T Real](t *testing.T) {
	rng := seeded(t)
	for _, k := range []int{0, 1, 2, 5, 33} {
		src, shift := uniform[float32](rng, k*Width, -1, 1), uniform[float32](rng, k, -1, 1)
		dst := make([]T, k*Width+1)
		Shift(dst, src, shift, k)
		for i := range k * Width {
			if want := T(src[i]) - T(shift[i/Width]); bitsOf(dst[i]) != bitsOf(want) {
				t.Fatalf("k=%d: element %d is %v, want %v", k, i, dst[i], want)
			}
		}
		if dst[k*Width] != 0 {
			t.Fatal("wrote past the end")
		}
	}
}

func TestGatherIsShift(t *testing.T) {
	each(t, testGather[float32], testGather[float64])
}

func testGather[T Real](t *testing.T) {
	rng := seeded(t)
	const k = 23
	src, shift := uniform[float32](rng, k*Width, -1, 1), uniform[float32](rng, k, -1, 1)
	all := make([]T, k*Width)
	Shift(all, src, shift, k)
	for n := range 9 {
		index := make([]int32, n)
		for i := range index {
			index[i] = int32(rng.IntN(k))
		}
		dst := make([]T, n*Width+1)
		Gather(dst, src, shift, index)
		for i, f := range index {
			sameBits(t, "feature", dst[i*Width:(i+1)*Width], all[int(f)*Width:(int(f)+1)*Width])
		}
		if dst[n*Width] != 0 {
			t.Fatal("wrote past the end")
		}
	}
}

func TestSquaresAreDots(t *testing.T) {
	each(t, testSquares[float32], testSquares[float64])
}

func testSquares[T Real](t *testing.T) {
	rng := seeded(t)
	for _, k := range []int{0, 1, 2, 33, 100} {
		a, x := uniform[T](rng, k*Rows, -1, 1), uniform[T](rng, k*Width, -1, 1)
		for f := range k {
			copy(x[f*Width+3:], a[f*Rows:(f+1)*Rows]) // the rows stand among the columns
		}
		dots, rows, columns := make([]T, tile), make([]T, Rows), make([]T, Width)
		Dot(dots, a, x, k)
		RowSquares(rows, a, k)
		ColumnSquares(columns, x, k)
		for r := range Rows {
			if d := dots[r*Width+3+r]; bitsOf(d) != bitsOf(rows[r]) || bitsOf(d) != bitsOf(columns[3+r]) {
				t.Fatalf("k=%d row %d: product %v, squares %v and %v", k, r, d, rows[r], columns[3+r])
			}
		}
	}
}

func TestCopyAhead(t *testing.T) {
	each(t, testCopyAhead[float32], testCopyAhead[float64])
}

func testCopyAhead[T Real](t *testing.T) {
	src, dst := uniform[T](seeded(t), Width, -1, 1), make([]T, Width+1)
	CopyAhead(dst[:Width], src)
	sameBits(t, "copy", dst[:Width], src)
	if dst[Width] != 0 {
		t.Fatal("wrote past the end")
	}
}

func TestSparseDot(t *testing.T) {
	each(t, testSparseDot[float32], testSparseDot[float64])
}

// testSparseDot compares with sums in double precision, and the square of a row with its product by its own column.
func testSparseDot[T Real](t *testing.T) {
	rng := seeded(t)
	const d = 300
	for _, n := range []int{0, 1, 2, 3, 4, 5, 17, 64, 290} {
		x := uniform[T](rng, d*Width, -1, 1)
		index, value := make([]int32, Padded(n)), make([]T, Padded(n))
		for e, f := range rng.Perm(d)[:n] {
			index[e], value[e] = int32(f), T(rng.Float64()-0.5)
		}
		const own = 5
		for f := range d {
			x[f*Width+own] = 0
		}
		for e, f := range index[:n] {
			x[int(f)*Width+own] = value[e]
		}
		if n > 0 && Padded(n) > n {
			index[n] = index[0] // padding may point anywhere
		}
		dst := uniform[T](rng, Width, -9, 9)
		SparseDot(dst, index, value, x)
		for j, got := range dst {
			want, size := 0.0, 0.0
			for e, v := range value {
				term := float64(v) * float64(x[int(index[e])*Width+j])
				want += term
				size += math.Abs(term)
			}
			if e := math.Abs(float64(got) - want); !(e <= float64(n+5)*epsilon[T]()*size+0x1p-50*size) {
				t.Fatalf("%d entries: column %d is %v, want %v", n, j, got, want)
			}
		}
		if square := SparseSquare(value); bitsOf(square) != bitsOf(dst[own]) {
			t.Fatalf("%d entries: square %v, product with itself %v", n, square, dst[own])
		}
	}
}

func BenchmarkSparseDot(b *testing.B) {
	const d, n = 784, 150
	rng := seeded(b)
	x, index, value, dst := uniform[float32](rng, d*Width, -1, 1), make([]int32, Padded(n)), make([]float32, Padded(n)), make([]float32, Width)
	for e := range index {
		index[e], value[e] = int32(e*d/len(index)), 1
	}
	entries, begin := 0, cpuTime()
	for b.Loop() {
		SparseDot(dst, index, value, x)
		entries += n
	}
	b.ReportMetric((cpuTime()-begin).Seconds()/float64(entries)*1e9, "ns/entry")
}

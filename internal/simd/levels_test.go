package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// each runs a test of both element types at every level this machine supports.
func each(t *testing.T, f32, f64 func(t *testing.T)) {
	t.Helper()
	for l := levelGo; l <= best(); l++ {
		t.Run(levelNames[l], func(t *testing.T) {
			defer use(l)()
			t.Run("float32", f32)
			t.Run("float64", f64)
		})
	}
}

// use switches to a level and returns what switches back.
func use(l level) func() {
	old := active
	active = l
	return func() { active = old }
}

// seeded returns a generator for the test, with its seed in the log.
func seeded(t testing.TB) *rand.Rand {
	const seed = 20240607
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// uniform returns n numbers between lo and hi.
func uniform[T Real](rng *rand.Rand, n int, lo, hi float64) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = T(lo + (hi-lo)*rng.Float64())
	}
	return s
}

// bitsOf is a number's representation, for comparisons that tell 0 from -0 and find not-a-number equal to itself.
func bitsOf[T Real](v T) uint64 {
	if is32[T]() {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(float64(v))
}

// sameBits fails the test at the first difference.
func sameBits[T Real](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i := range want {
		if bitsOf(got[i]) != bitsOf(want[i]) {
			t.Fatalf("%s: element %d is %v (%x), want %v (%x)", what, i, got[i], bitsOf(got[i]), want[i], bitsOf(want[i]))
		}
	}
}

// epsilon is the unit roundoff of T.
func epsilon[T Real]() float64 {
	if is32[T]() {
		return 0x1p-24
	}
	return 0x1p-53
}

func TestLevelNames(t *testing.T) {
	for _, c := range []struct {
		name string
		best level
		want level
	}{
		{"", levelAVX512, levelAVX512},
		{"avx512", levelAVX512, levelAVX512},
		{"avx2", levelAVX512, levelAVX2},
		{"go", levelAVX512, levelGo},
		{"avx512", levelAVX2, levelAVX2},
		{"avx512", levelGo, levelGo},
		{"avx2", levelGo, levelGo},
		{"AVX-512", levelAVX2, levelAVX2},
		{"go", levelGo, levelGo},
	} {
		if got := choose(c.name, c.best); got != c.want {
			t.Errorf("choose(%q, %s) = %s, want %s", c.name, levelNames[c.best], levelNames[got], levelNames[c.want])
		}
	}
	if Level() != levelNames[active] {
		t.Errorf("Level() = %s", Level())
	}
}

func TestNothingAllocated(t *testing.T) {
	each(t, testAllocations[float32], testAllocations[float64])
}

func testAllocations[T Real](t *testing.T) {
	pieces := somePieces[T](t, 0.125, 6)
	if n := testing.AllocsPerRun(10, func() {
		var a [Rows]T
		var x [Width]T
		var d, e [tile]T
		var g [Width]T
		var sum [tile - 1]float64
		var index [4]int32
		one := []float64{-1}
		var shift [1]float32
		var panel [Width]float32
		Dot(d[:], a[:], x[:], 1)
		Product(d[:], a[:], x[:], 1, e[:])
		Distance(d[:], a[:], x[:], 1, a[:], x[:], e[:])
		ChiSquare(e[:], a[:], x[:], 1)
		DistanceFromDot(d[:], a[:], x[:])
		Exp(e[:77], d[:77], -1)
		Tanh(e[:], d[:], 1, 0)
		Power(e[:], d[:], 1, 0, 3)
		AddRows(sum[:Width], e[:], a[:], 1)
		SquareRows(sum[:Width], e[:], a[:], 1)
		ExpRows(sum[:Width], e[:], a[:], one, one)
		ExpSum(d[:], e[:], one, one)
		Expm1(e[:77], d[:77], -1)
		Expm1Twice(e[:77], d[:77])
		Expm1TwiceRows(sum[:Width], e[:], a[:], 1)
		Expm1Rows(sum[:Width], e[:], a[:], one, one)
		Expm1Sum(d[:], e[:], one, one)
		AddScaled(d[:], e[:], 2)
		Combine(sum[:Width], sum[Width:2*Width], sum[2*Width:3*Width], one, one)
		ColumnSquares(g[:], x[:], 1)
		RowSquares(a[:], a[:], 1)
		CopyAhead(g[:], x[:])
		SparseDot(g[:], index[:], a[:4], x[:])
		a[0] = SparseSquare(a[:4])
		PairDots(g[:4], x[:], d[:Width], index[:], index[:], Width)
		AddTo(sum[:], e[1:], 1)
		Shift(g[:], panel[:], shift[:], 1)
		Gather(g[:], panel[:], shift[:], index[:1])
		pieces.Evaluate(e[:77], d[:77])
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestWrongLengthsPanic(t *testing.T) {
	s := func(n int) []float32 { return make([]float32, n) }
	f := func(n int) []float64 { return make([]float64, n) }
	for i, call := range []func(){
		func() { Dot(s(255), s(8), s(32), 1) },
		func() { Dot(s(256), s(7), s(32), 1) },
		func() { Dot(s(256), s(8), s(63), 2) },
		func() { Dot(s(256), s(8), s(32), -1) },
		func() { Dot(s(512), s(15), s(32), 1) },
		func() { Dot(s(256), s(8), s(32), math.MaxInt/4) },
		func() { DistanceFromDot(s(256), s(9), s(32)) },
		func() { Exp(s(3), s(4), 1) },
		func() { Power(s(4), s(4), 1, 1, 0) },
		func() { AddRows(f(32), s(33), s(1), 1) },
		func() { SquareRows(f(31), s(32), s(1), 1) },
		func() { ExpRows(f(32), s(32), s(1), f(2), f(2)) },
		func() { ExpSum(s(33), s(33), f(1), f(1)) },
		func() { AddScaled(s(16), s(16), 1) },
		func() { Combine(f(64), f(32), f(32), f(1), f(1)) },
		func() { Product(s(255), s(8), s(32), 1, nil) },
		func() { Distance(s(256), s(8), s(32), 1, s(7), s(32), nil) },
		func() { Distance(s(256), s(8), s(31), 1, s(8), s(32), nil) },
		func() { Product(s(512), s(8), s(32), 1, nil) },
		func() { Gather(s(32), s(64), s(2), make([]int32, 2)) },
		func() { ColumnSquares(s(31), s(32), 1) },
		func() { RowSquares(s(8), s(15), 2) },
		func() { CopyAhead(s(32), s(33)) },
		func() { SparseDot(s(32), make([]int32, 3), s(3), s(32)) },
		func() { SparseSquare(s(5)) },
		func() { PairDots(s(1), s(32), s(31), make([]int32, 1), make([]int32, 1), 32) },
		func() { PairDots(s(1), s(32), s(32), []int32{1}, make([]int32, 1), 32) },
		func() { PairDots(s(1), s(32), s(32), make([]int32, 1), []int32{-1}, 32) },
		func() { PairDots(s(1), s(31), s(31), make([]int32, 1), make([]int32, 1), 31) },
		func() { SteepestUp(f(9), f(9), f(8)) },
		func() { BestPartner(f(9), f(9), f(10), f(9), 1, 1, 1) },
		func() { MovePair(f(9), f(8), f(9), 1) },
		func() { AddTo(f(2), s(1), 1) },
		func() { Shift(s(32), s(32), s(0), 1) },
		func() { (&Pieces[float32]{Shift: 1, Octaves: 1, Coef: s(132)}).Evaluate(s(3), s(4)) },
		func() { (&Pieces[float32]{Shift: 1, Octaves: 1, Coef: s(131)}).Evaluate(s(4), s(4)) },
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

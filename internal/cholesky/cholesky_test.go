package cholesky

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// definite returns a random positive definite matrix of n rows.
func definite(n int, rng *rand.Rand) []float64 {
	g, a := make([]float64, n*n), make([]float64, n*n)
	for i := range g {
		g[i] = rng.NormFloat64()
	}
	m := blas64.General{Rows: n, Cols: n, Stride: n, Data: g}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, m, m, 0, blas64.General{Rows: n, Cols: n, Stride: n, Data: a})
	return a
}

// at is 0..n-1.
func at(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// onGoroutines is a Share in which every item has a goroutine.
func onGoroutines(items int, do func(item int)) {
	var group sync.WaitGroup
	for i := range items {
		group.Go(func() { do(i) })
	}
	group.Wait()
}

func TestFactorIsThatOfGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var f Factor // its memory is used again
	for _, n := range []int{1, 2, 31, 32, 33, 100, 257, 600, 64} {
		a, diagonal := definite(n, rng), make([]float64, n)
		for i := range diagonal {
			diagonal[i] = 0.1 + rng.Float64()
		}
		if !f.Factorise(a, n, at(n), diagonal, InTurn) {
			t.Fatalf("n = %d: not positive definite", n)
		}
		want := slices.Clone(a)
		for i, x := range diagonal {
			want[i*n+i] += x
		}
		u, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: want})
		if !ok {
			t.Fatalf("n = %d: gonum finds it indefinite", n)
		}
		got := make([]float64, n*n)
		f.Upper(got, n)
		for i := range n {
			for j := i; j < n; j++ {
				if x, y := got[i*n+j], u.Data[i*n+j]; math.Abs(x-y) > 1e-9*(math.Abs(y)+1) {
					t.Fatalf("n = %d: U[%d,%d] is %g, want %g", n, i, j, x, y)
				}
			}
		}
	}
}

func TestSolveOfAPart(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 40, 150} {
		a := definite(n, rng)
		var list []int
		for i := range n {
			if i%3 != 1 || n == 1 {
				list = append(list, i)
			}
		}
		diagonal, want, b := make([]float64, len(list)), make([]float64, len(list)), make([]float64, len(list))
		for k := range want {
			want[k], diagonal[k] = rng.NormFloat64(), 1
		}
		for k, i := range list {
			b[k] = want[k]
			for l, j := range list {
				b[k] += a[i*n+j] * want[l]
			}
		}
		var f Factor
		if !f.Factorise(a, n, list, diagonal, InTurn) {
			t.Fatal("not positive definite")
		}
		f.Solve(b)
		for k, x := range b {
			if math.Abs(x-want[k]) > 1e-9 {
				t.Errorf("n = %d: x[%d] is %g, want %g", n, k, x, want[k])
			}
		}
	}
}

func TestThreadsDoNotChangeBits(t *testing.T) {
	const n = 700
	a := definite(n, rand.New(rand.NewPCG(5, 6)))
	diagonal := make([]float64, n)
	for i := range diagonal {
		diagonal[i] = 1
	}
	var one, many Factor
	if !one.Factorise(a, n, at(n), diagonal, InTurn) || !many.Factorise(a, n, at(n), diagonal, onGoroutines) {
		t.Fatal("not positive definite")
	}
	for p := range one.panels {
		if !slices.Equal(one.panels[p], many.panels[p]) {
			t.Errorf("panel %d has other bits", p)
		}
	}
}

// TestOrderOfProducts: every number takes the products with the columns before it one after the other, so the first
// rows of a longer matrix have the bits of a shorter one, whose strips and chunks end elsewhere.
func TestOrderOfProducts(t *testing.T) {
	const n = 800
	a, diagonal := definite(n, rand.New(rand.NewPCG(8, 9))), make([]float64, n)
	for i := range diagonal {
		diagonal[i] = 1
	}
	var long, short Factor
	if !long.Factorise(a, n, at(n), diagonal, InTurn) {
		t.Fatal("not positive definite")
	}
	for _, m := range []int{32, 224, 480, 640} {
		if !short.Factorise(a, n, at(m), diagonal, InTurn) {
			t.Fatal("not positive definite")
		}
		for p := range m / side {
			if !slices.Equal(short.panels[p], long.panels[p]) {
				t.Errorf("%d rows: panel %d has other bits", m, p)
			}
		}
	}
}

func TestIndefinite(t *testing.T) {
	const n = 50
	a := definite(n, rand.New(rand.NewPCG(7, 8)))
	diagonal := make([]float64, n)
	diagonal[40] = -1e6
	var f Factor
	if f.Factorise(a, n, at(n), diagonal, InTurn) {
		t.Error("an indefinite matrix was factorised")
	}
	diagonal[40] = math.NaN()
	if f.Factorise(a, n, at(n), diagonal, InTurn) {
		t.Error("a matrix with a NaN was factorised")
	}
}

func BenchmarkFactorise(b *testing.B) {
	for _, n := range []int{1000, 2000, 5000} {
		a, diagonal := make([]float64, n*n), make([]float64, n)
		for i := range diagonal {
			diagonal[i] = 1
		}
		var f Factor
		list := at(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				f.Factorise(a, n, list, diagonal, InTurn)
			}
			b.ReportMetric(float64(b.N)*float64(n)*float64(n)*float64(n)/3e9/b.Elapsed().Seconds(), "Gflop/s")
		})
	}
}

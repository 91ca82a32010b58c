package kernels

import (
	"math"
	"slices"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/kernelstest"
	"bigmkl/internal/simd"
)

func testGram[T simd.Real](t *testing.T) {
	p := points(random(t, 7), 75, 5)
	s := p.survey(t)
	list := allKinds(nil, []int32{1, 4})
	for _, spherical := range []bool{false, true} {
		b := newBank(t, list, s, spherical)
		if !spherical {
			b.Scale = make([]float64, b.Len())
			for id := range b.Scale {
				b.Scale[id] = 0.5 + float64(id)
			}
		}
		for id := range b.Len() {
			want := evaluate[T](b, id, p, upTo(75))
			for k, threads := range []int{0, 1, 2, 5} {
				got := gramBy[T](t, b, id, p, GramRows>>k, threads)
				if len(got) != 75 {
					t.Fatalf("%d rows", len(got))
				}
				for i, row := range got {
					for j, v := range row {
						if w := want[min(i, j)][max(i, j)] * T(b.Factor(id)); bitsOf(v) != bitsOf(w) || len(row) != 75 {
							t.Fatalf("spherical %v, kernel %d, %d threads: entry %d, %d is %v, by Evaluator %v", spherical, id, threads, i, j, v, w)
						}
					}
				}
			}
		}
	}
}

// TestGram: rows in order, with the bits that Evaluator gives where the first point is the row, times
// the normaliser, however many rows are computed at a time.
func TestGram(t *testing.T) {
	t.Parallel()
	t.Run("float32", testGram[float32])
	t.Run("float64", testGram[float64])
}

// TestMatrix: kernels from a file, of either type, are its entries: in Gram, by single entries and in the normalisation.
func TestMatrix(t *testing.T) {
	t.Parallel()
	rng := random(t, 8)
	const n = 70
	p := points(rng, n, 2)
	for _, double := range []bool{false, true} {
		k := make([][]float64, n)
		for i := range k {
			k[i] = make([]float64, n)
			for j := range i + 1 {
				v, _ := kernelstest.Value(kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: 1}, nil, p.x[i], p.x[j], nil)
				k[i][j] = v + rng.Float64()/8
				if !double {
					k[i][j] = float64(float32(k[i][j]))
				}
				k[j][i] = k[i][j]
			}
		}
		list := &kernelspec.Bank{Files: []string{"other", "k"}, Kernels: []kernelspec.Kernel{
			{Kind: kernelspec.Precomputed, Set: kernelspec.AllFeatures}, {Kind: kernelspec.Precomputed, Set: kernelspec.AllFeatures, Index: 1},
		}}
		other := make([][]float64, n)
		for i := range other {
			other[i] = make([]float64, n)
			other[i][i] = 1
		}
		s := p.survey(t)
		b := newBank(t, list, s, false, kernelstest.MatrixFile(t, other, double), kernelstest.MatrixFile(t, k, double))
		sum, diagonal := 0.0, 0.0
		for i, row := range gram[float64](t, b, 1, p, 2) {
			diagonal += k[i][i] / n
			for j, v := range row {
				sum += k[i][j]
				if v != k[i][j] {
					t.Fatalf("entry %d, %d: %v, want %v", i, j, v, k[i][j])
				}
			}
		}
		for i, row := range gram[float32](t, b, 1, p, 1) {
			for j, v := range row {
				if v != float32(k[i][j]) {
					t.Fatalf("entry %d, %d: %v, want %v", i, j, v, float32(k[i][j]))
				}
			}
		}
		// Columns that do not lie side by side.
		e := NewEvaluator[float64](b)
		var rows Rows[float64]
		var cols Columns[float64]
		tile := make([]float64, BaseSize(2))
		e.PackRows(&rows, &b.Groups[1], &Set{IDs: []int32{5, 61}})
		e.PackColumns(&cols, &b.Groups[1], &Panel{Len: 3, IDs: []int32{69, 0, 33}}, n)
		e.Base(tile, &b.Groups[1], &rows, 0, 2, &cols, nil)
		if got := []float64{tile[0], tile[1], tile[2], tile[3], tile[simd.Width], tile[2*simd.Width]}; !slices.Equal(got, []float64{k[5][69], k[5][0], k[5][33], 0, k[61][69], 0}) {
			t.Errorf("entries %v", got)
		}
		r, err := b.normalize(t.Context(), p, s, nil, double, 2, 1, "")
		if err != nil {
			t.Fatal(err)
		}
		if want := 1 / (diagonal - sum/n/n); !(math.Abs(r.Scale[1]/want-1) <= 1e-5) {
			t.Errorf("double %v: scale %v, want %v", double, r.Scale[1], want)
		}
	}
}

// TestGramIsSymmetric: products of sparse points are summed in the order of the row's non-zeros, and
// what is left of a small distance between long vectors is mostly their rounding.
func TestGramIsSymmetric(t *testing.T) {
	t.Parallel()
	dense := scattered(random(t, 9), 150, 150, 12)
	p := nonzeroTable{dense}
	s, err := Survey(t.Context(), p, dense.mean(), 1)
	if err != nil {
		t.Fatal(err)
	}
	b := newBank(t, allKinds(nil, []int32{1, 4}), s, false)
	differ := false
	for id := range b.Len() {
		k := gram[float32](t, b, id, p, 2)
		direct := evaluate[float32](b, id, p, upTo(150))
		for i := range k {
			for j := range i {
				differ = differ || direct[i][j] != direct[j][i]
				if bitsOf(k[i][j]) != bitsOf(k[j][i]) {
					t.Fatalf("kernel %d: entry %d, %d is %v, entry %d, %d is %v", id, i, j, k[i][j], j, i, k[j][i])
				}
			}
		}
	}
	if !differ {
		t.Error("the evaluator gives symmetric matrices here: the test shows nothing")
	}
}

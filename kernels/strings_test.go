package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/kernelstest"
	"bigmkl/internal/simd"
	"bigmkl/internal/testlevel"
)

// sequencesOf draws n sequences of up to d letters, some of them unknown, that have words in common.
func sequencesOf(rng *rand.Rand, a dataset.Alphabet, n, d int) *table {
	p := &table{d: d}
	letter := func() float32 {
		if rng.IntN(12) == 0 {
			return 0
		}
		if a == dataset.DNA {
			return float32(1 + rng.IntN(4))
		}
		return float32([]byte("AMWY\xff")[rng.IntN(5)])
	}
	for i := range n {
		x := make([]float32, d)
		for j := range d - rng.IntN(d/2) {
			x[j] = letter()
		}
		if i > 0 && i%2 == 0 { // a part of another one, moved
			s := rng.IntN(4)
			copy(x[s+rng.IntN(d/2):], p.x[i-1][:d/2+s])
		}
		if i%7 == 3 {
			copy(x, p.x[i-1])
		}
		p.x = append(p.x, x)
	}
	return p
}

// stringBank is string kernels of all sorts over all positions and two sets of them.
func stringBank(a dataset.Alphabet, d int) *kernelspec.Bank {
	b := &kernelspec.Bank{Letters: a, Sets: [][]int32{nil, nil}, SetViews: []string{"", ""}}
	for j := range int32(d) {
		if j > 2 && j < int32(d)-5 {
			b.Sets[0] = append(b.Sets[0], j)
		}
		if j%9 != 4 {
			b.Sets[1] = append(b.Sets[1], j)
		}
	}
	for set := int32(kernelspec.AllFeatures); set < 2; set++ {
		for _, k := range []kernelspec.Kernel{
			{Kind: kernelspec.Spectrum, Degree: 1}, {Kind: kernelspec.Spectrum, Degree: 3}, {Kind: kernelspec.Spectrum, Degree: 6}, {Kind: kernelspec.Spectrum, Degree: 8},
			{Kind: kernelspec.Spectrum, Degree: 7}, {Kind: kernelspec.Spectrum, Degree: 12}, {Kind: kernelspec.Spectrum, Degree: 32}, {Kind: kernelspec.Spectrum, Degree: 3, Mismatches: 1},
			{Kind: kernelspec.Spectrum, Degree: 4, Mismatches: 2}, {Kind: kernelspec.Spectrum, Degree: 7, Mismatches: 1}, {Kind: kernelspec.Spectrum, Degree: 9, Mismatches: 1},
			{Kind: kernelspec.WeightedDegree, Degree: 1}, {Kind: kernelspec.WeightedDegree, Degree: 20}, {Kind: kernelspec.WeightedDegree, Degree: 5}, {Kind: kernelspec.WeightedDegree, Degree: 5},
			{Kind: kernelspec.WeightedDegree, Degree: 200}, {Kind: kernelspec.WeightedDegree, Degree: 8, Shift: 1}, {Kind: kernelspec.WeightedDegree, Degree: 3, Shift: 1},
			{Kind: kernelspec.WeightedDegree, Degree: 4, Shift: 70}, {Kind: kernelspec.WeightedDegree, Degree: 6, Shift: 9},
		} {
			if k.Kind == kernelspec.Spectrum && a != dataset.DNA && (k.Mismatches > 0 || k.Degree > 8) {
				continue
			}
			k.Set = set
			b.Kernels = append(b.Kernels, k)
		}
	}
	return b
}

func testStrings[T simd.Real](t *testing.T, a dataset.Alphabet, slack float64, d int) {
	const n = 36
	rng, compared := random(t, 31), 18 // one row in so many with the definition
	if testlevel.Reached(testlevel.ManyTimes) {
		compared = 9
	}
	p := sequencesOf(rng, a, n, d)
	list := stringBank(a, d)
	dense := newBank(t, list, p.survey(t), false)
	q := nonzeroTable{p}
	thin := newBank(t, list, Shape{Features: d, Shift: make([]float32, d), Sparse: true, Square32: make([]float32, n), Square64: make([]float64, n)}, false)
	if want := 9; len(dense.Groups) > 5*3 || len(dense.Groups) < want {
		t.Fatalf("%d groups", len(dense.Groups))
	}
	for id, k := range list.Kernels {
		if d > 64 && !testlevel.Diagonal(t, id, 0, 3, 1) {
			continue
		}
		got, again := gram[T](t, dense, id, p, 2), gram[T](t, thin, id, q, 1)
		largest := 0.0
		for i := range n {
			largest = max(largest, float64(got[i][i]))
		}
		for i := range n {
			for j := range n {
				if got[i][j] != again[i][j] || got[i][j] != got[j][i] {
					t.Fatalf("%s: entry %d, %d is %v, from sparse points %v, the other way round %v", list.Describe(id), i, j, got[i][j], again[i][j], got[j][i])
				}
				if i%compared != 1 {
					continue
				}
				want := kernelstest.StringValue(k, list.Features(k.Set), p.x[i], p.x[j])
				if k.Kind == kernelspec.Spectrum && float64(got[i][j]) != want || math.Abs(float64(got[i][j])-want) > slack*want {
					t.Fatalf("%s of %d letters: entry %d, %d is %v, by definition %v", list.Describe(id), d, i, j, got[i][j], want)
				}
			}
		}
		if !dense.Definite(id) {
			t.Errorf("%s is not called definite", list.Describe(id))
		}
		if least := leastEigenvalue(got); least < -1e-6*largest {
			t.Errorf("%s: an eigenvalue of %g, of a diagonal up to %g", list.Describe(id), least, largest)
		}
	}
}

func leastEigenvalue[T simd.Real](k [][]T) float64 {
	n := len(k)
	m := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			m.SetSym(i, j, float64(k[i][j]))
		}
	}
	var e mat.EigenSym
	e.Factorize(m, false)
	return e.Values(nil)[0]
}

// TestStrings: string kernels are what they are defined to be, from points of either form, symmetric and positive semi-definite.
func TestStrings(t *testing.T) {
	t.Parallel()
	for i, a := range []dataset.Alphabet{dataset.DNA, dataset.Bytes} {
		t.Run(string(a)+" in float32", func(t *testing.T) { testStrings[float32](t, a, 2e-7, 14) })
		for j, d := range []int{14, 130} {
			if testlevel.Diagonal(t, i, j, 2, 1) {
				t.Run(fmt.Sprintf("%d %s in float64", d, a), func(t *testing.T) { testStrings[float64](t, a, 1e-12, d) })
			}
		}
	}
}

// TestStringTiles: values do not depend on the places of points in tiles, on what rows are packed with, or on which kernels share a
// group; and Sum, Mix and the diagonal agree with Transform.
func TestStringTiles(t *testing.T) {
	t.Parallel()
	rng := random(t, 32)
	const n, d = 50, 90
	p := sequencesOf(rng, dataset.DNA, n, d)
	list := stringBank(dataset.DNA, d)
	all := newBank(t, list, p.survey(t), true)
	for id, k := range list.Kernels {
		if !testlevel.Diagonal(t, id, 0, 3, 1) {
			continue
		}
		alone := *list
		alone.Kernels = []kernelspec.Kernel{k}
		one := newBank(t, &alone, p.survey(t), true)
		a, b := gram[float64](t, all, id, p, 2), gram[float64](t, one, 0, p, 2)
		want := evaluate[float64](all, id, p, upTo(n))
		for i := range n {
			for j := range n {
				if a[i][j] != b[i][j] || a[i][j] != want[i][j] {
					t.Fatalf("%s: entry %d, %d is %v, without other kernels %v, by Evaluator %v", list.Describe(id), i, j, a[i][j], b[i][j], want[i][j])
				}
			}
		}
	}
}

// TestAlignStrings: the sums of Align agree with whole matrices, from points of either form, whatever the threads.
func TestAlignStrings(t *testing.T) {
	t.Parallel()
	n, d := 40, 40
	if testlevel.Reached(testlevel.EveryKind) {
		n = 70
	}
	p := sequencesOf(random(t, 33), dataset.DNA, n, d)
	list, classes := stringBank(dataset.DNA, d), make([]int32, n)
	for i := range classes {
		classes[i] = int32(i % 2)
	}
	for i, spherical := range []bool{false, true} {
		b := newBank(t, list, p.survey(t), spherical)
		var all [][][]float64
		for id := range list.Kernels {
			all = append(all, gram[float64](t, b, id, p, 2))
		}
		for j, plain := range []bool{false, true} {
			if !testlevel.Diagonal(t, i, j, 2, 1) {
				continue
			}
			o := AlignOptions{Plain: plain, Classes: classes}
			got, err := Matrices{b, p}.Align(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "whole matrices", got, frobenius(append(slices.Clone(all), labelGram(classes)), !plain), 1e-9)
			for o.Threads = range 4 {
				if !testlevel.Diagonal(t, 0, o.Threads, 2, 1) {
					continue
				}
				again, err := Matrices{b, nonzeroTable{p}}.Align(t.Context(), o)
				if err != nil || !slices.Equal(again, got) {
					t.Errorf("other bits from sparse points, %d threads: %v", o.Threads, err)
				}
			}
		}
	}
}

// TestNeighbours: every word within so many letters is listed once.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	for k := 1; k <= 6; k++ {
		for m := range k {
			seen := map[uint64]bool{}
			for _, d := range neighbours(k, m) {
				letters := 0
				for x := d; x > 0; x >>= 2 {
					if x&3 != 0 {
						letters++
					}
				}
				if letters > m || d>>(2*k) != 0 || seen[d] {
					t.Errorf("%d letters, %d mismatches: difference %x", k, m, d)
				}
				seen[d] = true
			}
			if len(seen) != kernelspec.Neighbours(k, m) {
				t.Errorf("%d letters, %d mismatches: %d words, not %d", k, m, len(seen), kernelspec.Neighbours(k, m))
			}
		}
	}
}

package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bigmkl/dataset"
	"bigmkl/internal/simd"
	"bigmkl/kernelspec"
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

// laidOut is the letters of a sequence at the positions of a set, with a gap where these do not lie side by side.
func laidOut(x []float32, set []int32) []float32 {
	if set == nil {
		return x
	}
	var out []float32
	for i, j := range set {
		if i > 0 && j != set[i-1]+1 {
			out = append(out, 0)
		}
		out = append(out, x[j])
	}
	return out
}

// differences is in how many letters the words of k letters of x from i on and of z from j on differ; ok tells whether there are
// such words, of known letters alone.
func differences(x, z []float32, i, j, k int) (int, bool) {
	if i < 0 || j < 0 || i+k > len(x) || j+k > len(z) {
		return 0, false
	}
	n := 0
	for e := range k {
		if x[i+e] == 0 || z[j+e] == 0 {
			return 0, false
		}
		if x[i+e] != z[j+e] {
			n++
		}
	}
	return n, true
}

// shared is the number of words within m letters of both of two words of k letters of DNA that differ in n: of the letters in
// which they differ, a word has that of the first in some, that of the second in others and another one in the rest.
func shared(k, m, n int) float64 {
	count := 0.0
	choose := func(n, k int) float64 { return math.Round(math.Exp(lgamma(n) - lgamma(k) - lgamma(n-k))) }
	for both := 0; both <= k-n; both++ {
		for first := 0; first <= n; first++ {
			for second := 0; second <= n-first; second++ {
				rest := n - first - second
				if both+rest+second <= m && both+rest+first <= m {
					count += choose(k-n, both) * math.Pow(3, float64(both)) * choose(n, first) * choose(n-first, second) * math.Pow(2, float64(rest))
				}
			}
		}
	}
	return count
}

func lgamma(n int) float64 { v, _ := math.Lgamma(float64(n + 1)); return v }

// stringValue is a string kernel by its definition.
func stringValue(k kernelspec.Kernel, set []int32, x, z []float32) float64 {
	x, z = laidOut(x, set), laidOut(z, set)
	sum := 0.0
	if k.Kind == kernelspec.Spectrum {
		var words [300]float64 // by the number of letters in which two words differ
		for n := range min(k.Degree, 2*int(k.Mismatches)) + 1 {
			words[n] = shared(k.Degree, int(k.Mismatches), n)
		}
		for i := range x {
			for j := range z {
				if n, ok := differences(x, z, i, j, k.Degree); ok {
					sum += words[n]
				}
			}
		}
		return sum
	}
	for d := 1; d <= min(k.Degree, len(x)); d++ {
		beta := 2 * float64(k.Degree-d+1) / float64(k.Degree*(k.Degree+1))
		for i := range x {
			for s := 0; s <= int(k.Shift); s++ {
				for _, at := range [2]int{i + s, i - s} {
					if n, ok := differences(x, z, i, at, d); ok && n == 0 {
						sum += beta / (2 * float64(s+1))
					}
				}
			}
		}
	}
	return sum
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

func testStrings[T simd.Real](t *testing.T, a dataset.Alphabet, slack float64, lengths ...int) {
	const n = 36
	rng := random(t, 31)
	for _, d := range lengths {
		p := sequencesOf(rng, a, n, d)
		list := stringBank(a, d)
		dense := newBank(t, list, p.survey(t), false)
		q := nonzeroTable{p}
		thin := newBank(t, list, Shape{Features: d, Shift: make([]float32, d), Sparse: true, Square32: make([]float32, n), Square64: make([]float64, n)}, false)
		if want := 9; len(dense.Groups) > 5*3 || len(dense.Groups) < want {
			t.Fatalf("%d groups", len(dense.Groups))
		}
		for id, k := range list.Kernels {
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
					if i%9 != 1 {
						continue
					}
					want := stringValue(k, list.Features(k.Set), p.x[i], p.x[j])
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
	for _, a := range []dataset.Alphabet{dataset.DNA, dataset.Bytes} {
		t.Run(string(a)+" in float32", func(t *testing.T) { testStrings[float32](t, a, 2e-7, 14) })
		t.Run(string(a)+" in float64", func(t *testing.T) { testStrings[float64](t, a, 1e-12, 14, 130) })
	}
}

// TestStringTiles: values do not depend on where points stand in tiles, on what rows are packed with, or on which kernels share a
// group; and Sum, Mix and the diagonal are those of Transform.
func TestStringTiles(t *testing.T) {
	rng := random(t, 32)
	const n, d = 50, 90
	p := sequencesOf(rng, dataset.DNA, n, d)
	list := stringBank(dataset.DNA, d)
	all := newBank(t, list, p.survey(t), true)
	for id, k := range list.Kernels {
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

// TestAlignStrings: the sums of Align are those of whole matrices, from points of either form, whatever the threads.
func TestAlignStrings(t *testing.T) {
	const n, d = 70, 40
	p := sequencesOf(random(t, 33), dataset.DNA, n, d)
	list, classes := stringBank(dataset.DNA, d), make([]int32, n)
	for i := range classes {
		classes[i] = int32(i % 2)
	}
	for _, spherical := range []bool{false, true} {
		b := newBank(t, list, p.survey(t), spherical)
		var all [][][]float64
		for id := range list.Kernels {
			all = append(all, gram[float64](t, b, id, p, 2))
		}
		for _, plain := range []bool{false, true} {
			o := AlignOptions{Plain: plain, Classes: classes}
			got, err := Align(t.Context(), b, p, o)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "whole matrices", got, frobenius(append(slices.Clone(all), labelGram(classes)), !plain), 1e-9)
			for o.Threads = range 4 {
				again, err := Align(t.Context(), b, nonzeroTable{p}, o)
				if err != nil || !slices.Equal(again, got) {
					t.Errorf("other bits from sparse points, %d threads: %v", o.Threads, err)
				}
			}
		}
	}
}

// TestNeighbours: every word within so many letters is listed once.
func TestNeighbours(t *testing.T) {
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

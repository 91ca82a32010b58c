package kernels

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/kernelstest"
	"bigmkl/internal/testlevel"
)

// frobenius is Align by its definition, from whole matrices in float64.
func frobenius(gram [][][]float64, centred bool) []float64 {
	side := len(gram)
	if centred {
		for m, k := range gram {
			n := len(k)
			rows, all := make([]float64, n), 0.0
			for i := range k {
				for _, v := range k[i] {
					rows[i] += v / float64(n)
				}
				all += rows[i] / float64(n)
			}
			c := make([][]float64, n)
			for i := range k {
				c[i] = make([]float64, n)
				for j := range k {
					c[i][j] = k[i][j] - rows[i] - rows[j] + all
				}
			}
			gram[m] = c
		}
	}
	out := make([]float64, side*side)
	for a := range side {
		for b := range a + 1 {
			for i := range gram[a] {
				for j, v := range gram[a][i] {
					out[a*side+b] += v * gram[b][i][j]
				}
			}
			out[b*side+a] = out[a*side+b]
		}
	}
	return out
}

// grams gives the matrices of all kernels by their definition, and the matrix of the labels.
func grams(list *kernelspec.Bank, p *table, classes []int32, spherical bool) [][][]float64 {
	n := len(p.x)
	var all [][][]float64
	for _, k := range list.Kernels {
		var set []int32
		if k.Set >= 0 {
			set = list.Sets[k.Set]
		}
		m := make([][]float64, n)
		for i := range m {
			m[i] = make([]float64, n)
			for j := range i + 1 {
				m[i][j], _ = kernelstest.Value(k, set, p.x[i], p.x[j], nil)
				m[j][i] = m[i][j]
			}
		}
		if spherical {
			var norm []float64
			for i := range m {
				norm = append(norm, math.Sqrt(m[i][i]))
			}
			for i := range m {
				for j := range m {
					m[i][j] /= norm[i] * norm[j]
				}
			}
		}
		all = append(all, m)
	}
	return append(all, labelGram(classes))
}

// labelGram is the matrix of the labels' kernel.
func labelGram(classes []int32) [][]float64 {
	n, count := len(classes), int(slices.Max(classes))+1
	labels := make([][]float64, n)
	for i := range labels {
		labels[i] = make([]float64, n)
		for j := range labels[i] {
			for c := range count {
				a, b := 1.0, 1.0
				if int(classes[i]) != c {
					a = -1
				}
				if int(classes[j]) != c {
					b = -1
				}
				labels[i][j] += a * b / float64(count)
			}
		}
	}
	return labels
}

// near compares products of kernels, relative to the norms of the two.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	side := int(math.Sqrt(float64(len(want))))
	for a := range side {
		for b := range side {
			scale := math.Sqrt(want[a*side+a] * want[b*side+b])
			if diff := math.Abs(got[a*side+b] - want[a*side+b]); !(diff <= tolerance*scale) {
				t.Errorf("%s: kernels %d and %d: %v, want %v", what, a, b, got[a*side+b], want[a*side+b])
			}
		}
	}
}

// TestAlign compares the streamed sums with whole matrices, and their bits for several threads.
func TestAlign(t *testing.T) {
	t.Parallel()
	rng := random(t, 31)
	for _, c := range []struct{ n, classes int }{{1, 1}, {2, 2}, {31, 2}, {100, 2}, {161, 3}, {70, 5}} {
		p := points(rng, c.n, 5)
		classes := make([]int32, c.n)
		for i := range classes {
			classes[i] = int32(i % c.classes)
		}
		list := allKinds(nil, []int32{1, 4}, []int32{0, 1, 2}, []int32{2, 3, 4})
		for _, spherical := range []bool{false, true} {
			if spherical { // what may be 0 or negative has no spherical normalisation
				list.Kernels = slices.DeleteFunc(list.Kernels, func(k kernelspec.Kernel) bool {
					return k.Kind == kernelspec.Sigmoid || k.Kind == kernelspec.Intersection || k.Kind == kernelspec.Linear
				})
			}
			b := newBank(t, list, p.survey(t), spherical)
			b.Plain()
			all := grams(list, p, classes, spherical)
			for _, plain := range testlevel.Some(t, strconv.FormatBool(spherical)+strconv.Itoa(c.n), 1, []bool{false, true}) {
				want := frobenius(slices.Clone(all), !plain)
				var first []float64
				for _, threads := range []int{0, 1, 2, 5} {
					got, err := Matrices{b, p}.Align(t.Context(), AlignOptions{Plain: plain, Classes: classes, Threads: threads})
					if err != nil {
						t.Fatal(err)
					}
					if first == nil {
						first = got
						if c.n > 1 || plain {
							near(t, "whole matrices", got, want, 1e-9)
						}
					}
					if !slices.Equal(got, first) {
						t.Fatalf("n = %d: %d threads give other bits", c.n, threads)
					}
				}
				all, err := Matrices{b, p}.Align(t.Context(), AlignOptions{Sample: c.n, Plain: plain, Classes: classes})
				if err != nil || !slices.Equal(all, first) {
					t.Fatalf("a sample of all points gives other sums: %v", err)
				}
			}
		}
	}
}

// TestAlignShift: kernels that are centred as training has them have the same centred sums, and one that is nearly constant keeps
// its digits.
func TestAlignShift(t *testing.T) {
	t.Parallel()
	p := points(random(t, 32), 90, 5)
	for _, x := range p.x {
		for j := range x {
			x[j] += 50
		}
	}
	classes := make([]int32, 90)
	for i := range classes {
		classes[i] = int32(i % 2)
	}
	// exp(-g|x-z|^2) = 1 - g|x-z|^2 for a small g, which centred is 2g x'z.
	list := &kernelspec.Bank{Kernels: []kernelspec.Kernel{{Kind: kernelspec.Linear, Set: kernelspec.AllFeatures}, {Kind: kernelspec.Gauss, Gamma: 1e-9, Set: kernelspec.AllFeatures}}}
	s := p.survey(t)
	b := newBank(t, list, s, false)
	centred, err := Matrices{b, p}.Align(t.Context(), AlignOptions{Classes: classes})
	if err != nil {
		t.Fatal(err)
	}
	if a := centred[1] / math.Sqrt(centred[0]*centred[4]); math.Abs(a-1) > 1e-6 {
		t.Errorf("a wide Gaussian and the linear kernel: 1 - %g", 1-a)
	}
	b.Plain()
	plain, err := Matrices{b, p}.Align(t.Context(), AlignOptions{Classes: classes})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "centred features", centred, plain, 1e-6)
	sample := AlignOptions{Classes: classes, Sample: 20, Scratch: t.TempDir()}
	if plain, err = (Matrices{b, p}).Align(t.Context(), sample); err != nil {
		t.Fatal(err)
	}
	if centred, err = (Matrices{newBank(t, list, s, false), p}).Align(t.Context(), sample); err != nil {
		t.Fatal(err)
	}
	near(t, "centred features in a sample", centred, plain, 1e-6)
}

// TestAlignConstant: a kernel without variance has no product with itself.
func TestAlignConstant(t *testing.T) {
	t.Parallel()
	p := points(random(t, 33), 70, 3)
	for _, x := range p.x {
		x[1] = 0.3
	}
	list := &kernelspec.Bank{Sets: [][]int32{{1}}, SetViews: []string{""}, Kernels: []kernelspec.Kernel{
		{Kind: kernelspec.Linear, Set: 0}, {Kind: kernelspec.Poly, Gamma: 1, Coef: 1, Degree: 3, Set: 0}, {Kind: kernelspec.Gauss, Gamma: 2, Set: 0}, {Kind: kernelspec.Linear, Set: kernelspec.AllFeatures}}}
	b := newBank(t, list, p.survey(t), false)
	for _, linear := range []string{"centred", "plain"} {
		got, err := Matrices{b, p}.Align(t.Context(), AlignOptions{Classes: make([]int32, 70)})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []int{0, 1, 2, 4} { // 4: labels of one class
			if got[m*5+m] != 0 {
				t.Errorf("%s features: kernel %d has a product of %g with itself", linear, m, got[m*5+m])
			}
		}
		b.Plain()
	}
}

// TestAlignSample: the mean over samples is close to the sums over all points, for narrow kernels too, of which a sample's
// own diagonal would make something else.
func TestAlignSample(t *testing.T) {
	t.Parallel()
	rng := random(t, 34)
	const n, draws = 600, 40
	p := points(rng, n, 4)
	classes := make([]int32, n)
	for i := range classes {
		if p.x[i][0] > 1 {
			classes[i] = 1
		}
	}
	list := &kernelspec.Bank{Kernels: []kernelspec.Kernel{
		{Kind: kernelspec.Gauss, Gamma: 200, Set: kernelspec.AllFeatures}, {Kind: kernelspec.Gauss, Gamma: 1, Set: kernelspec.AllFeatures}, {Kind: kernelspec.Linear, Set: kernelspec.AllFeatures}}}
	b := newBank(t, list, p.survey(t), false)
	for _, plain := range []bool{false, true} {
		want, err := Matrices{b, p}.Align(t.Context(), AlignOptions{Plain: plain, Classes: classes})
		if err != nil {
			t.Fatal(err)
		}
		mean := make([]float64, len(want))
		for seed := range draws {
			got, err := Matrices{b, p}.Align(t.Context(), AlignOptions{Sample: 100, Seed: uint64(seed), Plain: plain, Classes: classes, Scratch: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				mean[i] += v / draws
			}
			for i := range 4 {
				for j := range i {
					if !(got[i*4+j]*got[i*4+j] <= got[i*4+i]*got[j*4+j]*(1+1e-12)) {
						t.Errorf("an alignment beyond 1")
					}
				}
			}
		}
		near(t, "samples", mean, want, 0.05)
	}
}

package gradient

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
	"bigmkl/internal/testlevel"
	"bigmkl/kernels"
)

// function makes f of some support vectors of the bank's points, and the columns of all points.
func (b *bank) function(ids []int32, alpha, theta []float64, threads int) (*Function, Columns) {
	f := &Function{Bank: b.Bank, Outputs: []Output{{Theta: theta, Alpha: alpha}}, Threads: threads, Points: &kernels.Set{}}
	f.Points.Gather(b.points, ids)
	c := Columns{Len: len(b.points.x)}
	var all kernels.Set
	for i := range b.points.x {
		all.IDs = append(all.IDs, int32(i))
	}
	all.Gather(b.points, all.IDs)
	for from := 0; from < c.Len; from += simd.Width {
		c.Panels = append(c.Panels, all.Panel(from, &kernels.PanelBuffer{}))
	}
	return f, c
}

// TestValues compares Function.Values with the definition, with few support vectors of every bank and with more than are packed
// at a time.
func TestValues(t *testing.T) {
	t.Parallel()
	rng := random(t, 1)
	for _, b := range banks(t, rng, 75) {
		testValues(t, rng, b, 0, 1, 70)
	}
	for _, b := range drawn(t, banks(t, rng, decisionRows+44)) {
		testValues(t, rng, b, 77, decisionRows+34)
	}
}

// drawn are the banks that a run takes for what is the same in all of them.
func drawn(t *testing.T, list []*bank) (some []*bank) {
	for i, b := range list {
		if testlevel.Diagonal(t, i, 0, 8, 3) {
			some = append(some, b)
		}
	}
	return some
}

func testValues(t *testing.T, rng *rand.Rand, b *bank, supports ...int) {
	n := len(b.points.x)
	for _, support := range supports {
		var ids []int32
		for _, i := range subset(rng, n, support) {
			ids = append(ids, int32(i))
		}
		alpha, theta := normals(rng, support), make([]float64, b.Len())
		for m := range theta {
			theta[m] = float64(rng.IntN(3)) * rng.Float64()
		}
		for _, files := range []bool{true, false} {
			want, size := make([]float64, n), 0.0
			for m, k := range b.k() {
				if !files && b.list.Kernels[m].Kind == kernelspec.Precomputed {
					continue
				}
				for a, i := range ids {
					size += theta[m] * b.size()[m] * math.Abs(alpha[a])
					for j := range want {
						want[j] += theta[m] * alpha[a] * k[int(i)*n+j]
					}
				}
			}
			for _, double := range []bool{false, true} {
				var first []float64
				for _, threads := range []int{1, 0, 3} {
					f, c := b.function(ids, alpha, theta, threads)
					if !files {
						for p := range c.Panels {
							c.Panels[p].IDs = nil
						}
					}
					out := normals(rng, n)
					if err := f.Values(t.Context(), c, double, out); err != nil {
						t.Fatal(err)
					}
					eps := 2e-5
					if double {
						eps = 1e-13
					}
					for j, got := range out {
						if !(math.Abs(got-want[j]) <= eps*size) {
							t.Fatalf("%s, %d support vectors, double %v: f(x_%d) = %v, want %v", b.name, support, double, j, got, want[j])
						}
					}
					if first == nil {
						first = out
					}
					if !slices.Equal(out, first) {
						t.Errorf("%s, double %v: %d threads change the bits", b.name, double, threads)
					}
				}
			}
		}
	}
}

// TestOutputs: several functions of the same support vectors, of which each has some, are what each is alone.
func TestOutputs(t *testing.T) {
	t.Parallel()
	rng := random(t, 9)
	for _, b := range banks(t, rng, 75) {
		testOutputs(t, rng, b, 70, 0, 1, 50, 33)
	}
	for _, b := range drawn(t, banks(t, rng, decisionRows+44)) {
		testOutputs(t, rng, b, decisionRows+34, 0, 1, 150, 77)
	}
}

// testOutputs has functions of so many support vectors, the first of all.
func testOutputs(t *testing.T, rng *rand.Rand, b *bank, sizes ...int) {
	n := len(b.points.x)
	var ids []int32
	for _, i := range subset(rng, n, sizes[0]) {
		ids = append(ids, int32(i))
	}
	f, c := b.function(ids, nil, nil, 2)
	f.Outputs = nil
	var alone []*Function
	for _, size := range sizes {
		o := Output{Theta: make([]float64, b.Len()), Alpha: normals(rng, size)}
		for m := range o.Theta {
			o.Theta[m] = float64(rng.IntN(2)) * rng.Float64()
		}
		var own []int32
		if size < len(ids) {
			o.Rows = []int32{}
		}
		places := subset(rng, len(ids), size)
		slices.Sort(places)
		for _, at := range places {
			own = append(own, ids[at])
			if o.Rows != nil {
				o.Rows = append(o.Rows, int32(at))
			}
		}
		f.Outputs = append(f.Outputs, o)
		one, _ := b.function(own, o.Alpha, o.Theta, 1)
		alone = append(alone, one)
	}
	for _, double := range []bool{false, true} {
		out, want := normals(rng, n*len(f.Outputs)), make([]float64, n)
		if err := f.Values(t.Context(), c, double, out); err != nil {
			t.Fatal(err)
		}
		for k, one := range alone {
			if err := one.Values(t.Context(), c, double, want); err != nil {
				t.Fatal(err)
			}
			size, eps := 0.0, 1e-5
			if double {
				eps = 1e-13
			}
			for _, a := range one.Outputs[0].Alpha {
				for m, theta := range one.Outputs[0].Theta {
					size += math.Abs(a) * theta * b.size()[m]
				}
			}
			for j, w := range want {
				if got := out[k*n+j]; !(math.Abs(got-w) <= eps*size) {
					t.Fatalf("%s, output %d, double %v: f(x_%d) = %v, alone %v", b.name, k, double, j, got, w)
				}
			}
		}
	}
}

// rounding makes the gradient of a random alpha that sums to zero and gives the largest difference between its combined
// gradient and what Afresh computes, and the largest value. Afresh itself must agree with the definition.
func rounding(t *testing.T, b *bank, support, sample int, double bool) (off, size float64) {
	t.Helper()
	rng := random(t, 5)
	n := len(b.points.x)
	gr := newGradient(t, b, Options{Threads: 2, Memory: 1 << 30})
	alpha, theta := make([]float64, n), make([]float64, b.Len())
	sum, total := 0.0, 0.0
	set := subset(rng, n, support)
	for _, i := range set {
		alpha[i] = rng.NormFloat64()
		sum += alpha[i]
	}
	for _, i := range set {
		alpha[i] -= sum / float64(len(set))
		total += math.Abs(alpha[i])
	}
	for m := range theta {
		theta[m] = float64(m % 3)
	}
	theta[0] = 1
	if err := gr.Rebuild(t.Context(), alpha, double); err != nil {
		t.Fatal(err)
	}
	combined, v := make([]float64, n), make([]float64, b.Len())
	if err := gr.Pass(t.Context(), nil, nil, alpha, theta, combined, v); err != nil {
		t.Fatal(err)
	}
	at := subset(rng, n, sample)
	exact, err := gr.Afresh(t.Context(), at, alpha, theta)
	if err != nil || len(exact) != len(at) {
		t.Fatal(len(exact), err)
	}
	for k, i := range at {
		want, allowed := 0.0, 0.0
		for m, matrix := range b.k() {
			allowed += 1e-13 * theta[m] * b.size()[m] * total
			for j, c := range alpha {
				want += theta[m] * matrix[i*n+j] * c
			}
		}
		if !(math.Abs(exact[k]-want) <= allowed) {
			t.Fatalf("afresh, point %d has %v, want %v", i, exact[k], want)
		}
		off, size = max(off, math.Abs(exact[k]-combined[i])), max(size, math.Abs(want))
	}
	deviations(t, b, gr, at, alpha, total)
	return off, size
}

// deviations checks the deviations of all kernels at some points: with the held values they add up to the definition. Linear kernels, whose
// gradients are not what their V_m is made of, have none.
func deviations(t *testing.T, b *bank, gr *Gradient, at []int, alpha []float64, total float64) {
	t.Helper()
	n, count := len(alpha), b.Len()
	d, e, factor, row := make([]float64, len(at)), make([]float64, count), make([]float64, count), make([]int32, count)
	size := 0.0
	for s := range d {
		d[s] = float64(s%5) - 2.5
		size += math.Abs(d[s])
	}
	for m := range row {
		row[m], factor[m] = int32(m), 1
	}
	held := make([]float64, count*len(at))
	if err := gr.Mix(t.Context(), at, row, factor, held); err != nil {
		t.Fatal(err)
	}
	if err := gr.Deviations(t.Context(), at, d, alpha, e); err != nil {
		t.Fatal(err)
	}
	centred := make([]bool, count)
	for i := range b.Groups {
		for _, k := range b.Groups[i].Members {
			centred[k.ID] = b.Groups[i].Base == kernels.CentredProduct
		}
	}
	for m, matrix := range b.k() {
		if centred[m] {
			if e[m] != 0 {
				t.Errorf("linear kernel %d deviates by %v", m, e[m])
			}
			continue
		}
		got, want := e[m], 0.0
		for s, i := range at {
			got += d[s] * held[m*len(at)+s]
			for j, c := range alpha {
				want += d[s] * c * matrix[i*n+j]
			}
		}
		if allowed := 1e-13 * b.size()[m] * total * size; !(math.Abs(got-want) <= allowed) {
			t.Errorf("kernel %d: %v with what is held, want %v", m, got, want)
		}
	}
}

// TestAfresh: a sample computed again shows little rounding on good data, and much where float32 is not enough.
func TestAfresh(t *testing.T) {
	t.Parallel()
	rng := random(t, 2)
	good := uniform(rng, 260, 4)
	far := uniform(rng, 260, 4)
	for _, x := range far.x {
		for j := range x {
			x[j] += 1000
		}
	}
	far = newTable(far.x)
	square := &kernelspec.Bank{Kernels: []kernelspec.Kernel{{Kind: kernelspec.Poly, Gamma: 1, Coef: 1, Degree: 2, Set: kernelspec.AllFeatures}}}
	for _, c := range []struct {
		name        string
		p           *table
		list        *kernelspec.Bank
		double      bool
		least, most float64 // of what rounding has done, relative to the largest value
	}{
		{"gaussians", good, gaussians(4), false, 0, 1e-5},
		{"mixed", good, allKinds(), false, 0, 1e-4},
		{"gaussians in float64", good, gaussians(4), true, 0, 1e-12},
		{"far gaussians", far, gaussians(4), false, 0, 1e-5}, // centred
		{"far polynomial", far, square, false, 1e-3, math.Inf(1)},
		{"far polynomial in float64", far, square, true, 0, 1e-3},
	} {
		b := newBank(t, c.name, c.p, c.list, false, nil)
		for _, support := range []int{20, 259} {
			for _, sample := range []int{1, 33, 200} {
				t.Run(fmt.Sprintf("%s/%d/%d", c.name, support, sample), func(t *testing.T) {
					off, size := rounding(t, b, support, sample, c.double)
					if r := off / size; sample > 1 && !(r >= c.least && r <= c.most) {
						t.Errorf("off by %.3g of %.3g: %.2g, want %.2g to %.2g", off, size, r, c.least, c.most)
					}
				})
			}
		}
	}
}

// TestAfreshOfNothing: neither support vectors nor points to compute.
func TestAfreshOfNothing(t *testing.T) {
	t.Parallel()
	b := newBank(t, "", uniform(random(t, 3), 40, 2), gaussians(1), false, nil)
	gr := newGradient(t, b, Options{Threads: 1, Memory: 1 << 20})
	alpha := make([]float64, 40)
	if v, err := gr.Afresh(t.Context(), []int{3, 5}, alpha, []float64{1}); err != nil || !slices.Equal(v, []float64{0, 0}) {
		t.Errorf("%v, %v", v, err)
	}
	alpha[1], alpha[2] = 1, -1
	if v, err := gr.Afresh(t.Context(), nil, alpha, []float64{1}); err != nil || len(v) != 0 {
		t.Errorf("%v, %v", v, err)
	}
}

package kernels

import (
	"math"
	"slices"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/kernelstest"
)

// variance is the variance in feature space by the definition, and the mean magnitude of what it is the sum of.
func (p *table) variance(k kernelspec.Kernel, set []int32) (v, size float64) {
	n := float64(len(p.x))
	diagonal, sum := 0.0, 0.0
	for i, x := range p.x {
		for j, z := range p.x[:i+1] {
			k, _ := kernelstest.Value(k, set, x, z, nil)
			if i == j {
				diagonal += k / n
				sum += k
			} else {
				sum += 2 * k
			}
			size = max(size, math.Abs(k))
		}
	}
	return diagonal - sum/n/n, size
}

func TestNormalizeExact(t *testing.T) {
	t.Parallel()
	rng := random(t, 1)
	for _, n := range []int{2, 31, 33, 150} {
		for _, double := range []bool{false, true} {
			p := points(rng, n, 5)
			s := p.survey(t)
			list := allKinds(nil, []int32{1, 4})
			b := newBank(t, list, s, false)
			r, err := b.normalize(t.Context(), p, s, nil, double, 1, 1, "")
			if err != nil {
				t.Fatal(err)
			}
			if r.SampleSize != 0 || r.StandardError != nil {
				t.Errorf("n = %d: a sample of %d, errors %v", n, r.SampleSize, r.StandardError)
			}
			for id, k := range list.Kernels {
				v, size := p.variance(k, list.Features(k.Set))
				tolerance := 1e-12 * size / v
				if !double {
					tolerance = min(1e-6*size/v, 1e-2)
				}
				if !(math.Abs(r.Scale[id]*v-1) <= tolerance) {
					t.Errorf("n = %d, double %v, kernel %d (%s): scale %v, want %v", n, double, id, k.Kind, r.Scale[id], 1/v)
				}
			}
			for _, threads := range []int{0, 2, 5, 64} {
				again, err := b.normalize(t.Context(), p, s, nil, double, threads, 99, "")
				if err != nil || !slices.Equal(again.Scale, r.Scale) {
					t.Errorf("n = %d: %d threads or another seed change the scales: %v", n, threads, err)
				}
			}
		}
	}
}

// TestNormalizeNearlyConstant: a variance that float32 cannot see is summed in float64.
func TestNormalizeNearlyConstant(t *testing.T) {
	t.Parallel()
	p := points(random(t, 2), 100, 3)
	s := p.survey(t)
	list := &kernelspec.Bank{}
	for _, gamma := range []float64{1e-8, 1e-5, 1e-3, 1} {
		list.Kernels = append(list.Kernels, kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: gamma, Set: kernelspec.AllFeatures},
			kernelspec.Kernel{Kind: kernelspec.Poly, Gamma: gamma, Coef: 1, Degree: 3, Set: kernelspec.AllFeatures})
	}
	r, err := newBank(t, list, s, false).normalize(t.Context(), p, s, nil, false, 2, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	for id, k := range list.Kernels {
		if v, _ := p.variance(k, nil); !(math.Abs(r.Scale[id]*v-1) <= 1e-3) {
			t.Errorf("%s, gamma %g: scale %v, want %v", k.Kind, k.Gamma, r.Scale[id], 1/v)
		}
	}
}

// TestNormalizeConstant: a kernel that is constant on the data has no variance and gets scale 0.
func TestNormalizeConstant(t *testing.T) {
	t.Parallel()
	p := points(random(t, 3), 40, 3)
	for _, x := range p.x {
		x[1] = 0.1
	}
	for name, shift := range map[string][]float32{"mean": p.mean(), "zero": make([]float32, 3), "other": {1, 0.3, 2}} {
		s, err := Survey(t.Context(), p, shift, 1)
		if err != nil {
			t.Fatal(err)
		}
		list := allKinds([]int32{1}, []int32{0})
		for _, double := range []bool{false, true} {
			r, err := newBank(t, list, s, false).normalize(t.Context(), p, s, nil, double, 2, 1, "")
			if err != nil {
				t.Fatal(err)
			}
			for id, k := range list.Kernels {
				if flat := k.Set == 0; (r.Scale[id] == 0) != flat {
					t.Errorf("shift %s, double %v, kernel %d (%s): scale %v, constant: %v", name, double, id, k.Kind, r.Scale[id], flat)
				}
			}
		}
	}
}

// TestNormalizeOnePoint: one point has no variance.
func TestNormalizeOnePoint(t *testing.T) {
	t.Parallel()
	p := points(random(t, 4), 1, 3)
	s := p.survey(t)
	list := allKinds(nil)
	r, err := newBank(t, list, s, false).normalize(t.Context(), p, s, nil, false, 1, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	for id, k := range list.Kernels {
		if r.Scale[id] != 0 {
			t.Errorf("%s: scale %v", k.Kind, r.Scale[id])
		}
	}
}

// TestNormalizeSampled: above 10,000 points a sample represents all, and its standard error is true. The points
// take few values, so the exact sum is a sum over pairs of values.
func TestNormalizeSampled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("large")
	}
	rng := random(t, 5)
	const n, distinct = 10500, 30
	kinds := points(rng, distinct, 2)
	count := make([]float64, distinct)
	p := &table{d: 2}
	for range n {
		at := min(rng.IntN(distinct), rng.IntN(distinct))
		count[at]++
		p.x = append(p.x, kinds.x[at])
	}
	s := p.survey(t)
	list := allKinds(nil)
	b := newBank(t, list, s, false)
	exact := make([]float64, b.Len())
	for id, k := range list.Kernels {
		sum, diagonal := 0.0, 0.0
		for i, x := range kinds.x {
			for j, z := range kinds.x {
				v, _ := kernelstest.Value(k, nil, x, z, nil)
				sum += v * count[i] * count[j]
				if i == j {
					diagonal += v * count[i]
				}
			}
		}
		exact[id] = 1 / (diagonal/n - sum/n/n)
	}
	const runs = 6
	squares := make([]float64, b.Len())
	for seed := range uint64(runs) {
		r, err := b.normalize(t.Context(), p, s, nil, false, 2, seed, "")
		if err != nil {
			t.Fatal(err)
		}
		if r.SampleSize != samplePair || len(r.StandardError) != b.Len() {
			t.Fatalf("sample of %d, %d errors", r.SampleSize, len(r.StandardError))
		}
		for id, k := range list.Kernels {
			e := r.Scale[id]/exact[id] - 1
			if k.Kind == kernelspec.Linear {
				if r.StandardError[id] != 0 || !(math.Abs(e) <= 1e-9) {
					t.Errorf("linear: scale %v, exactly %v; the standard error is %v", r.Scale[id], exact[id], r.StandardError[id])
				}
				continue
			}
			if !(r.StandardError[id] > 0 && r.StandardError[id] < 0.2) || !(math.Abs(e) <= 5*r.StandardError[id]) {
				t.Errorf("seed %d, kernel %d (%s): scale %v, exactly %v: off by %.2g, standard error %.2g", seed, id, k.Kind, r.Scale[id], exact[id], e, r.StandardError[id])
			}
			squares[id] += e * e / (r.StandardError[id] * r.StandardError[id]) / runs
		}
	}
	for id, z := range squares {
		if list.Kernels[id].Kind != kernelspec.Linear && !(z > 0.01 && z < 5) {
			t.Errorf("kernel %d: the mean square of error / standard error is %v", id, z)
		}
	}
	first, _ := b.normalize(t.Context(), p, s, nil, false, 1, 7, "")
	again, _ := b.normalize(t.Context(), p, s, nil, false, 4, 7, "")
	if !slices.Equal(first.Scale, again.Scale) || !slices.Equal(first.StandardError, again.StandardError) {
		t.Error("the number of threads changes the result")
	}
}

// TestDraw: k distinct numbers below n, ascending, each about equally often.
func TestDraw(t *testing.T) {
	t.Parallel()
	times := make([]int, 20)
	for seed := range uint64(2000) {
		d := draw(20, 5, seed)
		if len(d) != 5 || !slices.IsSorted(d) || len(slices.Compact(slices.Clone(d))) != 5 || d[0] < 0 || d[4] > 19 {
			t.Fatalf("seed %d: %v", seed, d)
		}
		for _, v := range d {
			times[v]++
		}
	}
	for v, c := range times {
		if c < 400 || c > 600 { // 500 expected, standard deviation 19
			t.Errorf("%d was drawn %d times of 2000", v, c)
		}
	}
	if d := draw(5, 5, 1); !slices.Equal(d, []int32{0, 1, 2, 3, 4}) {
		t.Errorf("all of 5: %v", d)
	}
}

package kernels

import (
	"math"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/kernelstest"
)

// TestShiftInvariance: distances do not depend on the shift, centred products are the products of shifted points, and Offset is
// what centring takes from the function of a linear kernel.
func TestShiftInvariance(t *testing.T) {
	t.Parallel()
	rng := random(t, 5)
	p := points(rng, 40, 6)
	set := []int32{1, 2, 5}
	for _, size := range []float32{0, 1, 10} {
		shift := make([]float32, p.d)
		for j := range shift {
			shift[j] = size * rng.Float32()
		}
		s, err := Survey(t.Context(), p, shift, 1)
		if err != nil {
			t.Fatal(err)
		}
		list := allKinds(nil, set)
		b := newBank(t, list, s, false)
		for id, k := range list.Kernels {
			got := evaluate[float64](b, id, p, upTo(40))
			for i := range got {
				for j := range got {
					want, _ := kernelstest.Value(k, list.Features(k.Set), p.x[i], p.x[j], shift)
					if !(math.Abs(got[i][j]-want) <= 1e-11*max(1, math.Abs(want))) {
						t.Fatalf("shift %v, kernel %d: %v, want %v", shift, id, got[i][j], want)
					}
				}
			}
			g, _ := b.find(id)
			alpha := make([]float64, 40)
			sum := 0.0
			for i := range alpha[1:] {
				alpha[i] = rng.NormFloat64()
				sum += alpha[i]
			}
			alpha[39] = -sum
			v := make([]float64, p.d)
			f, raw := 0.0, 0.0
			for i, a := range alpha {
				for j := range v {
					v[j] += a * float64(p.x[i][j])
				}
				f += a * got[i][7]
				w, _ := kernelstest.Value(k, list.Features(k.Set), p.x[i], p.x[7], nil)
				raw += a * w
			}
			if got := f + b.Offset(g, v); !(math.Abs(got-raw) <= 1e-10*max(1, math.Abs(raw))) {
				t.Errorf("shift %v, kernel %d: centred value and offset make %v, the raw value is %v", shift, id, got, raw)
			}
		}
	}
}

// TestDirect: distances are summed over differences where norms would lose too many digits, decided for the widest gamma
// of the group.
func TestDirect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		deviation float64
		gammas    []float64
		want      [2]bool
	}{
		{1, []float64{1}, [2]bool{false, false}},
		{1, []float64{1e4}, [2]bool{true, false}},
		{1, []float64{1, 1e4, 2}, [2]bool{true, false}},
		{1e4, []float64{1}, [2]bool{true, false}},
		{1e4, []float64{1e4}, [2]bool{true, true}},
		{1e-4, []float64{1e4}, [2]bool{false, false}},
	} {
		list := &kernelspec.Bank{}
		for _, g := range c.gammas {
			list.Kernels = append(list.Kernels, kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: g, Set: kernelspec.AllFeatures})
		}
		s := Shape{Features: 1, Shift: []float32{0}, Deviation: []float64{c.deviation}, Minimum: []float32{0}}
		if b := newBank(t, list, s, false); b.Groups[0].Direct != c.want {
			t.Errorf("deviation %g, gammas %g: %v, want %v", c.deviation, c.gammas, b.Groups[0].Direct, c.want)
		}
	}
	// Where it is direct, even wide kernels on far points are right.
	rng := random(t, 8)
	p := &table{d: 3}
	for range 40 {
		c := float32(rng.IntN(2)) * 2000
		p.x = append(p.x, []float32{c + rng.Float32(), c - rng.Float32(), c})
	}
	list := &kernelspec.Bank{Kernels: []kernelspec.Kernel{{Kind: kernelspec.Gauss, Gamma: 1, Set: kernelspec.AllFeatures}}}
	b := newBank(t, list, p.survey(t), false)
	if !b.Groups[0].Direct[0] {
		t.Fatal("squared distances of points 3000 apart come from norms in float32")
	}
	for i, row := range evaluate[float32](b, 0, p, upTo(40)) {
		for j, v := range row {
			if want, _ := kernelstest.Value(list.Kernels[0], nil, p.x[i], p.x[j], nil); !(math.Abs(float64(v)-want) <= 1e-3) {
				t.Fatalf("k(%d,%d) = %v, want %v", i, j, v, want)
			}
		}
	}
}

package kernels

import (
	"math"
	"slices"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// wideBank is a bank of exponentials with chains of squares on both sides of the border, kernels
// outside of them, copies, and a kernel of gamma 0, whose wide members are marked.
func wideBank(t *testing.T, kind kernelspec.Kind, p *table) (*Bank, []float64) {
	t.Helper()
	gamma := []float64{0.3, 1e-9, 0, 4e-9}
	for i := range 20 {
		gamma = append(gamma, math.Ldexp(1, -i))
	}
	gamma = append(gamma, 2e-9, 1e-3, 0.25, 3e-4)
	b := newBank(t, exponentials(kind, gamma), p.survey(t), false)
	reach, err := b.Reaches(t.Context(), p, 2)
	if err != nil {
		t.Fatal(err)
	}
	b.FindWide(reach)
	for i, m := range b.Groups[0].Members {
		if want := gamma[i] > 0 && gamma[i]*reach[0] <= wideSpan; m.Wide != want {
			t.Errorf("gamma %g times %g: wide is %t", gamma[i], reach[0], m.Wide)
		}
	}
	return b, gamma
}

// TestWide: sums of wide kernels are sums of k - 1, with the digits of the arithmetic relative to
// itself, alone, in runs and in chains; sums of others do not change.
func TestWide(t *testing.T) {
	t.Parallel()
	t.Run("float32", testWide[float32])
	t.Run("float64", testWide[float64])
}

func testWide[T simd.Real](t *testing.T) {
	rng := random(t, 11)
	p := points(rng, 70, 3)
	eps := 0x1p-53
	if precision[T]() == 0 {
		eps = 0x1p-24
	}
	for _, kind := range []kernelspec.Kind{kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare} {
		b, gamma := wideBank(t, kind, p)
		g := &b.Groups[0]
		ordinary := newBank(t, exponentials(kind, gamma), p.survey(t), false)
		wide, chains := 0, 0
		for _, c := range g.chains {
			for _, i := range c {
				if g.Members[i].Wide != g.Members[c[0]].Wide {
					t.Errorf("chain %v is wide in part", c)
				}
			}
			if g.Members[c[0]].Wide {
				wide++
			}
			chains++
		}
		if wide == 0 || wide == chains {
			t.Errorf("%d of %d chains are wide", wide, chains)
		}
		const rows = 70
		base, coef := make([]T, rows*width), make([]T, rows)
		reach := 1 / gamma[slices.IndexFunc(g.Members, func(m Member) bool { return m.Wide && m.Gamma > 1e-4 })]
		for i := range base {
			base[i] = T(reach * rng.Float64())
		}
		for i := range coef {
			coef[i] = T(rng.Float64() - 0.5)
		}
		e, one := NewEvaluator[T](b), make([]float64, len(gamma))
		fill(one, 1)
		sum, plain := make([]float64, len(gamma)*width), make([]float64, len(gamma)*width)
		e.Sum(sum, base, coef, g, one)
		NewEvaluator[T](ordinary).Sum(plain, base, coef, &ordinary.Groups[0], one)
		mixed, value := make([]T, len(base)), make([]T, len(base))
		for i := range g.Members {
			m := &g.Members[i]
			weight := make([]float64, len(gamma))
			weight[i] = 1
			clear(mixed)
			e.Mix(mixed, base, g, i, i+1, weight)
			single := make([]float64, width)
			e.SumOne(single, base, coef, m, 1)
			for j := range width {
				if bitsOf(single[j]) != bitsOf(sum[i*width+j]) {
					t.Fatalf("gamma %g: alone %v, in a group %v", m.Gamma, single[j], sum[i*width+j])
				}
				want, size := 0.0, 0.0
				for r := range rows {
					u := math.Expm1(-m.Gamma * float64(base[r*width+j]))
					want += float64(coef[r]) * u
					size += math.Abs(float64(coef[r]) * u)
					if m.Wide && math.Abs(float64(mixed[r*width+j])-u) > 20*eps*math.Abs(u) {
						t.Fatalf("gamma %g: %v, want %v", m.Gamma, mixed[r*width+j], u)
					}
				}
				if m.Wide && math.Abs(single[j]-want) > 90*eps*size {
					t.Fatalf("gamma %g: sum %v, want %v of %v", m.Gamma, single[j], want, size)
				}
				if !m.Wide && m.Squarings == 0 && ordinary.Groups[0].Members[i].Squarings == 0 &&
					bitsOf(sum[i*width+j]) != bitsOf(plain[i*width+j]) {
					t.Fatalf("gamma %g: sum %v, was %v", m.Gamma, sum[i*width+j], plain[i*width+j])
				}
			}
			// The kernel itself is what it was.
			e.Transform(value, base, m)
			for k, x := range value {
				if want := math.Exp(-m.Gamma * float64(base[k])); math.Abs(float64(x)-want) > 100*eps {
					t.Fatalf("gamma %g: k = %v, want %v", m.Gamma, x, want)
				}
			}
		}
		if gated := b.Gated(numbered{}, numbered{}); gated.Constants() != nil ||
			slices.ContainsFunc(gated.Groups[0].Members, func(m Member) bool { return m.Wide }) {
			t.Error("a kernel is wide under gates")
		}
		if b.Constants() == nil || ordinary.Constants() != nil {
			t.Error("constants of a bank without wide kernels")
		}
	}
}

// TestWideScales: the variance of a wide kernel has the digits of float64 relative to itself, where
// that of values near 1 has lost most of them.
func TestWideScales(t *testing.T) {
	t.Parallel()
	p := points(random(t, 12), 60, 3)
	b, gamma := wideBank(t, kernelspec.Laplace, p)
	r, err := b.normalize(t.Context(), p, p.survey(t), nil, true, 2, 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n := float64(len(p.x))
	for id, gamma := range gamma {
		sum := 0.0
		for _, x := range p.x {
			for _, z := range p.x {
				base := 0.0
				for j := range x {
					base += math.Abs(float64(x[j]) - float64(z[j]))
				}
				sum -= math.Expm1(-gamma * base)
			}
		}
		variance := sum / (n * n)
		switch {
		case gamma == 0 && r.Scale[id] != 0:
			t.Errorf("the constant kernel has scale %v", r.Scale[id])
		case gamma > 0 && math.Abs(r.Scale[id]*variance-1) > 1e-13:
			t.Errorf("gamma %g: scale %v, want %v", gamma, r.Scale[id], 1/variance)
		}
	}
}

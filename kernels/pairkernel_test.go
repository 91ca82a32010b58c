package kernels

import (
	"math"
	"testing"

	"bigmkl/internal/kernelspec"
)

// TestPairs: the values agree with the definition, both rows of two may change the places of their objects, and sets may overlap.
func TestPairs(t *testing.T) {
	t.Parallel()
	rng := random(t, 63)
	p := points(rng, 50, 8)
	swapped := &table{d: 8}
	for _, x := range p.x {
		z := append(append([]float32{}, x[3:6]...), x[:3]...)
		swapped.x = append(swapped.x, append(z, x[6:]...))
	}
	for text, object := range map[string]func(x, z []float32) float64{
		"gauss:0.3": func(x, z []float32) float64 {
			s := 0.0
			for i := range x {
				s += math.Pow(float64(x[i])-float64(z[i]), 2)
			}
			return math.Exp(-0.3 * s)
		},
		"laplace:0.5": func(x, z []float32) float64 {
			s := 0.0
			for i := range x {
				s += math.Abs(float64(x[i]) - float64(z[i]))
			}
			return math.Exp(-0.5 * s)
		},
		"linear": func(x, z []float32) float64 {
			s := 0.0
			for i := range x {
				s += float64(x[i]) * float64(z[i])
			}
			return s
		},
		"poly:2:0.5:2": func(x, z []float32) float64 {
			s := 0.0
			for i := range x {
				s += float64(x[i]) * float64(z[i])
			}
			return math.Pow(0.5*s+2, 2)
		},
	} {
		for _, sets := range [][2][2]int{{{1, 3}, {4, 6}}, {{1, 4}, {3, 6}}, {{1, 4}, {5, 8}}} {
			for prefix, sign := range map[string]float64{"pair(": 1, "antipair(": -1} {
				spec := prefix + text + "," + rangeText(sets[0]) + "," + rangeText(sets[1]) + ")"
				expanded, err := kernelspec.Expand([]string{spec}, kernelspec.Context{Features: 8})
				if err != nil {
					t.Fatal(err)
				}
				if expanded.Describe(0) != spec {
					t.Errorf("%s is described as %s", spec, expanded.Describe(0))
				}
				b := newBank(t, expanded, p.survey(t), false)
				if !b.Definite(0) {
					t.Errorf("%s is not known to be definite", spec)
				}
				got, back := evaluate[float64](b, 0, p, upTo(50)), evaluate[float64](b, 0, swapped, upTo(50))
				for i, x := range p.x {
					for j, z := range p.x {
						a, c := x[sets[0][0]-1:sets[0][1]], z[sets[0][0]-1:sets[0][1]]
						bb, d := x[sets[1][0]-1:sets[1][1]], z[sets[1][0]-1:sets[1][1]]
						want := object(a, c)*object(bb, d) + sign*object(a, d)*object(bb, c)
						size := math.Abs(object(a, c)*object(bb, d)) + math.Abs(object(a, d)*object(bb, c))
						if math.Abs(got[i][j]-want) > 1e-12*math.Max(1, size) {
							t.Fatalf("%s of points %d and %d: %v, want %v", spec, i, j, got[i][j], want)
						}
						if sets[0] == [2]int{1, 3} && math.Abs(back[i][j]-want) > 1e-12*math.Max(1, size) {
							t.Fatalf("%s of points %d and %d with their objects in the other order: %v, want %v", spec, i, j, back[i][j], want)
						}
					}
				}
			}
		}
	}
	if b := newBank(t, expandPair(t, "pair(poly:2:1:-1,1,2)"), p.survey(t), false); b.Definite(0) {
		t.Error("a polynomial with a negative constant counts as definite")
	}
}

func rangeText(r [2]int) string {
	return string(rune('0'+r[0])) + "-" + string(rune('0'+r[1]))
}

func expandPair(t *testing.T, spec string) *kernelspec.Bank {
	t.Helper()
	b, err := kernelspec.Expand([]string{spec}, kernelspec.Context{Features: 8})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

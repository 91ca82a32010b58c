package kernels

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/kernelstest"
)

// TestGroups: kernels that follow from the same base on the same features share a group, others do not; the members of a
// group lie side by side in storage.
func TestGroups(t *testing.T) {
	t.Parallel()
	p := points(random(t, 1), 20, 4)
	sets := [][]int32{{0, 1}, {2, 3}}
	list := &kernelspec.Bank{Sets: sets, SetViews: []string{"", ""}}
	add := func(k kernelspec.Kind, set int32) {
		list.Kernels = append(list.Kernels, kernelspec.Kernel{Kind: k, Gamma: 1, Coef: 1, Degree: 2, Set: set})
	}
	// All features, then set 0, then set 1, interleaved.
	for _, set := range []int32{kernelspec.AllFeatures, 0, 1} {
		for _, k := range []kernelspec.Kind{kernelspec.Gauss, kernelspec.Linear, kernelspec.Poly, kernelspec.Sigmoid, kernelspec.Laplace, kernelspec.ChiSquare, kernelspec.Intersection, kernelspec.Gauss} {
			add(k, set)
		}
	}
	for _, spherical := range []bool{false, true} {
		b := newBank(t, list, p.survey(t), spherical)
		want := 6 // a set: squared distance, centred product, product, distance, chi-square distance, overlap
		if spherical {
			want = 5 // linear kernels need the plain product
		}
		if len(b.Groups) != 3*want || b.Len() != 24 {
			t.Errorf("spherical %v: %d groups of %d kernels, want %d of 24", spherical, len(b.Groups), b.Len(), 3*want)
		}
		place := 0
		seen := make([]bool, b.Len())
		for i := range b.Groups {
			g := &b.Groups[i]
			if g.First != place {
				t.Errorf("group %d starts at %d, want %d", i, g.First, place)
			}
			for j, m := range g.Members {
				k := list.Kernels[m.ID]
				if seen[m.ID] || m.Kind != k.Kind || m.Gamma != k.Gamma || m.Coef != k.Coef || m.Degree != k.Degree {
					t.Errorf("kernel %d in group %d is %+v, want %+v", m.ID, i, m, k)
				}
				seen[m.ID] = true
				if b.Places()[m.ID] != int32(place+j) {
					t.Errorf("kernel %d is at place %d, want %d", m.ID, b.Places()[m.ID], place+j)
				}
				if !slices.Equal(g.Features, list.Features(k.Set)) || g.Dim != max(len(g.Features), 4*b2i(g.Features == nil)) {
					t.Errorf("kernel %d: features %v of %d, want %v", m.ID, g.Features, g.Dim, list.Features(k.Set))
				}
				group, member := b.find(int(m.ID))
				if group != g || member != &g.Members[j] {
					t.Errorf("kernel %d is not found where it is", m.ID)
				}
			}
			place += len(g.Members)
		}
		if b.Factor(3) != 1 {
			t.Errorf("factor %v without normalisation", b.Factor(3))
		}
		b.Scale = make([]float64, 24)
		b.Scale[3] = 7
		if b.Factor(3) != 7 {
			t.Errorf("factor %v, want 7", b.Factor(3))
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestDefinite: which kernels are positive semi-definite whatever the points.
func TestDefinite(t *testing.T) {
	t.Parallel()
	minus := Shape{Features: 2, Shift: []float32{0, 0}, Deviation: []float64{1, 1}, Minimum: []float32{0, -1}}
	for _, c := range []struct {
		k    kernelspec.Kernel
		set  []int32
		want bool
	}{
		{kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: 1}, nil, true},
		{kernelspec.Kernel{Kind: kernelspec.Laplace, Gamma: 1}, nil, true},
		{kernelspec.Kernel{Kind: kernelspec.Linear}, nil, true},
		{kernelspec.Kernel{Kind: kernelspec.Poly, Gamma: 1, Coef: 1, Degree: 2}, nil, true},
		{kernelspec.Kernel{Kind: kernelspec.Poly, Gamma: 1, Coef: 0, Degree: 3}, nil, true},
		{kernelspec.Kernel{Kind: kernelspec.Poly, Gamma: 1, Coef: -1, Degree: 2}, nil, false},
		{kernelspec.Kernel{Kind: kernelspec.Poly, Gamma: -1, Coef: 1, Degree: 1}, nil, false},
		{kernelspec.Kernel{Kind: kernelspec.Sigmoid, Gamma: 1}, nil, false},
		{kernelspec.Kernel{Kind: kernelspec.ChiSquare, Gamma: 1}, []int32{0}, true},
		{kernelspec.Kernel{Kind: kernelspec.Intersection}, []int32{0}, true},
		{kernelspec.Kernel{Kind: kernelspec.Intersection}, []int32{1}, false},
		{kernelspec.Kernel{Kind: kernelspec.Intersection}, nil, false},
	} {
		list := &kernelspec.Bank{Sets: [][]int32{c.set}, SetViews: []string{""}}
		if c.k.Set = 0; c.set == nil {
			c.k.Set = kernelspec.AllFeatures
		}
		list.Kernels = []kernelspec.Kernel{c.k}
		if got := newBank(t, list, minus, false).Definite(0); got != c.want {
			t.Errorf("%+v on %v: definite %v, want %v", c.k, c.set, got, c.want)
		}
	}
	m := kernelstest.MatrixFile(t, [][]float64{{1, 0}, {0, 1}}, false)
	list := &kernelspec.Bank{Kernels: []kernelspec.Kernel{{Kind: kernelspec.Precomputed, Set: kernelspec.AllFeatures}}, Files: []string{"k"}}
	if newBank(t, list, minus, false, m).Definite(0) {
		t.Error("a precomputed matrix is taken for positive semi-definite")
	}
}

// TestChiSquareRefused: chi2 on a negative feature is a fault of the data that names the feature and its least value.
func TestChiSquareRefused(t *testing.T) {
	t.Parallel()
	p := points(random(t, 2), 40, 3)
	p.x[35][1] = -0.25
	s := p.survey(t)
	for _, c := range []struct {
		set []int32
		ok  bool
	}{{nil, false}, {[]int32{0, 1}, false}, {[]int32{0, 2}, true}} {
		list := &kernelspec.Bank{Sets: [][]int32{c.set}, SetViews: []string{""}}
		k := kernelspec.Kernel{Kind: kernelspec.ChiSquare, Gamma: 1}
		if c.set == nil {
			k.Set = kernelspec.AllFeatures
		}
		list.Kernels = []kernelspec.Kernel{{Kind: kernelspec.Gauss, Gamma: 1, Set: kernelspec.AllFeatures}, k}
		_, err := NewBank(t.Context(), list, s, kernelspec.Unnormalized, nil, nil)
		if c.ok {
			if err != nil {
				t.Errorf("%v: %v", c.set, err)
			}
			continue
		}
		var f *fail.Error
		if !errors.Is(err, fail.Input) || !errors.As(err, &f) || !strings.Contains(f.Message, "feature 2") || !strings.Contains(f.Message, "-0.25") || f.Hint == "" {
			t.Errorf("%v: %v", c.set, err)
		}
	}
}

// TestSurvey compares with the definitions, for any number of threads.
func TestSurvey(t *testing.T) {
	t.Parallel()
	rng := random(t, 3)
	for _, n := range []int{1, 31, 32, 33, 100} {
		p := points(rng, n, 7)
		p.x[n/2][3] = -2
		shift := p.mean()
		shift[1] = 100
		var first Shape
		for _, threads := range []int{0, 1, 2, 5, 20} {
			s, err := Survey(t.Context(), p, shift, threads)
			if err != nil {
				t.Fatal(err)
			}
			if first.Variance == nil {
				first = s
			}
			if !slices.Equal(s.Variance, first.Variance) || !slices.Equal(s.Deviation, first.Deviation) || !slices.Equal(s.Minimum, first.Minimum) {
				t.Fatalf("n = %d: %d threads change the result", n, threads)
			}
			for j := range p.d {
				mean, least, far := 0.0, float32(0), 0.0
				for _, x := range p.x {
					mean += float64(x[j]) / float64(n)
					least = min(least, x[j])
					v := float64(x[j]) - float64(shift[j])
					far = max(far, v*v)
				}
				variance := 0.0
				for _, x := range p.x {
					variance += (float64(x[j]) - mean) * (float64(x[j]) - mean) / float64(n)
				}
				if !(math.Abs(s.Variance[j]-variance) <= 1e-10) || s.Minimum[j] != least || s.Deviation[j] != far {
					t.Errorf("n = %d, feature %d: variance %v, minimum %v, deviation %v; want %v, %v, %v",
						n, j, s.Variance[j], s.Minimum[j], s.Deviation[j], variance, least, far)
				}
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := points(random(t, 4), 100, 3)
	b := newBank(t, allKinds(nil), p.survey(t), false)
	if _, err := Survey(ctx, p, p.mean(), 2); !errors.Is(err, context.Canceled) {
		t.Errorf("Survey: %v", err)
	}
	if _, err := b.normalize(ctx, p, p.survey(t), nil, false, 2, 1, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Normalize: %v", err)
	}
	if err := Gram(ctx, Matrices{b, p}, 0, GramRows, 2, func([]float32) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Gram: %v", err)
	}
}

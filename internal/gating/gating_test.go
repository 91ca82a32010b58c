package gating

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/fail"
)

// table is points in memory.
type table [][]float32

func (t table) Len() int                 { return len(t) }
func (t table) Dim() int                 { return len(t[0]) }
func (t table) Row(i int, dst []float32) { copy(dst, t[i]) }

// clouds are points around so many places that lie far apart, in three features of which the last does not vary.
func clouds(n, places int) table {
	rng := rand.New(rand.NewPCG(4, 4))
	t := make(table, n)
	for i := range t {
		at := float64(i % places)
		t[i] = []float32{float32(20*at + rng.NormFloat64()), float32(5*at*at + rng.NormFloat64()), 7}
	}
	return t
}

// TestRegions: centres are the means of clouds that lie apart, spreads agree with the definition, and the gates of a point open for
// its cloud and sum to 1. Another seed draws other centres first, and numbers them in another order.
func TestRegions(t *testing.T) {
	const n, places = 600, 3
	points := clouds(n, places)
	f := &Features{}
	if err := f.Measure(t.Context(), points); err != nil {
		t.Fatal(err)
	}
	if f.Deviation[2] != 1 || math.Abs(f.Mean[2]-7) > 1e-9 {
		t.Errorf("a constant has mean %v and deviation %v", f.Mean[2], f.Deviation[2])
	}
	for seed := range uint64(4) {
		r, err := Cluster(t.Context(), points, f, places, seed)
		if err != nil {
			t.Fatal(err)
		}
		gates, err := r.Of(t.Context(), points, 2*places)
		if err != nil {
			t.Fatal(err)
		}
		of := map[int]int{} // the region of each cloud
		for i := range n {
			row := gates.Row(i)
			own, sum := 0, 0.0
			for k, x := range row {
				if sum += x; x > row[own] {
					own = k
				}
			}
			if i < places {
				of[i] = own
			}
			if own != of[i%places] || math.Abs(sum-1) > 1e-12 || row[own] < 0.99 {
				t.Fatalf("seed %d, point %d: gates %v", seed, i, row)
			}
			eta := make([]float64, 1)
			if gates.Gate(int32(2*own+1), []int32{int32(i)}, eta); eta[0] != row[own] {
				t.Fatalf("kernel %d has the gate %v, not %v", 2*own+1, eta[0], row[own])
			}
		}
		z, sum := make([]float64, 3), make([]float64, places)
		for i := range points {
			f.Standardise(points[i], z)
			k := of[i%places]
			sum[k] += squaredDistance(z, r.Centres[3*k:3*k+3])
		}
		for k, s := range r.Spreads {
			if want := math.Sqrt(2 * sum[k] * places / n); math.Abs(s-want) > 1e-9*want {
				t.Errorf("seed %d: spread %v, want %v", seed, s, want)
			}
		}
	}
	same := table{{1, 2}, {1, 2}, {3, 4}, {1, 2}}
	g := &Features{}
	if err := g.Measure(t.Context(), same); err != nil {
		t.Fatal(err)
	}
	if _, err := Cluster(t.Context(), same, g, 3, 0); !errors.Is(err, fail.Usage) {
		t.Errorf("three regions of two points: %v", err)
	}
	if r, err := Cluster(t.Context(), same, g, 2, 0); err != nil || slices.Equal(r.Centres[:2], r.Centres[2:]) {
		t.Errorf("two regions of two points: %+v, %v", r, err)
	}
}

// TestPrincipalComponents: directions are orthonormal, and variances along them are the variances of a rotated diagonal.
func TestPrincipalComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, d = 3000, 12
	points := make(table, n)
	for i := range points {
		points[i] = make([]float32, d)
		for j := range d { // a deviation of 2^-j along feature j, mixed by a rotation of the first two
			points[i][j] = float32(math.Ldexp(rng.NormFloat64(), -j)) + 100
		}
		a, b := points[i][0], points[i][1]
		points[i][0], points[i][1] = 0.6*a+0.8*b, 0.8*a-0.6*b
	}
	f, err := PrincipalComponents(t.Context(), points, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for a := range 3 {
		for b := range 3 {
			dot, want := 0.0, 0.0
			for j := range d {
				dot += f.Loadings[a*d+j] * f.Loadings[b*d+j]
			}
			if a == b {
				want = 1
			}
			if math.Abs(dot-want) > 1e-9 {
				t.Errorf("directions %d and %d have the product %v", a, b, dot)
			}
		}
	}
	if err := f.Measure(t.Context(), points); err != nil {
		t.Fatal(err)
	}
	for k, s := range f.Deviation {
		if want := math.Ldexp(1, -k); math.Abs(s-want) > 0.06*want {
			t.Errorf("component %d has the deviation %v, want about %v", k, s, want)
		}
	}
	if math.Abs(f.Loadings[0]-0.6) > 0.05 || math.Abs(f.Loadings[1]-0.8) > 0.05 {
		t.Errorf("the first direction is %v", f.Loadings[:2])
	}
}

// TestLearnedStayFinite: gates are numbers from 0 to 1 whatever the parameters are.
func TestLearnedStayFinite(t *testing.T) {
	for form := Softmax; form <= Gauss; form++ {
		for _, size := range []float64{0, 1, 1e3, 1e150} {
			l := &Learned{Form: form, Features: 2, Parameters: []float64{size, -size, size, -size, size, 1, 0, size, -1}}
			if form == Gauss {
				l.Parameters[2], l.Parameters[5], l.Parameters[8] = -7, 7, 0
			}
			eta := make([]float64, l.Gates())
			l.Values([]float64{1, 2}, eta)
			for _, x := range eta {
				if !(x >= 0 && x <= 1) {
					t.Errorf("form %d with parameters of %g: gates %v", form, size, eta)
				}
			}
		}
	}
}

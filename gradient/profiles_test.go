package gradient

import (
	"math"
	"slices"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
	"bigmkl/internal/testlevel"
	"bigmkl/kernels"
)

// ladders is a bank of widths for each kind of exponential kernel, over all features and some, beside other kernels.
func ladders(sets ...[]int32) *kernelspec.Bank {
	b := allKinds(sets...)
	for at := -1; at < len(sets); at++ {
		for _, kind := range []kernelspec.Kind{kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare} {
			for i := range 12 {
				b.Kernels = append(b.Kernels, kernelspec.Kernel{Kind: kind, Gamma: math.Pow(3, float64(i-8)), Set: int32(at)})
			}
		}
	}
	return b
}

// profiled counts the groups of a function with a profile.
func profiled[T simd.Real](f *Function, output int) int {
	p, _ := f.profiles.(profiles[T])
	if p.of == nil {
		return 0
	}
	return len(p.of[output]) - countNil(p.of[output])
}

func countNil[T simd.Real](list []*kernels.Profile[T]) (n int) {
	for _, p := range list {
		if p == nil {
			n++
		}
	}
	return n
}

// TestProfiles: functions with profiles are those without, in either arithmetic, whether dual variables sum to 0 or not, for any
// number of threads and for each panel by itself.
func TestProfiles(t *testing.T) {
	t.Parallel()
	for i, n := range []int{100, decisionRows + 44} {
		testProfiles(t, n, i)
	}
}

// testProfiles takes so many points. Of those beyond the first row of sizes it takes the banks that the seed draws.
func testProfiles(t *testing.T, n, row int) {
	rng := random(t, 21)
	dense, holes := uniform(rng, n, 5), uniform(rng, n, 5)
	for _, x := range holes.x {
		for j := range x {
			if rng.IntN(2) > 0 {
				x[j] = 0
			}
		}
	}
	holes = newTable(holes.x)
	holes.sparse = true
	list := ladders([]int32{1, 3, 4})
	scale := make([]float64, len(list.Kernels))
	for m := range scale {
		scale[m] = math.Pow(10, 3*rng.NormFloat64())
	}
	for at, c := range []struct {
		b      *bank
		groups int
	}{
		{newBank(t, "dense", dense, list, false, nil), 6},
		{newBank(t, "multiplicative", dense, list, false, scale), 6},
		{newBank(t, "sparse", holes, list, false, scale), 6},
		{newBank(t, "spherical", dense, list, true, nil), 6}, // k(x,x) = 1 leaves nothing to normalise
		{newGatedBank(t, "gated", dense, list, false, nil, newEtas(rng, len(list.Kernels), n)), 0},
		{newBank(t, "few", dense, gaussians(5), false, nil), 0},
	} {
		if row > 0 && !testlevel.Diagonal(t, at, row, 6, 2) {
			continue
		}
		var ids []int32
		for _, i := range subset(rng, n, n-10) {
			ids = append(ids, int32(i))
		}
		f, columns := c.b.function(ids, nil, nil, 2)
		f.Outputs = nil
		for k, size := range []int{n - 10, n / 2, 1, 0} {
			o := Output{Theta: make([]float64, c.b.Len()), Alpha: normals(rng, size)}
			for m := range o.Theta {
				o.Theta[m] = rng.Float64()
			}
			if k == 1 {
				o.Theta = f.Outputs[0].Theta // its profiles belong to the function before
				sum := 0.0
				for _, a := range o.Alpha {
					sum += a
				}
				for i := range o.Alpha {
					o.Alpha[i] -= sum / float64(size)
				}
			}
			if size < len(ids) {
				o.Rows = []int32{}
				for _, at := range subset(rng, len(ids), size) {
					o.Rows = append(o.Rows, int32(at))
				}
				slices.Sort(o.Rows)
			}
			f.Outputs = append(f.Outputs, o)
		}
		for _, double := range []bool{false, true} {
			f.profiles = nil
			want, got := normals(rng, n*len(f.Outputs)), normals(rng, n*len(f.Outputs))
			if err := f.Values(t.Context(), columns, double, want); err != nil {
				t.Fatal(err)
			}
			if err := f.PrepareProfiles(t.Context(), double); err != nil {
				t.Fatal(err)
			}
			groups, eps := profiled[float32](f, 0), 1e-5
			if double {
				groups, eps = profiled[float64](f, 0), 1e-13
			}
			if groups != c.groups {
				t.Errorf("%s, double %v: %d profiles, want %d", c.b.name, double, groups, c.groups)
			}
			if err := f.Values(t.Context(), columns, double, got); err != nil {
				t.Fatal(err)
			}
			for k, o := range f.Outputs {
				size := 0.0
				for _, a := range o.Alpha {
					for m, theta := range o.Theta {
						size += math.Abs(a) * theta * c.b.size()[m]
					}
				}
				for j, w := range want[k*n : (k+1)*n] {
					if v := got[k*n+j]; !(math.Abs(v-w) <= eps*size) {
						t.Fatalf("%s, output %d, double %v: f(x_%d) = %v, want %v of %v", c.b.name, k, double, j, v, w, size)
					}
				}
			}
			for _, threads := range []int{1, 3} {
				f.Threads = threads
				for p, panel := range columns.Panels {
					one := make([]float64, panel.Len*len(f.Outputs))
					if err := f.Values(t.Context(), Columns{Len: panel.Len, Panels: columns.Panels[p : p+1]}, double, one); err != nil {
						t.Fatal(err)
					}
					for k := range f.Outputs {
						if !slices.Equal(one[k*panel.Len:(k+1)*panel.Len], got[k*n+p*simd.Width:][:panel.Len]) {
							t.Fatalf("%s, double %v: other bits of panel %d by itself", c.b.name, double, p)
						}
					}
				}
			}
		}
	}
}

// TestProfilesOfMany: functions that are too many for profiles have none, unless they share their weights. Both are counted.
func TestProfilesOfMany(t *testing.T) {
	t.Parallel()
	rng := random(t, 22)
	b := newBank(t, "many", uniform(rng, 40, 3), gaussians(20), false, nil)
	f, _ := b.function([]int32{1, 5, 9}, nil, nil, 1)
	f.Outputs = nil
	theta := make([]float64, b.Len())
	for m := range theta {
		theta[m] = rng.Float64()
	}
	count := int(ProfileBytes/kernels.ProfileBytes[float64](&b.Groups[0])) + 1
	for range count {
		f.Outputs = append(f.Outputs, Output{Theta: theta, Alpha: []float64{1, -1, 0.5}})
	}
	bytes := func(distinct int) int64 {
		v := Vectors{Count: 3, Dim: 3, Outputs: count, Distinct: distinct, Coefficients: 3 * count}
		fixed, _, _ := FunctionBytes(b.Bank, v, true)
		return fixed
	}
	shared := bytes(1)
	if err := f.PrepareProfiles(t.Context(), true); err != nil || profiled[float64](f, count-1) != 1 {
		t.Errorf("no profile of weights that all functions share, %v", err)
	}
	for i := range f.Outputs {
		f.Outputs[i].Theta = slices.Clone(theta)
		f.Outputs[i].Theta[0] = float64(i)
	}
	if err := f.PrepareProfiles(t.Context(), true); err != nil || profiled[float64](f, 0) != 0 {
		t.Errorf("a profile for each of %d functions, %v", count, err)
	}
	if without := bytes(count); shared-without != kernels.ProfileBytes[float64](&b.Groups[0]) {
		t.Errorf("%d bytes with a profile and %d without", shared, without)
	}
}

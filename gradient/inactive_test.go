package gradient

import (
	"context"
	"math"
	"slices"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/kernels"
)

// twelveWidths is a bank of a linear kernel and of exponentials of the same distance with 12 widths.
func twelveWidths(t *testing.T, p *table) *bank {
	list := &kernelspec.Bank{}
	for i := range 12 {
		list.Kernels = append(list.Kernels, kernelspec.Kernel{
			Kind: kernelspec.Gauss, Set: kernelspec.AllFeatures, Gamma: math.Pow(2, float64(i)-8)})
	}
	list.Kernels = append(list.Kernels, kernelspec.Kernel{Kind: kernelspec.Linear, Set: kernelspec.AllFeatures})
	return newBank(t, "twelve widths", p, list, false, nil)
}

// TestLook: a look at points that sleep finds the combined gradient that waking them gives, from one
// value for each pair of points and group, with the same bits for any number of threads. Where it or
// Rouse is cut nothing has changed.
func TestLook(t *testing.T) {
	t.Parallel()
	rng := random(t, 5)
	const n = 310
	dense := uniform(rng, n, 5)
	sparse := newTable(dense.x)
	sparse.sparse = true
	many, skeletons := widths(t, dense, true, true)
	others := allKinds([]int32{1, 3, 4}, []int32{0})
	few := len(others.Kernels)
	for _, c := range []struct {
		name      string
		bank      *bank
		skel      [2]*kernels.Skeleton
		weights   int // kernels that have a weight, the last ones
		functions int // kernel values that a pair of points takes; 0: there is no look
	}{
		{"dense", twelveWidths(t, dense), [2]*kernels.Skeleton{}, 13, 1},
		{"sparse", twelveWidths(t, sparse), [2]*kernels.Skeleton{}, 13, 1},
		{"few weights", twelveWidths(t, dense), [2]*kernels.Skeleton{}, 4, 3},
		// Beside 300 widths two kernels have a weight, one of them times 0.
		{"skeleton", many, skeletons, 302, 2},
		{"no profiles", newBank(t, "others", dense, others, false, nil), [2]*kernels.Skeleton{}, few, 0},
	} {
		for _, double := range []bool{false, true} {
			eps := 3e-5
			if double {
				eps = 1e-11
			}
			one := lookScript(t, c.bank, Options{Threads: 1, Memory: 1 << 30, Skeletons: c.skel}, double, c.weights, c.functions, eps)
			two := lookScript(t, c.bank, Options{Threads: 3, Memory: 0, Skeletons: c.skel}, double, c.weights, c.functions, eps)
			if what := one.differs(two); what != "" {
				t.Errorf("%s, double %v: %s has other bits with more threads", c.name, double, what)
			}
		}
	}
}

// lookScript looks at points that sleep and rouses some of them, each first with a context that has
// ended.
func lookScript(t *testing.T, b *bank, o Options, double bool, weights, functions int,
	eps float64) *transcript {
	t.Helper()
	n, m := len(b.points.x), b.Len()
	gr, r := newGradient(t, b, o), &transcript{}
	twin := newGradient(t, b, Options{Threads: 1, Memory: 1 << 30, Skeletons: o.Skeletons})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	rng := random(t, 6)
	alpha, theta, want := make([]float64, n), make([]float64, m), make([]float64, n)
	for k := m - weights; k < m; k++ {
		theta[k] = rng.Float64()
	}
	sees := functions != 0
	check(gr.Rebuild(t.Context(), alpha, double))
	check(twin.Rebuild(t.Context(), alpha, double))
	awake := upTo(n)
	pass := func(q int) {
		t.Helper()
		set, delta := []int(nil), balancedNormals(rng, q)
		for _, k := range subset(rng, len(awake), q) {
			set = append(set, awake[k])
		}
		for k, i := range set {
			alpha[i] += delta[k]
		}
		check(gr.Pass(t.Context(), set, delta, alpha, theta, make([]float64, n), make([]float64, m)))
		check(twin.Pass(t.Context(), set, delta, alpha, theta, want, make([]float64, m)))
	}
	near := func(what string, got []float64, points []int) {
		t.Helper()
		size := 0.0
		for _, x := range want {
			size = max(size, math.Abs(x))
		}
		for _, i := range points {
			if !(math.Abs(got[i]-want[i]) <= eps*size) {
				t.Errorf("%s at point %d: %v, want %v of %v", what, i, got[i], want[i], size)
			}
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	pass(100)
	for _, share := range []int{2, 3} {
		awake = slices.DeleteFunc(awake, func(i int) bool { return i%share == 1 })
		check(gr.Shrink(t.Context(), awake, alpha))
		pass(40)
	}
	asleep := slices.DeleteFunc(upTo(n), func(i int) bool { _, yes := slices.BinarySearch(awake, i); return yes })
	look := func() {
		t.Helper()
		combined := make([]float64, n)
		if seen, err := gr.Look(ended, alpha, theta, combined); seen || sees && err == nil {
			t.Errorf("a look after the end of its context: %v, %v", seen, err)
		}
		before := gr.Stats().Entries
		seen, err := gr.Look(t.Context(), alpha, theta, combined)
		if check(err); seen != sees {
			t.Fatalf("there is a look: %v, want %v", seen, sees)
		}
		if !seen {
			return
		}
		near("a look", combined, asleep)
		r.add("look", combined)
		pairs := int64(0)
		for k := range gr.sleepers {
			pairs += int64(len(gr.sleepers[k].Index) * len(gr.sleepers[k].moved(alpha)))
		}
		if got := gr.Stats().Entries - before; got != pairs*int64(functions) {
			t.Errorf("a look took %d kernel values for %d pairs", got, pairs)
		}
	}
	look()
	roused := slices.DeleteFunc(slices.Clone(asleep), func(i int) bool { return i%5 > 0 })
	if err := gr.Rouse(ended, roused, alpha); err == nil {
		t.Error("points are roused after the end of the context")
	}
	look()
	check(gr.Rouse(t.Context(), roused, alpha))
	awake = append(awake, roused...)
	slices.Sort(awake)
	asleep = slices.DeleteFunc(asleep, func(i int) bool { return i%5 == 0 })
	pass(30)
	look()
	combined, v := make([]float64, n), make([]float64, m)
	check(gr.Pass(t.Context(), nil, nil, alpha, theta, combined, v))
	near("the combined gradient", combined, awake)
	r.add("combined", combined)
	if err := gr.RebuildActive(ended, awake, alpha, double); err == nil {
		t.Error("gradients are computed afresh after the end of the context")
	}
	if s, err := gr.State(t.Context()); err != nil || !s.Hollow || s.Active != nil {
		t.Errorf("%v: the state after a cut has gradients: %v, %v", err, s.Hollow, s.Active)
	}
	check(gr.RebuildActive(t.Context(), awake, alpha, double))
	pass(30)
	look()
	// Dual variables of one class sum to 1, which the constants of profiles have to be counted for.
	if o.Skeletons[0] == nil {
		alpha[awake[0]]++
		check(gr.RebuildActive(t.Context(), awake, alpha, double))
		check(twin.Rebuild(t.Context(), alpha, double))
		check(twin.Pass(t.Context(), nil, nil, alpha, theta, want, make([]float64, m)))
		look()
	}
	check(gr.Wake(t.Context(), alpha))
	check(gr.Pass(t.Context(), nil, nil, alpha, theta, combined, v))
	near("the combined gradient after waking", combined, upTo(n))
	r.add("all combined", combined)
	r.add("V", v)
	return r
}

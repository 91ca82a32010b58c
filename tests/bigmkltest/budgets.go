package bigmkltest

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/internal/bytesize"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/train"
	"bigmkl/internal/verifytest"
)

// SeveralGroups has distances, products, single features and random features.
const SeveralGroups = "gauss:0.05..0.4/3,laplace:0.2,linear,poly:2@1-3,gauss:0.5@4+5,gauss:auto/2@random:2*2"

// These are memory budgets in bytes at which cached rows spill to disk, and at which they do not.
const (
	Tight = 36 << 20
	Ample = 1 << 30
)

// Budgets returns the plan that a run, or a path, would make of its budgets.
func Budgets(t testing.TB, rows []dataset.Row, o bigmkl.Options, path bool) *bigmkl.Plan {
	t.Helper()
	ctx := context.Background()
	o.Scratch = t.TempDir()
	cut, err := o.Parts()
	if err != nil {
		t.Fatal(err)
	}
	w, err := train.Open(cut)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Path = path
	if err := w.Read(ctx, datasettest.Stream(rows)); err != nil {
		t.Fatal(err)
	}
	p, err := w.Plan(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Least returns the smallest memory budget that is enough for three threads and a few rows in the cache, and leaves the
// gradients out of core. If even the least budget of a small problem has room for them, it returns this budget.
func Least(t testing.TB, rows []dataset.Row, o bigmkl.Options) int64 {
	t.Helper()
	return LeastOf(t, rows, o, false)
}

// LeastOf is least for a run or, if path is set, for a path.
func LeastOf(t testing.TB, rows []dataset.Row, o bigmkl.Options, path bool) int64 {
	t.Helper()
	o.Memory, o.Threads, o.Cache = 1<<40, 3, cache.Auto
	all := Budgets(t, rows, o, path)
	o.Memory = all.Memory.Least + min(200<<10, all.Memory.Gradients)
	p := Budgets(t, rows, o, path)
	if p.Memory.Gradients != 0 {
		o.Memory = all.Memory.Least
		p = Budgets(t, rows, o, path)
	}
	if p.Memory.Rows <= 0 {
		t.Fatal("no memory is left for rows")
	}
	return o.Memory
}

// Slept reports whether points were left out of passes. In one precision and with 1 < p <= 2 every
// iteration takes one pass, and only waking takes more.
func Slept(r *bigmkl.Result) bool { return r.Gradient.Passes >= int64(r.Iterations)+2 }

// SameBits trains in several regimes and compares the model files. memory is the budget of the
// regime that caches all rows. It returns the result of that regime.
func SameBits(t *testing.T, rows []dataset.Row, o bigmkl.Options, memory int64) *bigmkl.Result {
	t.Helper()
	_, r := InRegimes(t, rows, o, memory)
	return r
}

// InRegimes is SameBits that returns the model as well.
func InRegimes(t *testing.T, rows []dataset.Row, o bigmkl.Options, memory int64) (*bigmkl.Model, *bigmkl.Result) {
	t.Helper()
	regimes := []bigmkl.Options{
		{Threads: 1, Cache: cache.Never},
		{Threads: 2, Cache: cache.Always, Memory: memory},
		{Threads: 3, Cache: cache.Auto, Memory: Least(t, rows, o)},
	}
	var want []byte
	var first *bigmkl.Model
	var seen *bigmkl.Result
	for i, g := range regimes {
		one := o
		one.Threads, one.Cache, one.Memory = g.Threads, g.Cache, g.Memory
		m, r := Converge(t, datasettest.Stream(rows), one)
		got := Encoded(t, m)
		if i == 0 {
			first, want = m, got
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			t.Logf("p=%.4g: %d iterations, %d passes, %d support vectors", m.Norm, r.Iterations, r.Gradient.Passes, len(m.Support))
		}
		if !bytes.Equal(got, want) {
			t.Errorf("p=%.4g: another model with %d threads, cache %s and %d bytes of memory", m.Norm, g.Threads, g.Cache, g.Memory)
		}
		if g.Cache == cache.Always {
			seen = r
		}
	}
	return first, seen
}

func Pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// Planned returns the plan of a run.
func Planned(t testing.TB, rows []dataset.Row, o bigmkl.Options) *bigmkl.Plan {
	t.Helper()
	p, err := bigmkl.NewPlan(t.Context(), datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TooSmall checks that a run is rejected because its memory or its disk is too small, which is what,
// and that the rejection names the least budget. If least equals zero, the number is not checked.
func TooSmall(t *testing.T, rows []dataset.Row, o bigmkl.Options, what string, least int64) {
	t.Helper()
	_, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
	if !errors.Is(err, fail.Budget) {
		t.Errorf("%d bytes of memory, %d of disk: %v", o.Memory, o.Disk, err)
		return
	}
	want := "the least that is enough is --" + what + " "
	if least > 0 {
		want += bytesize.Flag(least) + ")"
	}
	if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), " = ") {
		t.Errorf("%v, want %s", err, want)
	}
}

// LeastNamed gives the least sufficient budget by a rejection, in bytes.
func LeastNamed(t testing.TB, err error) int64 {
	t.Helper()
	named := regexp.MustCompile(`--memory ([0-9.]+)(MiB|GiB)(\)| is enough, and less may be\))`).FindStringSubmatch(err.Error())
	if !errors.Is(err, fail.Budget) || named == nil {
		t.Fatalf("no rejection that names a budget: %v", err)
	}
	x, err := strconv.ParseFloat(named[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return int64(x * map[string]float64{"MiB": 1 << 20, "GiB": 1 << 30}[named[2]])
}

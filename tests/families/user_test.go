package families

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// TestUserKernels: code that computes a built-in kernel gives the classifier of that kernel, for
// dense and sparse points, with every normalisation, over sets of features, and as a factor of a
// product.
func TestUserKernels(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.Magnitudes(datasettest.Clouds(datasettest.Random(t, 60), 100, 6))
	for _, layout := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
		for _, normalize := range []string{"none", "multiplicative", "spherical"} {
			o := bigmkl.Options{Normalize: normalize, Gap: 1e-6, Store: layout, Views: bigmkltest.TwoViews, UserKernels: bigmkltest.SomeUsers, Kernels: "user:g,user:dot@each-view,prod(user:dot@2-5,gauss:0.1),user:g@3"}
			a, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			o.Kernels = "gauss:0.3,poly:1:1:0@each-view,prod(linear@2-5,gauss:0.1),gauss:0.3@3"
			b, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			if p, q := a.Certificate.Primal, b.Certificate.Primal; math.Abs(p-q) > 2e-6*math.Abs(q) {
				t.Errorf("%s, %s: %.12g, by name %.12g", layout, normalize, p, q)
			}
			if a.Certificate.Kind != bigmkltest.ProvenGap {
				t.Errorf("certificate %q", a.Certificate.Kind)
			}
			bigmkltest.Verified(t, a, rows, bigmkltest.SomeUsers)
			by := bigmkltest.Decisions(t, b, rows, bigmkl.PredictOptions{})
			for i, f := range bigmkltest.Decisions(t, a, rows, bigmkl.PredictOptions{UserKernels: bigmkltest.SomeUsers}) {
				if math.Abs(f-by[i]) > 1e-2 {
					t.Errorf("%s, %s: row %d decides %v, by name %v", layout, normalize, i, f, by[i])
				}
			}
			if err := a.Predict(t.Context(), datasettest.Stream(rows), bigmkl.PredictOptions{}, nil); err == nil {
				t.Error("a prediction without the code")
			}
		}
	}
}

// TestUserKernelsHaveTheSameBits: threads and budgets change no bit of a model with kernels of the
// user. Their rows go through the cache, which spares calls.
func TestUserKernelsHaveTheSameBits(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 61), 540, 5) // more than tables have
	for name, o := range map[string]bigmkl.Options{
		"single": {Precision: "32"}, "double": {Gap: 1e-5}, "spherical": {Normalize: "spherical"}, "sparse": {Store: dataset.LayoutSparse, Normalize: "none"},
	} {
		t.Run(name, func(t *testing.T) {
			o.Kernels, o.Tuning = "user:g,user:dot@2-4,gauss:1,prod(user:g@1-2,poly:2)", chunking.Tuning{WorkingSet: 64}
			var want []byte
			var never int64
			for i, g := range []bigmkl.Options{{Threads: 1, Cache: cache.Never}, {Threads: 2, Cache: cache.Auto, Memory: 1 << 28}} {
				var calls atomic.Int64
				users := map[string]bigmkl.UserKernel{"g": bigmkltest.CodedGauss(0.3), "dot": bigmkltest.CodedProduct}
				for name, u := range users {
					c := u.(bigmkltest.Coded)
					c.Calls = &calls
					users[name] = c
				}
				o.Threads, o.Cache, o.Memory, o.UserKernels = g.Threads, g.Cache, g.Memory, users
				m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
				if i == 0 {
					want, never = bigmkltest.Encoded(t, m), calls.Load()
					bigmkltest.Verified(t, m, rows, users)
					continue
				}
				if !bytes.Equal(bigmkltest.Encoded(t, m), want) {
					t.Errorf("another model with %d threads and cache %s", g.Threads, g.Cache)
				}
				if r.Gradient.Cache.Hits == 0 || calls.Load() >= never {
					t.Errorf("%d hits, %d calls instead of %d", r.Gradient.Cache.Hits, calls.Load(), never)
				}
			}
		})
	}
}

// TestUserKernelsAreChecked: kernels are rejected if their values are not finite, not symmetric or
// not semi-definite although they claim it.
func TestUserKernelsAreChecked(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 62), 120, 4)
	indefinite := func(x, z []float32) float64 { return math.Tanh(float64(x[0])*float64(z[0]) - 3) }
	for name, c := range map[string]struct {
		kernel bigmkl.UserKernel
		class  error
		want   string
	}{
		"missing":    {nil, fail.Usage, "there is no code of the kernel user:k here"},
		"NaN":        {bigmkltest.Coded{Value: func(x, _ []float32) float64 { return math.Sqrt(float64(x[0])) }}, fail.Input, "the kernel user:k is NaN of rows "},
		"asymmetric": {bigmkltest.Coded{Value: func(x, z []float32) float64 { return float64(x[0]) * float64(z[1]) }}, fail.Input, "the kernel user:k is not symmetric: "},
		"indefinite": {bigmkltest.Coded{SemiDefinite: true, Value: indefinite}, fail.Input, "the kernel user:k says that it is positive semi-definite, and is not"},
	} {
		for _, list := range []string{"user:k", "gauss:1,pow(user:k,2)"} {
			o := bigmkl.Options{Kernels: list, Scale: "standard", UserKernels: map[string]bigmkl.UserKernel{"other": bigmkltest.CodedProduct}}
			if c.kernel != nil {
				o.UserKernels["k"] = c.kernel
			}
			_, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
			bigmkltest.Rejected(t, name, err, c.class)
			if err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
		}
	}
	users := map[string]bigmkl.UserKernel{"k": bigmkltest.Coded{Value: indefinite}}
	m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "user:k,gauss:1", Scale: "standard", UserKernels: users, Normalize: "none", MaxIterations: 200})
	if kind := m.Certificate.Kind; (kind == bigmkltest.Stationary) != (m.Theta[0] > 0) {
		t.Errorf("certificate %q with a weight of %v", kind, m.Theta[0])
	}
	bigmkltest.Verified(t, m, rows, users)
	_, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{})
	bigmkltest.Rejected(t, "verify without the code", err, fail.Usage)
	users["k"] = bigmkltest.Coded{Value: func(x, z []float32) float64 { return 1.1 * indefinite(x, z) }}
	if r, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{UserKernels: users}); m.Theta[0] > 0 && err == nil && len(r.Faults) == 0 {
		t.Error("verify has no complaint about other code")
	}
}

// TestUserKernelsOfSeveral: kernels of the user serve several classifiers, of pairs and of one
// class against the rest.
func TestUserKernelsOfSeveral(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 64), 240, 5, 3, false)
	for _, kind := range []string{bigmkl.OneVsRest, bigmkl.OneVsOne} {
		m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{Kernels: "user:g,prod(user:dot@1-3,gauss:0.1)", UserKernels: bigmkltest.SomeUsers, Multiclass: kind})
		bigmkltest.Verified(t, m, rows, bigmkltest.SomeUsers)
		right := 0
		for _, p := range outcomes(t, m, rows, bigmkl.PredictOptions{UserKernels: bigmkltest.SomeUsers}) {
			if p.Label == p.Known {
				right++
			}
		}
		if right < len(rows)*3/4 {
			t.Errorf("%s: %d of %d right", kind, right, len(rows))
		}
	}
}

// TestUserKernelsElsewhere: kernel matrices and alignments take kernels of the user, and a list may
// name the same code twice.
func TestUserKernelsElsewhere(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 63), 80, 5)
	o := bigmkl.Options{Kernels: "user:g,user:g@1-2,gauss:0.3,gauss:0.3@1-2", UserKernels: bigmkltest.SomeUsers, Normalize: "none"}
	a, err := bigmkl.Align(t.Context(), datasettest.Stream(rows), o, bigmkl.AlignOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(a.Kernels[0][2]-1) > 1e-12 || math.Abs(a.Kernels[1][3]-1) > 1e-12 || !slices.Equal(a.Specs[:2], []string{"user:g", "user:g@1-2"}) {
		t.Errorf("alignments %v of %v", a.Kernels, a.Specs)
	}
	p := bigmkltest.Planned(t, rows, o)
	if p.Groups != 4 {
		t.Errorf("%d groups", p.Groups)
	}
	var _ map[string]kernels.UserKernel = map[string]verify.UserKernel{}
}

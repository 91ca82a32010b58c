package gradient

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"testing"

	"bigmkl/cache"
	"bigmkl/internal/files"
	"bigmkl/internal/files/faulty"
	"bigmkl/internal/testlevel"
)

// TestSkeletonChangeWithFaults makes each operation on the scratch folder, or one of a few, fail in
// turn while the gradients go over from the kernels that are kept in float32 to those that are kept in float64. A
// Rebuild that fails leaves gradients that can be closed, and one that does not fail is whole.
func TestSkeletonChangeWithFaults(t *testing.T) {
	rng := random(t, 32)
	const n = 97
	p := uniform(rng, n, 5)
	b, skeletons := widths(t, p, false, false)
	set := subset(rng, n, 40)
	delta := balancedNormals(rng, len(set))
	theta, alpha := slices.Repeat([]float64{1}, b.Len()), make([]float64, n)
	for k, i := range set {
		alpha[i] = delta[k]
	}
	// start returns gradients of alpha that lie in a file, and whose rows are on a disk as well.
	start := func(scratch string) *Gradient {
		t.Helper()
		gr, err := New(p, b.Bank, Options{
			Threads: 2, Scratch: scratch, Skeletons: skeletons, DoubleRows: 1 << 17,
			Cache: cache.Options{
				Memory: 1 << 17, Mode: cache.Always, Disk: 1 << 30, Reserve: 1, Dir: scratch},
		})
		if err != nil {
			t.Fatal(err)
		}
		combined, v := make([]float64, n), make([]float64, b.Len())
		if err := gr.Pass(t.Context(), set, delta, alpha, theta, combined, v); err != nil {
			t.Fatal(err)
		}
		return gr
	}
	whole := start(t.TempDir())
	if err := whole.Rebuild(t.Context(), alpha, true); err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(whole.Values())
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	failed := 0
	stride := testlevel.Stride(3, 1)
	t.Logf("BIGMKL_SEED=%d", testlevel.Seed)
	for k, fault := range faulty.Faults {
		for at := int((testlevel.Seed + uint64(k)) % uint64(stride)); ; at += stride {
			scratch := t.TempDir()
			gr := start(scratch)
			fault.Folder = scratch
			strike := faulty.At(at, fault)
			restore := files.Inject(strike)
			err := gr.Rebuild(t.Context(), alpha, true)
			restore()
			struck := strike.Struck()
			if err != nil {
				failed++
			} else if !slices.Equal(gr.Values(), want) {
				t.Errorf("%s at operation %d, %v: other gradients and no error", fault.Name, at, struck)
			}
			gr.Stats()
			// The error of the first call comes from Rebuild or from the operation that was made to fail.
			if e := gr.Close(); e != nil && len(struck) == 0 {
				t.Errorf("%s at operation %d: %v", fault.Name, at, e)
			}
			if e := gr.Close(); e != nil {
				t.Errorf("%s at operation %d: the second Close says %v", fault.Name, at, e)
			}
			left, e := os.ReadDir(scratch)
			if e != nil {
				t.Fatal(e)
			}
			kept := slices.ContainsFunc(struck, func(op files.Op) bool {
				return op.Kind == files.OpRemove || op.Kind == files.OpList
			})
			if len(left) > 0 && !kept {
				t.Errorf("%s at operation %d, %v: %v is left", fault.Name, at, struck, left)
			}
			if len(struck) == 0 {
				if err != nil {
					t.Errorf("no operation has failed, and %v", err)
				}
				break
			}
			if cause := cmp.Or(errors.Unwrap(fault.Err), fault.Err); err != nil && !errors.Is(err, cause) {
				t.Errorf("%s at operation %d, %v: %v", fault.Name, at, struck, err)
			}
		}
	}
	t.Logf("%d operations failed the change", failed)
	if failed == 0 {
		t.Error("no operation failed the change")
	}
}

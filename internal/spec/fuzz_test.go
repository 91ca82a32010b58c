package spec

import (
	"errors"
	"testing"

	"bigmkl/internal/fail"
)

// Whatever is written, the answer is a bank that fits the context or an error of a class.
func FuzzExpand(f *testing.F) {
	for _, s := range []string{"gauss:auto/10@each-view", "gauss:2^-10..2^2", "poly:2:1/3:0@1-4+9", "linear@random:3*5", "-t 3 -g 1 -r 2", "precomputed:x", "chi2:1..2/3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		if len(list) > 0 && list[0] == '@' {
			t.Skip("files")
		}
		specs, err := Split(list)
		c := testContext()
		c.Limit = 10000
		var b *Bank
		if err == nil {
			b, err = Expand(specs, c)
		}
		if err != nil {
			if !errors.Is(err, fail.Usage) && !errors.Is(err, fail.Input) {
				t.Fatalf("%q: %v", list, err)
			}
			return
		}
		for m, k := range b.Kernels {
			if k.Set < AllFeatures || int(k.Set) >= len(b.Sets) || k.Gamma < 0 || k.Gamma-k.Gamma != 0 {
				t.Fatalf("%q: kernel %+v", list, k)
			}
			if again, err := Split(b.Describe(m)); err != nil && k.Kind != Precomputed {
				t.Fatalf("%q: %q does not read back: %v", list, again, err)
			}
		}
	})
}

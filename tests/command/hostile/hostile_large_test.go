package hostile

import (
	"os"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestHostileLarge: values that overflow single precision alone are trained with in double precision, and the model is the
// same for every cache. 0 times such a value would be NaN for some caches, and left out for others.
func TestHostileLarge(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", "1 1:1e10\n-1 1:3e10 2:1\n1 2:5e10\n-1 1:1 2:1\n1 1:2\n-1 2:2\n")
	for _, task := range []string{"class", "square", "rkda", "med"} {
		for kernels, large := range map[string]string{"poly:4,gauss:1": "1 (poly:4)", "gauss:1,prod(linear,linear,poly:2)": "2 (prod(linear,linear,poly:2))"} {
			args := []string{"train", "--quiet", "-o", f.At("m"), "--task", task, "--kernels", kernels, "--normalize", "none", "--max-iter", "20"}
			want := ""
			for _, cache := range []string{"auto", "always", "never"} {
				o := commandtest.Try(append(args, "--cache", cache, data)...)
				if o.Code != contract.ExitFine && o.Code != contract.ExitStopped {
					t.Fatalf("%s, %s, --cache %s: exit code %d: %s", task, kernels, cache, o.Code, o.Stderr)
				}
				b, err := os.ReadFile(f.At("m"))
				if err != nil {
					t.Fatal(err)
				}
				if want == "" {
					want = string(b)
					commandtest.Must(t, "verify", "--quiet", f.At("m"), data)
				} else if string(b) != want {
					t.Errorf("%s, %s, --cache %s: another model", task, kernels, cache)
				}
			}
			for _, cache := range []string{"auto", "always"} {
				commandtest.Check(t, f, commandtest.Fault{Args: append(args, "--precision", "32", "--cache", cache, data),
					Code: contract.ExitInput, Want: data + ": kernel " + large + " takes values that are not finite"})
			}
		}
	}
}

package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"encoding/json"
	"math"
	"testing"
)

// TestSolverFlag: whatever the solver, the optimum is the same, and the model is one like any other.
func TestSolverFlag(t *testing.T) {
	f := newFolder(t)
	data := f.file("data.txt", text(60, 1))
	dual := func(solver string) float64 {
		o := try("train", "--quiet", "--json", "--gap", "1e-6", "--norm", "1.2", "--solver", solver, "-o", f.at("m"), data)
		var r struct{ Dual float64 }
		if err := json.Unmarshal([]byte(o.stdout), &r); o.code != contract.ExitFine || err != nil {
			t.Fatalf("%s: exit code %d, %v: %s", solver, o.code, err, o.stderr)
		}
		if o := try("verify", f.at("m"), data); o.code != contract.ExitFine {
			t.Errorf("%s: verify ends with %d: %s", solver, o.code, o.stderr)
		}
		return r.Dual
	}
	want := dual("chunking")
	for _, solver := range []string{"wrapper", "cpm", "cpm-wrapper"} {
		if got := dual(solver); math.Abs(got-want) > 1e-5*want {
			t.Errorf("%s: dual %.9g, chunking %.9g", solver, got, want)
		}
	}
}

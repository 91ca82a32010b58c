package models

import (
	"encoding/json"
	"math"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestSolverFlag: whatever the solver, the optimum is the same, and the model is one like any other.
func TestSolverFlag(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data.txt", commandtest.Text(60, 1))
	dual := func(solver string) float64 {
		o := commandtest.Try("train", "--quiet", "--json", "--gap", "1e-6", "--norm", "1.2", "--solver", solver, "-o", f.At("m"), data)
		var r struct{ Dual float64 }
		if err := json.Unmarshal([]byte(o.Stdout), &r); o.Code != contract.ExitFine || err != nil {
			t.Fatalf("%s: exit code %d, %v: %s", solver, o.Code, err, o.Stderr)
		}
		if o := commandtest.Try("verify", f.At("m"), data); o.Code != contract.ExitFine {
			t.Errorf("%s: verify ends with %d: %s", solver, o.Code, o.Stderr)
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

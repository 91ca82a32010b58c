package thesis

import (
	"context"
	"math"
	"testing"

	"bigmkl"
	"bigmkl/bench/internal/baseline"
	"bigmkl/bench/internal/harness"
	"bigmkl/chunking"
	"bigmkl/verify"
)

// TestBaselinesAgree: SimpleMKL and HessianMKL end in the optimum of chunking, and verify confirms it.
func TestBaselinesAgree(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		d := harness.DataSet{Name: "synthetic images", Synthetic: &harness.Synthetic{Kind: "images", Points: 100, Features: 40, Seed: seed}}
		o := bigmkl.Options{Kernels: "gauss:auto/8,linear,poly:2", Norm: 1, Gap: 1e-5, Scratch: t.TempDir()}
		train := func(solver string) *bigmkl.Model {
			o := o
			if err := baseline.Set(&o, solver); err != nil {
				t.Fatal(err)
			}
			src, err := d.Open("")
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			m, r, err := bigmkl.Train(t.Context(), src, o)
			if err != nil || r.Status != chunking.Converged {
				t.Fatalf("seed %d, %s: %v, %v", seed, solver, r, err)
			}
			t.Logf("seed %d, %s: %d iterations, %d moves, gap %.2g", seed, solver, r.Iterations, r.Moves, m.Certificate.RelativeGap)
			return m
		}
		want := train("").Certificate
		for solver := range baseline.Rules {
			m := train(solver)
			if c := m.Certificate; math.Abs(c.Dual-want.Dual) > 2e-5*want.Primal || math.Abs(c.Primal-want.Primal) > 2e-5*want.Primal {
				t.Errorf("seed %d, %s: %+v, chunking %+v", seed, solver, c, want)
			}
			src, err := d.Open("")
			if err != nil {
				t.Fatal(err)
			}
			v, err := verify.Run(context.Background(), &m.Model, src, verify.Options{})
			src.Close()
			if err != nil || len(v.Faults) > 0 {
				t.Errorf("seed %d, %s: %v, %v", seed, solver, v, err)
			}
		}
	}
	o := bigmkl.Options{Norm: 2}
	if baseline.Set(&o, "simplemkl") == nil {
		t.Error("SimpleMKL for p = 2")
	}
}

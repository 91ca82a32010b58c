package main

import (
	"context"
	"math"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/verify"
)

func TestSolvers(t *testing.T) {
	r := found(t, "", "solvers", "--quick", "--sizes", "60", "--kernels", "5")
	if len(r.Tables) != 2 || len(r.Tables[0].Rows) != 10 || len(r.Tables[1].Rows) != 10 {
		t.Fatalf("%+v", r)
	}
	for _, table := range r.Tables {
		for _, row := range table.Rows {
			certified(t, row["run"].(map[string]any))
			if d, _ := row["dual_difference"].(float64); !(d <= 2e-3) {
				t.Errorf("%v: %v from chunking's dual", row["solver"], d)
			}
		}
	}
}

// TestBaselinesAgree: SimpleMKL and HessianMKL end in the optimum of chunking, and verify confirms it.
func TestBaselinesAgree(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		d := dataSet{Name: "synthetic images", Synthetic: &synthetic{Kind: "images", Points: 100, Features: 40, Seed: seed}}
		o := bigmkl.Options{Kernels: "gauss:auto/8,linear,poly:2", Norm: 1, Gap: 1e-5, Scratch: t.TempDir()}
		train := func(solver string) *bigmkl.Model {
			o := o
			if err := setSolver(&o, solver); err != nil {
				t.Fatal(err)
			}
			src, err := d.open("")
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
		for solver := range baselines {
			m := train(solver)
			if c := m.Certificate; math.Abs(c.Dual-want.Dual) > 2e-5*want.Primal || math.Abs(c.Primal-want.Primal) > 2e-5*want.Primal {
				t.Errorf("seed %d, %s: %+v, chunking %+v", seed, solver, c, want)
			}
			src, err := d.open("")
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
	if setSolver(&o, "simplemkl") == nil {
		t.Error("SimpleMKL for p = 2")
	}
}

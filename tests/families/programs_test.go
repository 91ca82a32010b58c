package families

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestPrograms: the programs of the paper have the criterion of the solver, and a certificate that verify confirms. Programs of other problems have
// a gap, and report it.
func TestPrograms(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 264)
	for _, k := range testlevel.Some(t, "", 2, []int{2, 3, -2, -3}) { // below 0 with a lambda that is found
		classes := max(k, -k)
		rows := datasettest.Clusters(rng, 36, 3, classes, false)
		o := bigmkl.Options{Task: bigmkl.TaskRKDA, Kernels: "gauss:0.05..5/3,linear", Lambda: 1e-2, Gap: 1e-6}
		if k < 0 {
			o.Lambda, o.JointCost = 0, true
		}
		want, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		for _, solver := range []string{bigmkl.SolverCPMWrapper, bigmkl.SolverQCQP, bigmkl.SolverSDP, bigmkl.SolverSDPApprox, bigmkl.SolverSDPKim} {
			o.Solver = solver
			if solver == bigmkl.SolverSDPKim && (classes > 2 || k < 0) {
				_, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o)
				if !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), "two classes") && !strings.Contains(err.Error(), "lambda is not found") {
					t.Errorf("%d classes by %s: %v", classes, solver, err)
				}
				continue
			}
			m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			other := solver == bigmkl.SolverSDPKim || solver == bigmkl.SolverSDPApprox && classes > 2
			warned := slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "another problem") })
			if got, c := m.Discriminant.Criterion, want.Discriminant.Criterion; other == (r.Status == chunking.Converged) || other != warned ||
				!other && math.Abs(got-c) > 1e-5*c {
				t.Errorf("%d classes by %s: %s, criterion %.8g, want %.8g, warnings %q", classes, solver, r.Status, got, c, r.Warnings)
			}
			if !other && math.Abs(m.Discriminant.Lambda-want.Discriminant.Lambda) > 5e-3 {
				t.Errorf("%d classes by %s: lambda %.5f, want %.5f", classes, solver, m.Discriminant.Lambda, want.Discriminant.Lambda)
			}
		}
	}
}

// TestProgramFaults: what programs do not go with, and one that does not fit the memory.
func TestProgramFaults(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]bigmkl.Options{
		"solver qcqp is for task rkda":               {Solver: bigmkl.SolverQCQP},
		"precision 32 with solver qcqp":              {Task: bigmkl.TaskRKDA, Solver: bigmkl.SolverQCQP, Precision: "32"},
		"p = 1.5 with solver sdp":                    {Task: bigmkl.TaskRKDA, Solver: bigmkl.SolverSDP, Norm: 1.5},
		"checkpoints hold the state of solver chunk": {Task: bigmkl.TaskRKDA, Solver: bigmkl.SolverCPMWrapper, Checkpoint: "x"},
	} {
		if err := o.Validate(); !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one with %q", err, want)
		}
	}
	rows := datasettest.Clusters(datasettest.Random(t, 265), 1200, 3, 3, false)
	_, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskRKDA, Solver: bigmkl.SolverQCQP, Kernels: "gauss:1,linear", Memory: 100 << 20})
	if !errors.Is(err, fail.Budget) || !strings.Contains(err.Error(), "matrices of the program") || !strings.Contains(err.Error(), "--memory 246MiB") {
		t.Errorf("%v", err)
	}
}

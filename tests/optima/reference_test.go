package optima

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

type optimum struct {
	Task, Kernels, Normalize, Data string
	P                              any
	C, Primal, Nu, Eps             float64
	Limit                          int
	Theta                          []float64
	WNorms                         []float64 `json:"w_norms"`
}

// share is the part of kernel m in ||v||^2 = sum theta_m V_m.
func (o *optimum) share(m int) float64 {
	total := 0.0
	part := func(m int) float64 { return o.WNorms[m] * o.WNorms[m] / o.Theta[m] }
	for k := range o.Theta {
		total += part(k)
	}
	return part(m) / total
}

func (o *optimum) norm() float64 {
	if p, ok := o.P.(float64); ok {
		return p
	}
	return math.Inf(1)
}

// TestReferenceOptima compares with optima certified by an interior-point solver.
func TestReferenceOptima(t *testing.T) {
	root := testlevel.NeedReference(t)
	f, err := os.Open(filepath.Join(root, "optima.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var want optimum
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		set, _, _ := strings.Cut(want.Data, ".")
		solvers := []string{bigmkl.SolverChunking}
		if want.Task == bigmkl.TaskSquare {
			solvers = append(solvers, bigmkl.SolverLBFGS)
		}
		for _, solver := range solvers {
			t.Run(fmt.Sprintf("%s/%s/p=%.4g/%s", want.Task, set, want.norm(), solver), func(t *testing.T) {
				path := bigmkltest.DataFile(t, set, want.Data)
				o := bigmkl.Options{
					Task: want.Task, Solver: solver, Kernels: want.Kernels, Norm: want.norm(), C: want.C, Gap: 1e-6, Normalize: want.Normalize, Limit: want.Limit, MaxIterations: 2000,
				}
				switch want.Task {
				case bigmkl.TaskSVR:
					o.Epsilon = want.Eps
				case bigmkl.TaskOneClass:
					o.Nu = want.Nu
				}
				m, r, err := bigmkl.Train(context.Background(), bigmkltest.OpenFor(t, want.Task, path), o)
				if err != nil {
					t.Fatal(err)
				}
				if r.Status != chunking.Converged {
					t.Errorf("status %s after %d iterations, gap %.3g", r.Status, r.Iterations, m.Certificate.RelativeGap)
				}
				t.Logf("%d iterations, gap %.2g", r.Iterations, m.Certificate.RelativeGap)
				if e := math.Abs(m.Certificate.Primal/want.Primal - 1); e > 1e-5 {
					t.Errorf("primal %.9g, reference %.9g: off by %.2g", m.Certificate.Primal, want.Primal, e)
				}
				top := 0.0
				for _, th := range want.Theta {
					top = max(top, th)
				}
				for i, th := range want.Theta {
					// Above p = 2 the weight of a kernel with hardly a part is the largest, and known to nobody: that of the linear
					// kernel of motorcycle, with 1e-4 of the norm, is 80.3 here and 83.16 at a gap of 4e-11.
					if want.Task != bigmkl.TaskClass && want.share(i) < 1e-3 {
						continue
					}
					if th > 1e-2*top && math.Abs(m.Theta[i]/th-1) > 1e-2 {
						t.Errorf("theta[%d] = %.6g, reference %.6g", i, m.Theta[i], th)
					}
				}
				verifytest.MustVerify(t, &m.Model, bigmkltest.OpenFor(t, want.Task, path))
			})
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

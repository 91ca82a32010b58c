package bigmkl

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

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/verify"
)

// dataFile finds a file of the real data sets, or skips the test.
func dataFile(t testing.TB, parts ...string) string {
	root := os.Getenv("BIGMKL_DATA")
	if root == "" {
		t.Skip("BIGMKL_DATA is not set: no real data")
	}
	return filepath.Join(append([]string{root}, parts...)...)
}

func open(t testing.TB, path string) *dataset.Reader {
	t.Helper()
	r, err := dataset.Open([]string{path}, dataset.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// mustVerify ends every training test: the certificate recomputed from model and data agrees with the model's.
// gram: the matrices of precomputed kernels.
func mustVerify(t testing.TB, m *Model, src dataset.Source, gram ...string) *verify.Report {
	t.Helper()
	r, err := verify.Run(context.Background(), &m.Model, src, verify.Options{Gram: gram})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Faults {
		t.Errorf("verify: %s", f)
	}
	if limit := 1.1 * max(m.Certificate.RelativeGap, m.Gap); !(r.RelativeGap <= limit) {
		t.Errorf("verified gap %.3g, the model claims %.3g (asked %.3g)", r.RelativeGap, m.Certificate.RelativeGap, m.Gap)
	}
	return r
}

type optimum struct {
	Task, Kernels, Normalize, Data string
	P                              any
	C, Primal                      float64
	Limit                          int
	Theta                          []float64
}

func (o *optimum) norm() float64 {
	if p, ok := o.P.(float64); ok {
		return p
	}
	return math.Inf(1)
}

// TestReferenceOptima compares with optima certified by an interior-point solver.
func TestReferenceOptima(t *testing.T) {
	root := os.Getenv("BIGMKL_REFERENCE")
	if root == "" {
		t.Skip("BIGMKL_REFERENCE is not set: no reference optima")
	}
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
		if want.Task != "class" {
			continue
		}
		set, _, _ := strings.Cut(want.Data, ".")
		t.Run(fmt.Sprintf("%s/p=%.4g", set, want.norm()), func(t *testing.T) {
			path := dataFile(t, set, want.Data)
			m, r, err := Train(context.Background(), open(t, path), Options{
				Kernels: want.Kernels, Norm: want.norm(), C: want.C, Gap: 1e-6, Normalize: want.Normalize, Limit: want.Limit, MaxIterations: 2000,
			})
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
				if th > 1e-2*top && math.Abs(m.Theta[i]/th-1) > 1e-2 {
					t.Errorf("theta[%d] = %.6g, reference %.6g", i, m.Theta[i], th)
				}
			}
			mustVerify(t, m, open(t, path))
		})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

package models

import (
	"math"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/dataset/npy"
	"bigmkl/tests/commandtest"
)

// TestAlign: people, programs and the matrix on disk are told the same.
func TestAlign(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	args := []string{"align", "--quiet", "--kernels", "gauss:0.05,linear,gauss:0.06,linear", "--sample", "0", "-o", f.At("A"), data}
	o := commandtest.Must(t, args...)
	j := commandtest.Object(t, contract.ExitFine, append(args, "--json")...)
	m, err := npy.Load(f.At("A"), 4)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	row := make([]float64, 4)
	for i, r := range j["matrix"].([]any) {
		m.Row64(i, 0, row)
		for k, v := range r.([]any) {
			if v.(float64) != row[k] {
				t.Errorf("entry %d, %d: %v and %v", i, k, v, row[k])
			}
		}
	}
	kernel := j["kernels"].([]any)[1].(map[string]any)
	if kernel["nearest"] != 3.0 || math.Abs(kernel["nearest_alignment"].(float64)-1) > 1e-12 || kernel["spec"] != "linear" || !(kernel["labels"].(float64) > 0) {
		t.Errorf("%v", kernel)
	}
	if j["n"] != j["sample"] || j["centred"] != true || !strings.Contains(o.Stdout, "centred alignments of 4 kernels, over the pairs of all ") || strings.Count(o.Stdout, "\n") != 7 {
		t.Errorf("%v\n%s", j, o.Stdout)
	}
	sampled := commandtest.Must(t, "align", "--quiet", "--plain", "--kernels", "gauss:0.05,gauss:0.01..1/30,gauss:1@1", "--sample", "50", data)
	if !strings.Contains(sampled.Stdout, "plain alignments of 32 kernels, over the pairs of a sample of 50 of the ") || !strings.Contains(sampled.Stdout, "and 12 further ones") {
		t.Error(sampled.Stdout)
	}
	// A kernel that is constant is like nothing.
	f.File("flat", "1 1:1 2:3\n-1 1:1 2:4\n1 1:1 2:6\n")
	j = commandtest.Object(t, contract.ExitFine, "align", "--quiet", "--json", "--kernels", "linear@1,linear@2", f.At("flat"))
	if k := j["kernels"].([]any)[0].(map[string]any); k["labels"] != nil || k["nearest"] != nil || k["nearest_alignment"] != nil {
		t.Errorf("%v", k)
	}
	if o := commandtest.Must(t, "align", "--quiet", "--kernels", "linear@1,linear@2", f.At("flat")); !strings.Contains(o.Stdout, "-  ") {
		t.Error(o.Stdout)
	}
}

package peers

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"bigmkl/bench/internal/harness"
	"bigmkl/bench/internal/harness/harnesstest"
	"bigmkl/dataset"
)

func TestParseLIBSVM(t *testing.T) {
	const printed = "..*.*\noptimization finished, #iter = 1042\nnu = 0.367000\nobj = -11596.354818, rho = 0.412\nnSV = 11958, nBSV = 11836\nTotal nSV = 11958\n"
	dual, support, bounded, err := parseLIBSVM(printed)
	if err != nil || dual != 11596.354818 || support != 11958 || bounded != 11836 {
		t.Errorf("%v, %d, %d, %v", dual, support, bounded, err)
	}
	if _, _, _, err := parseLIBSVM("Can't open input file"); err == nil || !strings.Contains(err.Error(), "Can't open") {
		t.Errorf("%v", err)
	}
	if _, _, _, err := parseLIBSVM("obj = nonsense, rho = 1\nnSV = 1, nBSV = 0"); err == nil {
		t.Error("no complaint about an objective that is no number")
	}
	wrong, err := parsePrediction("Accuracy = 84.9886% (13837/16281) (classification)\n")
	if err != nil || math.Abs(wrong-15.0114) > 1e-9 {
		t.Errorf("%v, %v", wrong, err)
	}
	if _, err := parsePrediction(""); err == nil {
		t.Error("no complaint about no output")
	}
}

func TestTextOfAProblem(t *testing.T) {
	rows := []dataset.Row{
		{Label: "4", Index: []int32{0, 9}, Value: []float64{51, 255}},
		{Label: "7", Index: []int32{2}, Value: []float64{85}},
	}
	src := dataset.FromSeq(func(yield func(dataset.Row) bool) {
		for _, r := range rows {
			if !yield(r) {
				return
			}
		}
	})
	defer src.Close()
	var b bytes.Buffer
	p := peerProblem{positive: harness.EvenDigits, scale: 1.0 / 255}
	if err := p.rows(context.Background(), &b, src); err != nil || b.String() != "1 1:0.2 10:1\n-1 3:0.33333334\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestAbsentPeersAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	row, err := runSVMTrain(context.Background(), harnesstest.NewSession(t), &peerProblem{}, "", "")
	if err != nil || !strings.Contains(row.Status, "libsvm-tools") {
		t.Errorf("%+v, %v", row, err)
	}
}

package main

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

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
	p := peerProblem{positive: evenDigits, scale: 1.0 / 255}
	if err := p.rows(context.Background(), &b, src); err != nil || b.String() != "1 1:0.2 10:1\n-1 3:0.33333334\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// TestPeers compares with whatever is installed; what is not is named.
func TestPeers(t *testing.T) {
	r := found(t, "", "peers", "--quick")
	rows := r.Tables[0].Rows
	if len(rows) != 3 || rows[0]["program"] != "bigmkl" || rows[0]["status"] != "converged" {
		t.Fatalf("%+v", rows)
	}
	for _, row := range rows[1:] {
		status := row["status"].(string)
		if strings.HasPrefix(status, "not installed: apt-get install ") {
			continue
		}
		if status != "done" {
			t.Errorf("%v: %s", row["program"], status)
		}
		if apart, _ := row["dual_difference"].(float64); apart > 1e-3 {
			t.Errorf("%v: the objectives %v and %v are %g apart", row["program"], row["dual"], rows[0]["dual"], apart)
		}
	}
}

func TestAbsentPeersAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	row, err := runSVMTrain(context.Background(), testSession(t), &peerProblem{}, "", "")
	if err != nil || !strings.Contains(row.Status, "libsvm-tools") {
		t.Errorf("%+v, %v", row, err)
	}
}

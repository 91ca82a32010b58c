package peers

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/bench/internal/harness"
	"bigmkl/bench/internal/harness/harnesstest"
	"bigmkl/dataset"
)

func TestParseDual(t *testing.T) {
	const printed = "..*.*\noptimization finished, #iter = 1042\nnu = 0.367000\n" +
		"obj = -11596.354818, rho = 0.412\nnSV = 11958, nBSV = 11836\nTotal nSV = 11958\n"
	if dual, err := parseDual(printed); err != nil || dual != 11596.354818 {
		t.Errorf("%v, %v", dual, err)
	}
	if _, err := parseDual("Can't open input file"); err == nil || !strings.Contains(err.Error(), "Can't open") {
		t.Errorf("%v", err)
	}
	if _, err := parseDual("obj = nonsense, rho = 1\n"); err == nil {
		t.Error("no complaint about an objective that is no number")
	}
}

func TestTextOfALine(t *testing.T) {
	source := func() dataset.Source {
		return harness.SourceOf([]dataset.Row{
			{Label: "4", Target: 1.5, Index: []int32{0, 9}, Value: []float64{51, 255}},
			{Label: "7", Target: -2, Index: []int32{2, 9}, Value: []float64{-85, 51}},
		})
	}
	for _, c := range []struct {
		line workLine
		want string
	}{
		{workLine{positive: harness.EvenDigits, scale: 1.0 / 255}, "1 1:0.2 10:1\n-1 3:-0.3333333 10:0.2\n"},
		{workLine{regression: true}, "1.5 1:51 10:255\n-2 3:-85 10:51\n"},
		{workLine{minmax: true, pairs: true}, "4 1:1 3:1 10:1\n7\n"},
	} {
		var b bytes.Buffer
		rows, err := c.line.copyRows(t.Context(), &b, source())
		if err != nil || b.String() != c.want || len(rows.label) != 2 {
			t.Errorf("%q, want %q, %v", b.String(), c.want, err)
		}
	}
}

// TestGapOfPairs compares the gap of three points, each a class of its own, with closed forms: a pair of points
// with the kernel value k and a coefficient a has |w|^2 = 2 a^2 (1 - k), the dual 2 a - a^2 (1 - k), and, without
// bias, the losses max(0, 1 - a (1 - k)) twice.
func TestGapOfPairs(t *testing.T) {
	const gamma, c = 0.5, 3.0
	at := []float64{0, 1, 3}
	a := [3]float64{0.7, 0.9, 1.1} // of the pairs 0 and 1, 0 and 2, 1 and 2
	want := 0.0
	for pair, of := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		d := at[of[0]] - at[of[1]]
		free := 1 - math.Exp(-gamma*d*d)
		square := a[pair] * a[pair] * free
		primal, dual := square+2*c*max(0, 1-a[pair]*free), 2*a[pair]-square
		want = max(want, (primal-dual)/primal)
	}
	model := fmt.Sprintf("svm_type c_svc\nkernel_type rbf\ngamma %g\nnr_class 3\ntotal_sv 3\n"+
		"rho 0 0 0\nlabel 5 2 9\nnr_sv 1 1 1\nSV\n"+
		"%g %g\n%g %g 1:1\n%g %g 1:3\n", gamma, a[0], a[1], -a[0], a[2], -a[1], -a[2])
	rows := &labelledText{label: []float64{2, 9, 5}, index: [][]int32{{1}, {1}, nil}, value: [][]float32{{1}, {3}, nil}}
	for _, threads := range []int{1, 2} {
		got, err := gapOf(t.Context(), modelFile(t, model), rows, &workLine{c: c}, 0, threads)
		if err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("a gap of %g, want %g, %v", got, want, err)
		}
	}
	rows.label[0] = 3
	_, err := gapOf(t.Context(), modelFile(t, model), rows, &workLine{c: c}, 0, 1)
	if err == nil || !strings.Contains(err.Error(), "no class 3") {
		t.Errorf("%v", err)
	}
}

// TestGapOfARegression compares the gap of two points with closed forms.
func TestGapOfARegression(t *testing.T) {
	const gamma, c, a, rho, epsilon, dual = 0.5, 3.0, 0.8, -0.25, 0.1, 0.9
	model := fmt.Sprintf("svm_type epsilon_svr\nkernel_type rbf\ngamma %g\nnr_class 2\ntotal_sv 2\n"+
		"rho %g\nSV\n%g \n%g 1:1\n", gamma, rho, a, -a)
	rows := &labelledText{label: []float64{2, -1}, index: [][]int32{nil, {1}}, value: [][]float32{nil, {1}}}
	free := 1 - math.Exp(-gamma)
	primal := a*a*free + c*(2-(a*free-rho)-epsilon) + c*(-a*free-rho+1-epsilon)
	got, err := gapOf(t.Context(), modelFile(t, model), rows, &workLine{c: c, epsilon: epsilon, regression: true}, dual, 1)
	if want := (primal - dual) / primal; err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("a gap of %g, want %g, %v", got, want, err)
	}
}

// modelFile writes a model.
func modelFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAbsentPeersAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r := &harness.Report{}
	// scikit-learn may belong to the interpreter of the system, whose path is known.
	list := installedPeers(t.Context(), r)
	if len(list)+len(r.Notes) != 3 || !strings.Contains(r.Notes[0], "libsvm-tools") ||
		!strings.Contains(r.Notes[1], "ThunderSVM") {
		t.Errorf("%d peers, %q", len(list), r.Notes)
	}
}

func TestAbsentSetsAreNamed(t *testing.T) {
	s, r := harnesstest.NewSession(t), &harness.Report{}
	s.Data, s.Quick = "", false
	list := chooseLines(s, r, []string{"letter", "generated text"})
	if len(list) != 1 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "letter is absent") {
		t.Errorf("%+v, %q", list, r.Notes)
	}
}

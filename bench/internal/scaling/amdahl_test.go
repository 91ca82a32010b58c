package scaling

import (
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/bench/internal/harness"
	"bigmkl/bench/internal/harness/harnesstest"
)

func TestAmdahl(t *testing.T) {
	o := harness.Outcome{Seconds: 10, PassSeconds: 5, SleepSeconds: 1, ModelSeconds: 1.5, CheckSeconds: 0.25, LoopSeconds: 0.25}
	if s := serialShare(o); math.Abs(s-0.2) > 1e-12 {
		t.Errorf("a serial share of %g, want 0.2", s)
	}
	for cores, want := range map[int]float64{1: 1, 16: 4, 64: 64 / 13.6} {
		if got := amdahl(0.2, cores); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d cores: %g, want %g", cores, got, want)
		}
	}
	pair := medianPair([][2]harness.Outcome{{{Seconds: 4}, {Seconds: 1}}, {{Seconds: 2}, {Seconds: 2}}, {{Seconds: 3}, {Seconds: 2}}})
	if pair[0].Seconds != 3 {
		t.Errorf("the median pair is %g s and %g s", pair[0].Seconds, pair[1].Seconds)
	}
}

// TestSerialShares trains on the one set that is there and names the absent ones.
func TestSerialShares(t *testing.T) {
	s := harnesstest.NewSession(t)
	dir := t.TempDir()
	s.Data = harness.Folder(dir)
	if err := os.Mkdir(filepath.Join(dir, "ijcnn1"), 0o777); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, "ijcnn1", "ijcnn1.libsvm.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(file)
	for i := range 400 {
		x := float64(i%20) / 20
		fmt.Fprintf(z, "%d 1:%g 2:%g\n", 1-2*(i%2), x+0.4*float64(i%2), math.Cos(float64(i)))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	r := &harness.Report{}
	if err := tabulateSerialShares(context.Background(), s, r); err != nil {
		t.Fatal(err)
	}
	table := r.Tables[0]
	if len(table.Rows) != 1 || !strings.Contains(strings.Join(table.Notes, "\n"), "a9a, w8a") {
		t.Fatalf("%d rows, notes %q", len(table.Rows), table.Notes)
	}
	row := table.Rows[0].(serialRow)
	if row.Data != "ijcnn1" || !(row.Share > 0 && row.Share < 100) || !(row.Limit16 <= row.Limit64) ||
		!(row.Limit64 < 64) || !(row.Faster > 0) {
		t.Errorf("%+v", row)
	}
}

package targets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/bench/internal/harness"
	"bigmkl/bench/internal/harness/harnesstest"
	"bigmkl/cache"
)

// dataFolder has empty files where data sets would lie.
func dataFolder(t *testing.T, names ...string) harness.Folder {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		folder := filepath.Join(dir, strings.TrimSuffix(name, ".t"))
		if err := errors.Join(os.MkdirAll(folder, 0o777), os.WriteFile(filepath.Join(folder, name+".libsvm.gz"), nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return harness.Folder(dir)
}

func TestTargetsAreRunsThatTrainAccepts(t *testing.T) {
	s := harnesstest.NewSession(t)
	s.Data = dataFolder(t, "mnist", "mnist.t", "a9a", "a9a.t", "w8a", "ijcnn1", "sonar", "kddcup99")
	seen := map[string]bool{}
	for _, c := range allTargets(s) {
		if seen[c.name] || c.what == "" || c.floor.limit <= 0 || c.measure == nil || len(c.runs) == 0 {
			t.Errorf("%s: %+v", c.name, c)
		}
		seen[c.name] = true
		runs := c.runs
		if c.then != nil {
			runs = append(runs, c.then([]harness.Outcome{{Certificate: harness.Certificate{Anonymous: 8 << 30}}})...)
		}
		for _, u := range runs {
			if err := u.Options.Validate(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if p, err := harness.ParseNorm(u.Norm); err != nil || p < 1 {
				t.Errorf("%s: norm %s: %v", c.name, u.Norm, err)
			}
			if (u.Data.Name == "mnist") != slices.Equal(u.Options.Positive, harness.EvenDigits) {
				t.Errorf("%s: positive %v", c.name, u.Options.Positive)
			}
		}
	}
	for _, want := range []string{"mnist-1500MB", "pass", "threads", "sonar-million", "kddcup99", "libsvm-mnist", "shogun-8000", "disk", "quarter"} {
		if !seen[want] {
			t.Errorf("no target %s", want)
		}
	}
}

func TestFloors(t *testing.T) {
	if f := atMost(3, "s"); !f.met(3) || f.met(3.1) || f.String() != "at most 3 s" {
		t.Errorf("%v", f)
	}
	if f := atLeast(1.5, "x"); !f.met(1.5) || f.met(1.4) || f.String() != "at least 1.5 x" {
		t.Errorf("%v", f)
	}
}

// TestJudge measures a target made of tiny runs; the first run is shared and done once.
func TestJudge(t *testing.T) {
	b := &judgement{Session: harnesstest.NewSession(t), runs: map[string]harness.Outcome{}, table: &harness.Table{}}
	tiny := tierProblem{200, 20, 60 << 20}
	c := targetCase{
		name: "tiny", floor: atLeast(0, "x"), runs: tiny.runs(cache.Never, cache.Never),
		then:    func([]harness.Outcome) []harness.Training { return tiny.runs(cache.Always) },
		measure: func(_ *harness.Session, o []harness.Outcome) (float64, string) { return float64(len(o)), "three" },
	}
	var row targetRow
	if err := b.judge(context.Background(), c, &row); err != nil || row.Measured != 3 || row.Verdict != "met" || row.How != "three" {
		t.Errorf("%+v, %v", row, err)
	}
	if len(b.table.Rows) != 2 {
		t.Errorf("%d trainings for two different runs", len(b.table.Rows))
	}
	c.runs[0].Options.MaxIterations = 1
	if err := b.judge(context.Background(), c, &row); err != nil || !strings.HasPrefix(row.Verdict, "not met: iteration") {
		t.Errorf("%+v, %v", row, err)
	}
}

func TestSelectTargets(t *testing.T) {
	all := allTargets(harnesstest.NewSession(t))
	some, err := selectTargets(all, []string{"shogun", "shogun-4000", "pass"})
	if err != nil || len(some) != 4 || some[3].name != "pass" {
		t.Errorf("%d, %v", len(some), err)
	}
	if _, err := selectTargets(all, []string{"nothing"}); err == nil || !strings.Contains(err.Error(), "kddcup99") {
		t.Errorf("%v", err)
	}
}

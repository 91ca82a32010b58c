package hostile

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/dataset/holdout"
	"bigmkl/internal/heaptest"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestHostileScores: calibration scores that no training leaves are rejected by whatever reads a model, and claims of a file about its rows cost no
// memory beyond the budget.
func TestHostileScores(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("rows", commandtest.ThreeClasses(60))
	commandtest.Must(t, "train", "--quiet", "--kernels", "linear", "--multiclass", "ovr", "--conformal", "split:0.5,by-class", "-o", f.At("m"), data)
	good := f.Read("m")
	f.File("forged", commandtest.TakeApart(t, good).Build())
	commandtest.Must(t, "verify", f.At("forged"), data)
	settings := func(m *commandtest.Forgery) map[string]any { return m.Settings["conformal"].(map[string]any) }
	set := func(key string, v any) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { settings(m)[key] = v }
	}
	number := func(i int, v float64) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) { m.Double("conformal_scores", i, v) }
	}
	for name, change := range map[string]func(*commandtest.Forgery){
		"NaN": number(0, math.NaN()), "infinite": number(29, math.Inf(1)), "below every number": number(0, math.Inf(-1)), "unsorted": number(0, math.MaxFloat64),
		"no scores": func(m *commandtest.Forgery) { m.Drop("conformal_scores") }, "empty": func(m *commandtest.Forgery) { m.Zeros("conformal_scores", 0) }, "more": func(m *commandtest.Forgery) { m.Zeros("conformal_scores", 31) },
		"no counts": func(m *commandtest.Forgery) { m.Drop("conformal_counts") }, "two counts": func(m *commandtest.Forgery) { m.Zeros("conformal_counts", 2) }, "counts of 0": func(m *commandtest.Forgery) { m.Zeros("conformal_counts", 3) },
		"scores without settings": func(m *commandtest.Forgery) { delete(m.Settings, "conformal") }, "settings alone": func(m *commandtest.Forgery) { m.Drop("conformal_scores"); m.Drop("conformal_counts") }, "none of folds": func(m *commandtest.Forgery) {
			m.Drop("conformal_scores")
			m.Zeros("conformal_counts", 3)
			delete(settings(m), "share")
			settings(m)["folds"], settings(m)["rows"] = 3, 30
		},
		"rows": set("rows", 70), "rows beyond": set("rows", int64(1)<<40), "rows below": set("rows", -60), "share": set("share", 1e-300), "share beyond": set("share", 2), "folds": set("folds", 5),
		"not by class": set("by_class", false), "unbounded": set("unbounded", []int{math.MaxInt32, math.MaxInt32, math.MaxInt32}), "one unbounded": set("unbounded", []int{1}), "unbounded below": set("unbounded", []int{-1, 1, 0}),
		"unknown field": set("surprise", 1), "a word": func(m *commandtest.Forgery) { m.Settings["conformal"] = "split" }, "a task without": func(m *commandtest.Forgery) { m.Settings["multiclass"] = "labels" },
	} {
		t.Run(name, func(t *testing.T) {
			m := commandtest.TakeApart(t, good)
			change(m)
			bad := f.File("forged", m.Build())
			for _, args := range testlevel.Some(t, "", 2, [][]string{
				{"inspect", bad}, {"predict", "--coverage", "0.9", bad, data, "-o", f.At("out")}, {"verify", bad, data}, {"report", bad, "-o", f.At("out")}, {"config", "--of", bad}, {"serve", bad},
				{"export", "--to", "json", "-o", f.At("out"), bad}, {"train", "--quiet", "-o", f.At("new"), "--init", bad, data},
			}) {
				used := heaptest.Allocated(func() {
					commandtest.Check(t, f, commandtest.Fault{Name: name, Args: args, Code: contract.ExitCorrupt, Want: bad + ": "})
				})
				if used > 64<<20 {
					t.Errorf("%s allocates %d MiB", args[0], used>>20)
				}
			}
		})
	}
	// 2^31-1 rows of which all but 30 were held out is a claim that the model cannot refute.
	m := commandtest.TakeApart(t, good)
	rows := math.MaxInt32
	share := 1 - 30/float64(rows)
	if rows-holdout.Count(rows, share) != 30 {
		t.Fatalf("a share of %g leaves %d rows", share, rows-holdout.Count(rows, share))
	}
	set("rows", rows)(m)
	set("share", share)(m)
	bad := f.File("forged", m.Build())
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"verify", "--memory", "1GiB", bad, data}, contract.ExitBudget, fmt.Sprintf("for the %d rows of which some were held out", rows)},
		{[]string{"predict", "--quiet", "--coverage", "0.9", "-o", f.At("sets"), bad, data}, contract.ExitFine, ""},
		{[]string{"report", "--quiet", "--test", data, "-o", f.At("page"), bad}, contract.ExitFine, ""}, {[]string{"inspect", bad}, contract.ExitFine, ""},
	} {
		var o commandtest.Outcome
		used := heaptest.Allocated(func() { o = commandtest.Try(c.args...) })
		if o.Code != c.code || !strings.Contains(o.Stderr, c.want) || used > 64<<20 {
			t.Errorf("%q: exit code %d, %d MiB\n%s", c.args, o.Code, used>>20, o.Stderr)
		}
	}
}

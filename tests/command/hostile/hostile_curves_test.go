package hostile

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/heaptest"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestHostileCurves: residuals and shares that no training leaves are rejected by whatever reads a model.
func TestHostileCurves(t *testing.T) {
	f := commandtest.NewFolder(t)
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "%d%s 1:%d 2:%d\n", 1+i%7, [2]string{"", "+"}[i/3%2], i%5, i%11)
	}
	data := f.File("rows", text.String())
	commandtest.Must(t, "train", "--quiet", "--kernels", "linear", "--task", "survival", "--conformal", "folds:3", "-o", f.At("m"), data)
	good := f.Read("m")
	f.File("forged", commandtest.TakeApart(t, good).Build())
	commandtest.Must(t, "verify", f.At("forged"), data)
	number := func(array string, i int, v float64) func(*commandtest.Forgery) {
		return func(m *commandtest.Forgery) {
			binary.LittleEndian.PutUint64(m.Body[array][8*i:], math.Float64bits(v))
		}
	}
	settings := func(m *commandtest.Forgery) map[string]any { return m.Settings["conformal"].(map[string]any) }
	for name, change := range map[string]func(*commandtest.Forgery){
		"no shares": func(m *commandtest.Forgery) { m.Drop("conformal_shares") }, "no residuals": func(m *commandtest.Forgery) { m.Drop("conformal_scores") },
		"neither":         func(m *commandtest.Forgery) { m.Drop("conformal_scores"); m.Drop("conformal_shares") },
		"empty":           func(m *commandtest.Forgery) { m.Zeros("conformal_scores", 0); m.Zeros("conformal_shares", 0) },
		"very many":       func(m *commandtest.Forgery) { m.Zeros("conformal_scores", 1<<16); m.Zeros("conformal_shares", 1<<16) },
		"shares without":  func(m *commandtest.Forgery) { delete(m.Settings, "conformal"); m.Drop("conformal_scores") },
		"another task":    func(m *commandtest.Forgery) { m.Settings["task"] = "quantile" },
		"upper bounds":    func(m *commandtest.Forgery) { m.Settings["interval_censored"] = true },
		"NaN":             number("conformal_scores", 0, math.NaN()),
		"infinite":        number("conformal_scores", 0, math.Inf(-1)),
		"falling":         number("conformal_scores", 1, -1e9),
		"a share of 1":    number("conformal_shares", 0, 1),
		"a share below 0": number("conformal_shares", 0, -0.5),
		"a share of NaN":  number("conformal_shares", 1, math.NaN()),
		"a rising share":  number("conformal_shares", 1, 0.9999),
		"by class":        func(m *commandtest.Forgery) { settings(m)["by_class"] = true },
		"rows":            func(m *commandtest.Forgery) { settings(m)["rows"] = 61 },
	} {
		t.Run(name, func(t *testing.T) {
			m := commandtest.TakeApart(t, good)
			change(m)
			bad := f.File("forged", m.Build())
			for _, args := range testlevel.Some(t, "", 2, [][]string{
				{"inspect", bad}, {"predict", "--survival-at", "1,2", bad, data, "-o", f.At("out")}, {"verify", bad, data}, {"report", bad, "-o", f.At("out")}, {"config", "--of", bad}, {"serve", bad},
				{"export", "--to", "onnx", "-o", f.At("out"), bad},
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
}

package faults

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestSelectUnderEveryFault: of a new folder, and of one that has a part of the selection already. Whatever failed, --resume then
// finds what one run finds.
func TestSelectUnderEveryFault(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(24, 1))
	sel, half := filepath.Join(t.TempDir(), "s"), filepath.Join(t.TempDir(), "half")
	args := []string{"select", "--quiet", "--resume", "--kernels", "linear,gauss:0.05", "--grid-C", "0.1,1", "--folds", "2", "--no-baselines", "-o", sel, data}
	commandtest.Must(t, append(slices.Clone(args), "-o", half, "--part", "1/2")...)
	// A tuning has measured all but the last points without one fold.
	tuning := append(slices.Clone(args), "--grid-C", "1", "--tune", "cost")
	most := filepath.Join(t.TempDir(), "most")
	commandtest.Must(t, append(slices.Clone(tuning), "-o", most)...)
	measured, _ := filepath.Glob(filepath.Join(most, "tuning", "*.json"))
	for _, name := range append(measured[len(measured)-2:], filepath.Join(most, "table.json"), filepath.Join(most, contract.BestFile)) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	trials := map[string]struct {
		args  []string
		begin func() error
	}{
		"new":    {args, func() error { return os.RemoveAll(sel) }},
		"half":   {args, func() error { os.RemoveAll(sel); return os.CopyFS(sel, os.DirFS(half)) }},
		"tuning": {tuning, func() error { os.RemoveAll(sel); return os.CopyFS(sel, os.DirFS(most)) }},
	}
	done := struck{}
	for _, name := range inDrawnOrder(t, trials) {
		var want string
		args, begin := trials[name].args, trials[name].begin
		t.Run(name, func(t *testing.T) {
			everyFault(t, trial{
				Folder: f, inputs: []string{data}, outputs: []string{"table.json", contract.BestFile}, struck: done,
				run: func() commandtest.Outcome {
					if err := begin(); err != nil {
						t.Fatal(err)
					}
					o := commandtest.Try(args...)
					for _, out := range []string{"table.json", contract.BestFile} {
						if b, err := os.ReadFile(filepath.Join(sel, out)); err == nil {
							f.File(out, string(b))
						}
					}
					for _, path := range []string{sel, filepath.Join(sel, "chains"), filepath.Join(sel, "tuning")} {
						entries, _ := os.ReadDir(path)
						for _, e := range entries {
							if strings.Contains(e.Name(), ".tmp") {
								t.Errorf("%s is left behind", e.Name())
							}
						}
					}
					return o
				},
				after: func() {
					commandtest.Must(t, args...)
					if got := commandtest.Selected(t, sel); want == "" {
						want = got
					} else if got != want {
						t.Error("--resume finds something else")
					}
				},
			})
		})
	}
}

package faults

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestImportanceUnderEveryFault: of a new folder, and of one that has most of the importance already. Whatever failed, --resume
// then finds what one run finds.
func TestImportanceUnderEveryFault(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(24, 1))
	folder, most := filepath.Join(t.TempDir(), "i"), filepath.Join(t.TempDir(), "most")
	args := commandtest.Measuring(data, folder, "--resume")
	commandtest.Must(t, append(slices.Clone(args), "-o", most, "--part", "1/2")...)
	trials := map[string]func() error{
		"new":  func() error { return os.RemoveAll(folder) },
		"most": func() error { os.RemoveAll(folder); return os.CopyFS(folder, os.DirFS(most)) },
	}
	done := struck{}
	for _, name := range testlevel.Some(t, "", 1, inDrawnOrder(t, trials)) {
		want := ""
		t.Run(name, func(t *testing.T) {
			everyFault(t, trial{
				Folder: f, inputs: []string{data}, outputs: []string{"importance.json"}, struck: done,
				run: func() commandtest.Outcome {
					if err := trials[name](); err != nil {
						t.Fatal(err)
					}
					o := commandtest.Try(args...)
					if b, err := os.ReadFile(filepath.Join(folder, "importance.json")); err == nil {
						f.File("importance.json", string(b))
					}
					for _, path := range []string{folder, filepath.Join(folder, "steps")} {
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
					b, err := os.ReadFile(filepath.Join(folder, "importance.json"))
					if err != nil {
						t.Fatal(err)
					}
					if got := string(b); want == "" {
						want = got
					} else if got != want {
						t.Error("--resume finds something else")
					}
					if left, _ := filepath.Glob(filepath.Join(folder, "steps", "*-without-*")); left != nil {
						t.Errorf("%q are left", left)
					}
				},
			})
		})
	}
}

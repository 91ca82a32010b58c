package selection

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
)

// TestFoldersThatCannotBe: a folder that cannot be made or read is the fault of what the user named, with its path.
func TestFoldersThatCannotBe(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 8), 30, 2)
	for name, folder := range map[string]func(root string) error{
		"a file":            func(root string) error { return os.WriteFile(root, nil, 0o600) },
		"settings a folder": func(root string) error { return os.MkdirAll(filepath.Join(root, settingsFile), 0o700) },
		"chains a file":     func(root string) error { return writeFile(filepath.Join(root, chainsFolder), "") },
		"settings and more": func(root string) error { return writeFile(filepath.Join(root, settingsFile), `{"version": 1} {}`) },
	} {
		o := small()
		o.Folder, o.Resume = filepath.Join(t.TempDir(), "s"), true
		if err := folder(o.Folder); err != nil {
			t.Fatal(err)
		}
		_, _, err := selectRows(t, t.Context(), rows, o)
		var f *fail.Error
		if !errors.As(err, &f) || f.File == "" || !errors.Is(err, fail.Input) && !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// writeFile writes a file and makes its folder.
func writeFile(path, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
}

// TestFlippedChains: no byte of a chain can change without that being found, unless the file goes on saying the same: a
// blank, or a 17th digit that rounds to the same number. The chains of a selection of other data are not taken for those
// of this one, whose settings were removed.
func TestFlippedChains(t *testing.T) {
	rng := datasettest.Random(t, 9)
	rows, others := datasettest.Clouds(rng, 30, 2), datasettest.Clouds(rng, 30, 2)
	o := small()
	o.Training.Kernels, o.NoBaselines, o.Norms, o.Splits.Folds, o.Resume, o.Folder = "linear", true, nil, 2, true, t.TempDir()
	o.Training.Threads = 1 // one fold after the other
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Report = func(p Progress) {
		if p.Done == 5 { // There are dual variables in the file of the second fold.
			cancel()
		}
	}
	if _, _, err := selectRows(t, ctx, rows, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	o.Report = func(p Progress) { t.Errorf("it goes on: %+v", p) }
	chains, err := filepath.Glob(filepath.Join(o.Folder, chainsFolder, "*.json"))
	if err != nil || len(chains) != 2 {
		t.Fatal(chains, err)
	}
	for _, path := range chains {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for k := 0; k < len(whole); k += 7 {
			if whole[k] == ' ' || whole[k] == '\n' {
				continue
			}
			bad := bytes.Clone(whole)
			bad[k] ^= 1
			if sameChain(whole, bad) {
				continue
			}
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := selectRows(t, t.Context(), rows, o); !errors.Is(err, fail.Corrupt) {
				t.Fatalf("byte %d of %s, %q: %v", k, filepath.Base(path), bad[max(k-9, 0):k+1], err)
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(settingsPath(o.Folder)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := selectRows(t, t.Context(), others, o); !errors.Is(err, fail.Corrupt) {
		t.Errorf("chains of other data: %v", err)
	}
}

// sameChain reports whether two texts of a chain are equal.
func sameChain(a, b []byte) bool {
	var x, y chain
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// TestNamesOfFolds: names that differ in capitals alone, or that are long, have files of their own names.
func TestNamesOfFolds(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 10), 40, 2)
	long := strings.Repeat("long ", 60)
	o := small()
	o.Training.Kernels, o.NoBaselines, o.Norms, o.Nested, o.Splits.Folds, o.Folder = "linear", true, nil, true, 0, t.TempDir()
	for i := range rows {
		o.Splits.Given = append(o.Splits.Given, []string{"a", "A", long + "1", long + "2"}[i%4])
	}
	if _, _, err := selectRows(t, t.Context(), rows, o); err != nil {
		t.Fatal(err)
	}
	chains, err := os.ReadDir(filepath.Join(o.Folder, chainsFolder))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, c := range chains {
		names[strings.ToLower(c.Name())] = true
	}
	if len(names) != 4+6 {
		t.Errorf("%d names of files that differ by more than capitals, in %v", len(names), chains)
	}
}

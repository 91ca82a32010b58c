package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"bigmkl/internal/fail"
)

// counted is a checkpoint that has a number.
func counted(n int) []Section { return []Section{{"number", fmt.Append(nil, n)}} }

// number reads it.
func number(t *testing.T, f *Folder) (n int, damaged error) {
	t.Helper()
	last, damaged, err := f.Last()
	if err != nil || last == nil {
		t.Fatal(last, err)
	}
	defer last.Close()
	text, err := last.Read("number")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(text), &n); err != nil {
		t.Fatal(err)
	}
	return n, damaged
}

func open(t *testing.T, path string) *Folder {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestLastTwoAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	for n := range 15 {
		f := open(t, path) // a process each
		if n == 0 {
			if last, damaged, err := f.Last(); last != nil || damaged != nil || err != nil {
				t.Fatalf("an empty folder gives %v, %v, %v", last, damaged, err)
			}
		}
		if err := f.Write(counted(n)); err != nil {
			t.Fatal(err)
		}
		if got, damaged := number(t, f); got != n || damaged != nil {
			t.Errorf("checkpoint %d, want %d; %v", got, n, damaged)
		}
		if names, _ := filepath.Glob(filepath.Join(path, prefix+"*")); len(names) != min(n+1, kept) {
			t.Errorf("after %d checkpoints there are %q", n+1, names)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for _, name := range []string{lockName, filepath.Base((&Folder{}).file(14))} {
		if info, err := os.Stat(filepath.Join(path, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v", name, err)
		}
	}
	f := open(t, path)
	defer f.Close()
	if err := f.Clear(); err != nil {
		t.Error(err)
	}
	if last, _, err := f.Last(); last != nil || err != nil {
		t.Errorf("a cleared folder gives %v, %v", last, err)
	}
}

func TestOneAtATime(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	if _, err := Open(path); !errors.Is(err, fail.Budget) {
		t.Errorf("opened twice: %v", err)
	}
	f.Close()
	open(t, path).Close()
}

func TestDamageFallsBack(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	defer f.Close()
	for n := range 2 {
		if err := f.Write(counted(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(f.file(1), 50); err != nil {
		t.Fatal(err)
	}
	if n, damaged := number(t, f); n != 0 || !errors.Is(damaged, fail.Corrupt) {
		t.Errorf("checkpoint %d, %v", n, damaged)
	}
	if err := os.WriteFile(f.file(0), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if last, _, err := f.Last(); last != nil || !errors.Is(err, fail.Corrupt) {
		t.Errorf("two damaged ones give %v, %v", last, err)
	}
}

// TestLeftovers: what a killed process was writing goes, what is not ours stays.
func TestLeftovers(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	if err := f.Write(counted(7)); err != nil {
		t.Fatal(err)
	}
	half, other := f.file(1)+".tmp3x", filepath.Join(path, "notes.tmp")
	for _, name := range []string{half, other} {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	f = open(t, path)
	defer f.Close()
	if _, err := os.Stat(half); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a checkpoint is left: %v", err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
	if n, _ := number(t, f); n != 7 {
		t.Errorf("checkpoint %d", n)
	}
}

func TestOpenFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); !errors.Is(err, fail.Input) {
		t.Errorf("a file as the folder: %v", err)
	}
}

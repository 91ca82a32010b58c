package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"bigmkl/internal/files"
	"bigmkl/internal/files/faulty"
)

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// fill puts two files into the folder.
func fill(t *testing.T, f *Folder) {
	t.Helper()
	for _, name := range []string{"points-1234", "bigmkl-cache-17"} {
		if err := os.WriteFile(filepath.Join(f.Path(), name), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNewAndRemove(t *testing.T) {
	base := t.TempDir()
	f, err := New(base, "test")
	if err != nil {
		t.Fatal(err)
	}
	if matched, _ := filepath.Match(filepath.Join(base, "bigmkl-test-*"), f.Path()); !matched {
		t.Errorf("the folder is %s", f.Path())
	}
	if m := mode(t, f.Path()); m != 0o700 {
		t.Errorf("a folder of mode %o", m)
	}
	if m := mode(t, filepath.Join(f.Path(), lockName)); m != 0o600 {
		t.Errorf("a lock of mode %o", m)
	}
	fill(t, f)
	for range 2 {
		if err := f.Remove(); err != nil {
			t.Error(err)
		}
	}
	if n := names(t, base); len(n) > 0 {
		t.Errorf("%q are left", n)
	}
	if _, err := New(filepath.Join(base, "missing"), "test"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestClean: abandoned folders go, and only those.
func TestClean(t *testing.T) {
	base := t.TempDir()
	alive, err := New(base, "alive")
	if err != nil {
		t.Fatal(err)
	}
	fill(t, alive)
	dead, err := New(base, "dead")
	if err != nil {
		t.Fatal(err)
	}
	fill(t, dead)
	dead.lock.Close() // as the system does for a process that ends
	for _, name := range []string{"bigmkl-empty-1", "bigmkl-full-1/x", "other-folder", "elsewhere"} {
		os.MkdirAll(filepath.Join(base, name), 0o700)
	}
	os.WriteFile(filepath.Join(base, "bigmkl-file-1"), nil, 0o600)
	os.Symlink(filepath.Join(base, "elsewhere"), filepath.Join(base, "bigmkl-link-1"))
	found, err := Clean(base, false)
	if err != nil {
		t.Fatal(err)
	}
	removed := map[string]bool{}
	for _, f := range found {
		name := filepath.Base(f.Path)
		removed[name] = !f.InUse && f.Left == "" && f.Err == nil
		if f.InUse != (f.Path == alive.Path()) || (f.Left != "") != (name == "bigmkl-full-1") || f.Err != nil {
			t.Errorf("%+v", f)
		}
	}
	if len(found) != 4 || !removed["bigmkl-empty-1"] || !removed[filepath.Base(dead.Path())] {
		t.Errorf("%+v", found)
	}
	if n := names(t, base); len(n) != 6 {
		t.Errorf("%q are left", n)
	}
	if content, err := os.ReadFile(filepath.Join(alive.Path(), "bigmkl-cache-17")); err != nil || string(content) != "text" {
		t.Errorf("a folder in use was touched: %v", err)
	}
	alive.Remove()
	if _, err := Clean(filepath.Join(base, "missing"), false); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestCleanWhileMaking: no folder is removed that New has returned, however many clean up, and none is left.
func TestCleanWhileMaking(t *testing.T) {
	base := t.TempDir()
	var makers, cleaners sync.WaitGroup
	var through atomic.Bool
	for range 3 {
		cleaners.Go(func() {
			for !through.Load() {
				found, err := Clean(base, false)
				if err != nil {
					t.Error(err)
				}
				for _, f := range found {
					if f.Err != nil {
						t.Error(f.Err)
					}
				}
			}
		})
	}
	for range 4 {
		makers.Go(func() {
			for range 100 {
				f, err := New(base, "test")
				if err != nil {
					t.Error(err)
					return
				}
				path := filepath.Join(f.Path(), "points-1")
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Error(err)
				}
				if _, err := os.Stat(path); err != nil {
					t.Error(err)
				}
				if err := f.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	makers.Wait()
	through.Store(true)
	cleaners.Wait()
	if _, err := Clean(base, false); err != nil {
		t.Error(err)
	}
	if n := names(t, base); len(n) > 0 {
		t.Errorf("%q are left", n)
	}
}

// TestEveryFault: New fails without a trace, Remove tries again, and Clean reports what it could not do.
func TestEveryFault(t *testing.T) {
	for _, fault := range faulty.Faults {
		struck := true
		for at := 0; struck; at++ {
			base := t.TempDir()
			dead, err := New(base, "dead")
			if err != nil {
				t.Fatal(err)
			}
			fill(t, dead)
			dead.lock.Close()
			s := faulty.At(at, fault)
			restore := files.Inject(s)
			f, err := New(base, "test")
			if err == nil {
				fill(t, f)
				f.Remove()
			}
			found, cleaned := Clean(base, false)
			restore()
			struck = len(s.Struck()) > 0
			left := names(t, base)
			said := cleaned != nil || len(found) == 1 && found[0].Err != nil
			if !struck && (err != nil || said) || len(left) > 1 || (len(left) == 1) != said {
				t.Errorf("%s at %v: New %v, Clean %v %+v, %q are left", fault.Name, s.Struck(), err, cleaned, found, left)
			}
			Clean(base, false)
			if left := names(t, base); len(left) > 0 {
				t.Errorf("%s at %v: %q cannot be removed any more", fault.Name, s.Struck(), left)
			}
		}
	}
}

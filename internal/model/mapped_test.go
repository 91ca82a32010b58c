//go:build unix

package model

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"bigmkl/internal/fail"
)

// openedLarge is an opened model whose support vectors take many pages of its file.
func openedLarge(t *testing.T) (*Model, string) {
	t.Helper()
	const n = 1 << 14
	m := small()
	m.Points, m.Limit = n, n
	m.Support, m.Alpha, m.Vectors = make([]int32, n), make([]float64, n), make([]float32, n*m.Features)
	for i := range n {
		m.Support[i], m.Alpha[i] = int32(i), float64(1-2*(i%2))
	}
	path := filepath.Join(t.TempDir(), "m")
	if err := os.WriteFile(path, encoded(t, m), 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	return opened, path
}

// readAll reads all support vectors under the guard.
func readAll(m *Model) error {
	return m.Guard(func() error {
		sum := float32(0)
		for _, x := range m.Vectors {
			sum += x
		}
		if sum != 0 {
			return errors.New("another sum")
		}
		return nil
	})
}

// TestGuard: a model whose file was cut short is an error, also if another file has taken its name since. A file that
// was replaced alone is still there for the model.
func TestGuard(t *testing.T) {
	replace := func(path string) error {
		if err := os.WriteFile(path+".new", []byte("x"), 0o600); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	}
	cut := func(path string) error { return os.Truncate(path, 4096) }
	for _, c := range []struct {
		name string
		done []func(string) error
		want error
	}{
		{"nothing", nil, nil},
		{"replaced", []func(string) error{replace}, nil},
		{"cut short", []func(string) error{cut}, fail.Input},
		{"cut short and replaced", []func(string) error{cut, replace}, fail.Input},
		{"cut short and removed", []func(string) error{cut, os.Remove}, fail.Input},
	} {
		m, path := openedLarge(t)
		for _, do := range c.done {
			if err := do(path); err != nil {
				t.Fatal(err)
			}
		}
		if err := readAll(m); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// TestGuardLetsPanicsThrough: a mistake of the program is not taken for a fault of the file.
func TestGuardLetsPanicsThrough(t *testing.T) {
	m, _ := openedLarge(t)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_ = m.Guard(func() error { panic("a mistake") })
}

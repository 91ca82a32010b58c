package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bigmkl/internal/fail"
)

// square writes an n x n matrix and maps it.
func square(t *testing.T, n int) (*Matrix, string) {
	t.Helper()
	numbers := make([]float64, n*n)
	path := put(t, file(1, fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", n, n), numbers, 8, binary.LittleEndian))
	m, err := Load(path, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m, path
}

// A file that is cut short while it is mapped gives NaN and an error, in any goroutine, and no signal.
func TestCutShort(t *testing.T) {
	const n = 200 // 320 kB: many pages
	m, path := square(t, n)
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	done := make(chan []float64)
	for range 2 {
		go func() {
			row := make([]float64, n)
			m.Row64(n-1, 0, row)
			done <- row
		}()
	}
	for range 2 {
		for j, v := range <-done {
			if !math.IsNaN(v) {
				t.Fatalf("number %d that is not there is %v", j, v)
			}
		}
	}
	row := make([]float32, n)
	m.Row32(n-1, 0, row)
	if row[0] == row[0] {
		t.Errorf("a number that is not there is %v", row[0])
	}
	if m.Row32(1, 0, row); row[0] != 0 {
		t.Errorf("a number that is there is %v", row[0])
	}
	if err := m.Err(); !errors.Is(err, fail.Input) || err.Error() != path+": the file changed while it was in use" {
		t.Errorf("error %v", err)
	}
}

// TestCutShortGather: a gather from a file that was cut short gives NaN alone, and the matrix is lost.
func TestCutShortGather(t *testing.T) {
	const n = 200
	m, path := square(t, n)
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	for _, cols := range [][]int32{{0, 1}, {5, 3}} {
		got := []float32{1, 1}
		if m.Gather32(got, len(cols), []int32{n - 1}, cols); got[0] == got[0] || got[1] == got[1] {
			t.Errorf("columns %d that are gone are %v", cols, got)
		}
	}
	if err := m.Err(); !errors.Is(err, fail.Input) {
		t.Errorf("error %v", err)
	}
}

func TestErr(t *testing.T) {
	m, path := square(t, 8)
	if err := m.Err(); err != nil {
		t.Error(err)
	}
	// Replaced by name: ours is as it was.
	other := filepath.Join(filepath.Dir(path), "other")
	if err := os.WriteFile(other, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if err := m.Err(); err != nil {
		t.Errorf("replaced: %v", err)
	}
	m, path = square(t, 8)
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil { // as a write does
		t.Fatal(err)
	}
	if err := m.Err(); !errors.Is(err, fail.Input) {
		t.Errorf("written to: %v", err)
	}
}

// A mistake of the program's is not taken for a fault of the file.
func TestOtherPanics(t *testing.T) {
	m, _ := square(t, 8)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	m.Row32(8, 0, make([]float32, 1))
}

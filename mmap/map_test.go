package mmap

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/invariant"
)

func TestCreateLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int64{0, 1, 8, 4096, 1<<20 + 24} {
		m, err := Create(dir, "scratch-*", size)
		if err != nil {
			t.Fatal(err)
		}
		if names, _ := os.ReadDir(dir); len(names) != 0 && !files.NamesLast {
			t.Fatalf("size %d: %v left in the folder", size, names)
		}
		if int64(len(m.Bytes())) != size {
			t.Fatalf("%d bytes, want %d", len(m.Bytes()), size)
		}
		for i, b := range m.Bytes() {
			if b != 0 {
				t.Fatalf("byte %d is %d", i, b)
			}
		}
		for i := range m.Bytes() {
			m.Bytes()[i] = byte(i)
		}
		if err := m.advise(sequential); err != nil {
			t.Error(err)
		}
		// Pages of a file survive dontNeed, and so do those that are evicted.
		if err := m.advise(dontNeed); err != nil {
			t.Error(err)
		}
		for _, part := range [][]byte{m.Bytes(), m.Bytes()[size/3:], m.Bytes()[:size/2], nil} {
			if err := m.Evict(part); err != nil {
				t.Error(err)
			}
		}
		for i, b := range m.Bytes() {
			if b != byte(i) {
				t.Fatalf("byte %d is %d after dontNeed", i, b)
			}
		}
		for range 2 {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
		if !invariant.Enabled && m.Bytes() != nil {
			t.Error("bytes of a closed map")
		}
		if names, _ := os.ReadDir(dir); len(names) != 0 {
			t.Fatalf("size %d: %v left in the folder", size, names)
		}
	}
}

func TestCreateFaults(t *testing.T) {
	_, err := Create(filepath.Join(t.TempDir(), "missing"), "x-*", 8)
	if !errors.Is(err, fail.Input) {
		t.Errorf("missing folder: %v", err)
	}
	// More than any file system holds: fallocate rejects, and nothing stays behind.
	dir := t.TempDir()
	for _, size := range []int64{math.MaxInt64, 1 << 60, -1} {
		if _, err := Create(dir, "x-*", size); !errors.Is(err, fail.Budget) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("%v left in the folder", names)
	}
}

func TestOpenRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := OpenRead(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(m.Bytes()) != "0123456789" {
		t.Errorf("read %q", m.Bytes())
	}
	if v := View[int64](m); len(v) != 1 {
		t.Errorf("%d whole numbers in ten bytes", len(v))
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}

	empty := filepath.Join(dir, "empty")
	os.WriteFile(empty, nil, 0o600)
	if m, err = OpenRead(empty); err != nil || len(m.Bytes()) != 0 || m.advise(random) != nil || m.Close() != nil {
		t.Errorf("empty file: %v", err)
	}
	loop := filepath.Join(dir, "loop")
	os.Symlink(loop, loop)
	for _, bad := range []string{dir, filepath.Join(dir, "missing"), loop} {
		if _, err := OpenRead(bad); !errors.Is(err, fail.Input) {
			t.Errorf("%s: %v", filepath.Base(bad), err)
		}
	}
}

func TestAnonymous(t *testing.T) {
	m, err := Anonymous(4096 * 8)
	if err != nil {
		t.Fatal(err)
	}
	v := View[float64](m)
	v[17] = 3
	if err := m.advise(dontNeed); err != nil || v[17] != 0 {
		t.Errorf("dontNeed: %v, %v", err, v[17])
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Anonymous(1 << 60); !errors.Is(err, fail.Budget) {
		t.Errorf("an exbibyte of memory: %v", err)
	}
	if m, err := Anonymous(0); err != nil || len(m.Bytes()) != 0 {
		t.Errorf("no memory: %v", err)
	}
}

func testView[T Number](t *testing.T, width int) {
	m, err := Anonymous(int64(10*width + width - 1))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	v := View[T](m)
	if len(v) != 10 {
		t.Fatalf("%d numbers, want 10", len(v))
	}
	want := make([]T, 10)
	for i := range v {
		v[i], want[i] = T(i), T(i)
	}
	if !slices.Equal(View[T](m), want) {
		t.Errorf("views of one map differ")
	}
	if part := Slice[T](m.Bytes()[3*width : 5*width]); !slices.Equal(part, want[3:5]) {
		t.Errorf("part %v", part)
	}
	defer func() {
		if recover() == nil {
			t.Error("unaligned memory was viewed")
		}
	}()
	Slice[T](m.Bytes()[1:])
}

func TestView(t *testing.T) {
	testView[float32](t, 4)
	testView[float64](t, 8)
	testView[int32](t, 4)
	testView[int64](t, 8)
	testView[uint64](t, 8)
}

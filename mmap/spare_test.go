package mmap

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"bigmkl/internal/fail"
)

// TestSpare: memory that is used again is zero where that is promised, and no two maps share a region.
func TestSpare(t *testing.T) {
	for range 3 {
		var maps []*Map
		for i, size := range []int64{1, 100, 16 << 10, 17 << 10, 300 << 10, 2 << 20, 2<<20 + 1, 5 << 20, 2 << 20, 2 << 20, 2 << 20} {
			m, err := Anonymous(size)
			if err != nil {
				t.Fatal(err)
			}
			if int64(len(m.Bytes())) != size || bytes.ContainsFunc(m.Bytes(), func(r rune) bool { return r != 0 }) {
				t.Fatalf("%d bytes, want %d zeros", len(m.Bytes()), size)
			}
			for k := range m.Bytes() {
				m.Bytes()[k] = byte(i + 1)
			}
			maps = append(maps, m)
		}
		for i, m := range maps {
			for _, x := range m.Bytes() {
				if x != byte(i+1) {
					t.Fatalf("map %d has %d of another", i, x)
				}
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if spares.bytes > spareBytes {
			t.Errorf("%d bytes are kept", spares.bytes)
		}
		sum := 0
		for _, r := range spares.regions {
			sum += cap(r)
		}
		if sum != spares.bytes {
			t.Errorf("%d bytes are counted, and %d kept", spares.bytes, sum)
		}
	}
	m, err := Unset(300 << 10)
	if err != nil || len(m.Bytes()) != 300<<10 {
		t.Fatal(len(m.Bytes()), err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// TestArray: small arrays and large ones keep their content whatever is advised, and need a folder.
func TestArray(t *testing.T) {
	for _, size := range []int64{0, 1, smallArray, smallArray + 1} {
		m, err := Array(t.TempDir(), "array-*", size)
		if err != nil {
			t.Fatal(err)
		}
		if m.lasting != (size <= smallArray) {
			t.Errorf("%d bytes: memory is %t", size, m.lasting)
		}
		for k := range m.Bytes() {
			if m.Bytes()[k] != 0 {
				t.Fatalf("byte %d is %d", k, m.Bytes()[k])
			}
			m.Bytes()[k] = byte(k)
		}
		if err := errors.Join(m.advise(dontNeed), m.Evict(m.Bytes())); err != nil {
			t.Error(err)
		}
		for k, x := range m.Bytes() {
			if x != byte(k) {
				t.Fatalf("byte %d of %d is %d after advice", k, size, x)
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if _, err := Array(filepath.Join(t.TempDir(), "missing"), "array-*", size); !errors.Is(err, fail.Input) {
			t.Errorf("%d bytes in a folder that is missing: %v", size, err)
		}
	}
}

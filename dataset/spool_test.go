package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"
)

// TestSpool: rows of all forms come back as they were, as often as they are read, and take the bytes
// that their form asks for.
func TestSpool(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s, err := NewSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var rows []Row
	values, width, bytes := int64(0), 0, int64(0)
	for i := range 500 {
		n := rng.IntN(40)
		r := Row{File: []string{"a", "b"}[i/300], Line: i + 1}
		r.Index, r.Value = make([]int32, n), make([]float64, n)
		gap, double := rng.IntN(2) == 0, rng.IntN(2) == 0
		j := int32(0)
		for k := range n {
			if gap {
				j += int32(rng.IntN(3))
			}
			r.Index[k] = j
			j++
			r.Value[k] = float64(rng.Float32())
			if double {
				r.Value[k] = rng.NormFloat64()
			}
		}
		if n > 0 && i%7 == 0 {
			r.Value[0] = []float64{math.Copysign(0, -1), 1e-300, 1e300, math.SmallestNonzeroFloat32}[i%4]
		}
		if n > 0 {
			width = max(width, int(r.Index[n-1])+1)
		}
		each := int64(4)
		if n > 0 && int(r.Index[n-1]) >= n {
			each += 4
		}
		if slices.ContainsFunc(r.Value, func(v float64) bool { return float64(float32(v)) != v }) {
			each += 4
		}
		values, bytes = values+int64(n), bytes+24+each*int64(n)
		if err := s.Add(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if s.Rows() != len(rows) || s.Width() != width || s.Values() != values || s.size != bytes {
		t.Errorf("%d rows, width %d, %d values, %d bytes, want %d, %d, %d, %d", s.Rows(), s.Width(),
			s.Values(), s.size, len(rows), width, values, bytes)
	}
	for range 2 {
		if err := s.Rewind(); err != nil {
			t.Fatal(err)
		}
		for i, want := range rows {
			got, err := s.Next()
			if err != nil || got.File != want.File || got.Line != want.Line ||
				!slices.Equal(got.Index, want.Index) || !slices.EqualFunc(got.Value, want.Value,
				func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
				t.Fatalf("row %d: %v, %v, want %v", i, got, err, want)
			}
		}
		if _, err := s.Next(); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
}

// TestBuildOfSpool: a spool makes the store that its rows make, and takes no other scratch file of
// rows.
func TestBuildOfSpool(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var rows []Row
	for range 200 {
		r := Row{}
		for j := range int32(90) {
			if rng.IntN(4) == 0 {
				r.Index, r.Value = append(r.Index, j), append(r.Value, rng.NormFloat64())
			}
		}
		rows = append(rows, r)
	}
	for _, scale := range []string{"none", "minmax", "standard"} {
		for _, layout := range []Layout{LayoutDense, LayoutSparse} {
			s, err := NewSpool(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				if err := s.Add(&rows[i]); err != nil {
					t.Fatal(err)
				}
			}
			o := StoreOptions{Dir: t.TempDir(), Labels: Ignored, Scale: scale, Layout: layout}
			want, err := Build(t.Context(), &listedRows{rows: rows}, o)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				got, err := Build(t.Context(), s, o)
				if err != nil {
					t.Fatal(err)
				}
				size := want.Size()
				size.Spool = 0
				if got.Fingerprint() != want.Fingerprint() || !reflect.DeepEqual(got.Size(), size) {
					t.Errorf("%s, %s: %+v, want %+v", scale, layout, got.Size(), size)
				}
				got.Close()
			}
			want.Close()
			s.Close()
		}
	}
}

// TestSpoolAgain reads the rows of a spool at several places at once, the first time before the file is complete.
func TestSpoolAgain(t *testing.T) {
	t.Parallel()
	s, err := NewSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 100 {
		if err := s.Add(&Row{Index: []int32{int32(i)}, Value: []float64{1 / float64(i+1)}}); err != nil {
			t.Fatal(err)
		}
	}
	var group errgroup.Group
	for range 3 {
		own, err := s.Again()
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() error {
			if err := own.Rewind(); err != nil {
				return err
			}
			for i := range own.Rows() {
				next, err := own.Next()
				if err != nil || next.Index[0] != int32(i) {
					return fmt.Errorf("row %d: %v, %w", i, next, err)
				}
				at, err := own.At(99 - i)
				if err != nil || at.Value[0] != 1/float64(100-i) {
					return fmt.Errorf("row %d: %v, %w", 99-i, at, err)
				}
			}
			return own.Close()
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := s.Rewind(); err != nil { // The file is open until s itself is closed.
		t.Fatal(err)
	}
	if r, err := s.Next(); err != nil || r.Index[0] != 0 {
		t.Fatal(r, err)
	}
}

package packed_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/packed"
	"bigmkl/internal/fail"
)

// drawText draws libsvm text of so many rows and features, of which a share has values.
func drawText(rng *rand.Rand, rows, features int, share float64, value func() string, label func() string) string {
	var b strings.Builder
	for range rows {
		b.WriteString(label())
		for j := range features {
			if rng.Float64() < share {
				fmt.Fprintf(&b, " %d:%s", j+1, value())
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// samples returns texts whose packed stores have the sections of every kind.
func samples(seed uint64) map[string]struct {
	text string
	kind dataset.Labeling
} {
	rng := rand.New(rand.NewPCG(seed, 0))
	short := func() string { return fmt.Sprint(rng.IntN(16)-8) + ".5" }
	long := func() string { return fmt.Sprint(rng.NormFloat64()) }
	class := func() string { return []string{"no", "yes", "1"}[rng.IntN(3)] }
	target := func() string { return fmt.Sprint(rng.NormFloat64()) }
	sets := func() string { return []string{"1,3", "-", "2"}[rng.IntN(3)] }
	type sample = struct {
		text string
		kind dataset.Labeling
	}
	return map[string]sample{
		"dense":                {drawText(rng, 70, 5, 0.9, short, class), ""},
		"dense, float64":       {drawText(rng, 70, 5, 0.9, long, class), ""},
		"sparse":               {drawText(rng, 90, 60, 0.1, short, class), ""},
		"sparse, float64":      {drawText(rng, 90, 60, 0.1, long, target), dataset.Targets},
		"beyond float32":       {"1 1:1e300 2:1\n-1 2:1e-300\n", ""},
		"sets":                 {drawText(rng, 40, 3, 0.8, short, sets), dataset.Sets},
		"a last column of 0":   {"1 1:2 3:0\n-1 1:3\n", ""},
		"wide":                 {"1 1:2\n2 70000:3\n", ""},
		"no values":            {"1\n2\n", ""},
		"without labels":       {"1:1\n2:0.1\n", dataset.Ignored},
		"several MiB":          {drawText(rng, 5000, 40, 0.9, long, class), ""},
		"one row":              {"1 1:0.1\n", ""},
		"times":                {"0.5 1:1\n4+ 1:2\n", dataset.Times},
		"intervals":            {"0.5 1:1\n4+ 1:2\n..3 1:3\n1:7\n2..9 1:3\n", dataset.Times},
		"targets, one missing": {"0.5 1:1\n2:1\n", dataset.Targets},
	}
}

// TestRoundTrip packs rows and reads them again: as rows, and as the store that they make, which is mapped where it can be.
func TestRoundTrip(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	for name, s := range samples(seed) {
		rows := parse(t, s.text, s.kind)
		path := write(t, pack(t, rows, s.kind))
		got, err := read(path, s.kind)
		if err != nil || describe(got) != describe(rows) {
			t.Errorf("%s: %v, or other rows", name, err)
		}
		if err := packed.Verify(t.Context(), path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want, wantErr := build(t, &list{rows: rows}, s.kind)
		src, err := packed.Open(path, packed.Options{Labels: s.kind})
		if err != nil {
			t.Fatal(err)
		}
		have, err := build(t, src, s.kind)
		src.Close()
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: %v, and %v from text", name, err, wantErr)
		}
		if err != nil {
			continue
		}
		if err := have.Changed(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if have.Fingerprint() != want.Fingerprint() || !slices.Equal(have.Mean(), want.Mean()) || have.Sparse() != want.Sparse() ||
			have.Dim() != want.Dim() || !slices.Equal(have.Labels(), want.Labels()) || have.Given() != want.Given() {
			t.Errorf("%s: another store", name)
		}
		if mapped := have.Size().Mapped; mapped != (have.Size().Spool == 0) || !mapped {
			t.Errorf("%s: mapped is %v", name, mapped)
		}
		a, b := make([]float32, have.Dim()), make([]float32, have.Dim())
		for i := range have.Len() {
			if have.Row(i, a); true {
				want.Row(i, b)
			}
			if !slices.Equal(a, b) {
				t.Fatalf("%s: row %d differs", name, i)
			}
		}
		have.Close()
		want.Close()
	}
}

// TestBuildReadsRows asks for other points than the file has, so rows are read.
func TestBuildReadsRows(t *testing.T) {
	const seed = 4
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	text := drawText(rng, 90, 60, 0.1, func() string { return fmt.Sprint(rng.NormFloat64()) }, func() string { return fmt.Sprint(rng.IntN(2)) })
	rows := parse(t, text, "")
	path := write(t, pack(t, rows, ""))
	for name, o := range map[string]dataset.StoreOptions{
		"standard": {Scale: dataset.ScaleStandard}, "dense": {Layout: dataset.LayoutDense}, "limit": {Limit: 20}, "views": {Features: 70},
		"minmax": {Scale: dataset.ScaleMinMax, Limit: 89}, "whole": {Limit: 90},
	} {
		o.Dir = t.TempDir()
		src, err := packed.Open(path, packed.Options{})
		if err != nil {
			t.Fatal(err)
		}
		have, err := dataset.Build(t.Context(), src, o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := dataset.Build(t.Context(), &list{rows: rows}, o)
		if err != nil {
			t.Fatal(err)
		}
		if have.Fingerprint() != want.Fingerprint() || !slices.Equal(have.Mean(), want.Mean()) || have.Size().Mapped != (name == "whole") {
			t.Errorf("%s: another store, mapped %v", name, have.Size().Mapped)
		}
		have.Close()
		want.Close()
		src.Close()
	}
}

// classOf returns the class of an error of this package, or fails.
func classOf(t testing.TB, err error, path string) error {
	t.Helper()
	var e *fail.Error
	if !errors.As(err, &e) || e.File != path {
		t.Fatalf("error %v", err)
	}
	return e.Class
}

// TestDamage changes each byte of a store, and cuts it at each length. Bytes between sections count for nothing.
func TestDamage(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	text := samples(seed)["dense, float64"].text
	rows := parse(t, text[:strings.Index(text, "\n")+1]+"2 1:0.1 5:0.25\n", "")
	whole := pack(t, rows, "")
	want := describe(rows)
	path := write(t, whole)
	try := func(data []byte, what string) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := read(path, "")
		if err == nil {
			err = packed.Verify(t.Context(), path)
		}
		if err == nil && describe(got) != want {
			t.Fatalf("%s: other rows", what)
		}
		if err != nil {
			if class := classOf(t, err, path); class != fail.Corrupt && class != fail.Version && class != fail.Input {
				t.Fatalf("%s: %v", what, err)
			}
		}
		src, err := packed.Open(path, packed.Options{})
		if err != nil {
			return
		}
		defer src.Close()
		store, err := build(t, src, "")
		if err == nil {
			err = store.Changed()
			store.Close()
		}
		if err != nil {
			classOf(t, err, path)
		}
	}
	accepted := 0
	for k := range whole {
		if whole[k] == 0 && k%17 != 0 { // Most of these lie between sections.
			continue
		}
		data := slices.Clone(whole)
		data[k] ^= 1 << (k % 8)
		try(data, fmt.Sprintf("byte %d", k))
	}
	for k := 0; k < len(whole); k += 13 {
		if err := os.WriteFile(path, whole[:k], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := read(path, ""); err == nil {
			accepted++
		}
	}
	if accepted > 0 {
		t.Errorf("%d stores that were cut off are read", accepted)
	}
	newer := slices.Clone(whole)
	binary.LittleEndian.PutUint64(newer[8:], 2)
	os.WriteFile(path, newer, 0o600)
	if _, err := read(path, ""); !errors.Is(err, fail.Version) {
		t.Errorf("version 2: %v", err)
	}
}

// TestChangeWhileMapped writes to a store that is mapped.
func TestChangeWhileMapped(t *testing.T) {
	rows := parse(t, "1 1:1 2:2\n2 2:1\n", "")
	path := write(t, pack(t, rows, ""))
	src, err := packed.Open(path, packed.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	store, err := build(t, src, "")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Changed(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("more")
	f.Close()
	if err := store.Changed(); !errors.Is(err, fail.Input) {
		t.Errorf("a store that was written to: %v", err)
	}
}

// TestLabelsOfAnotherKind reads labels as what they were not packed as.
func TestLabelsOfAnotherKind(t *testing.T) {
	classes := write(t, pack(t, parse(t, "1 1:1\n-2 1:2\n", ""), ""))
	targets := write(t, pack(t, parse(t, "1 1:1\n-2.5 1:2\n", dataset.Targets), dataset.Targets))
	if rows, err := read(classes, dataset.Targets); err != nil || rows[1].Target != -2 {
		t.Errorf("classes as targets: %v, %v", rows, err)
	}
	if rows, err := read(targets, ""); !errors.Is(err, fail.Input) || len(rows) != 1 || rows[0].Label != "1" {
		t.Errorf("targets as classes: %v, %v", rows, err)
	}
	if rows, err := read(classes, dataset.Ignored); err != nil || rows[0].Label != "" {
		t.Errorf("labels that are not looked at: %v, %v", rows, err)
	}
	if _, err := packed.Open(classes, packed.Options{Sequences: dataset.DNA}); !errors.Is(err, fail.Input) {
		t.Errorf("numbers as sequences: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := packed.Verify(ctx, classes); !errors.Is(err, context.Canceled) {
		t.Errorf("a check that was ended: %v", err)
	}
}

// TestShares: of several shares of a check exactly one finds a block that is damaged, and none finds anything else.
func TestShares(t *testing.T) {
	const seed = 6
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	var text strings.Builder
	for i := range 2600 {
		fmt.Fprint(&text, i%2+1)
		for j := range 320 {
			fmt.Fprintf(&text, " %d:%d", j+1, 1+rng.IntN(9))
		}
		text.WriteString("\n")
	}
	whole := pack(t, parse(t, text.String(), ""), "")
	path := write(t, whole)
	const parts, mebibyte = 3, 1 << 20
	for _, at := range []int{-1, len(whole)/2 - mebibyte, len(whole) / 2, len(whole)/2 + mebibyte} {
		data := slices.Clone(whole)
		if at >= 0 {
			data[at] ^= 1
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		found := 0
		for part := range parts {
			src, err := packed.Open(path, packed.Options{})
			if err != nil {
				t.Fatal(err)
			}
			store, err := dataset.Build(t.Context(), src, dataset.StoreOptions{Dir: t.TempDir(), Share: dataset.Share{Part: part, Parts: parts}})
			if err != nil {
				t.Fatal(err)
			}
			if !store.Size().Mapped {
				t.Fatal("the points are not mapped")
			}
			if err := store.Changed(); err != nil {
				found++
				if classOf(t, err, path) != fail.Corrupt {
					t.Error(err)
				}
			}
			store.Close()
			src.Close()
		}
		if want := min(1, at+1); found != want {
			t.Errorf("byte %d of %d: %d shares of %d find damage", at, len(whole), found, parts)
		}
	}
}

package main

import (
	"maps"
	"slices"
	"testing"
)

// TestHubs: methods of a type, and functions that take it first, are together no more than the ceiling. The
// list has the older types that exceed it. Their numbers may only fall.
func TestHubs(t *testing.T) {
	types, err := Count("../..")
	if err != nil {
		t.Fatal(err)
	}
	left := maps.Clone(known)
	for _, h := range types {
		most, listed := known[h.Name]
		delete(left, h.Name)
		switch {
		case listed && h.Total() <= Ceiling:
			t.Errorf("%s has %d methods and functions: take it off the list", h.Name, h.Total())
		case listed && h.Total() < most:
			t.Errorf("%s has %d methods and functions, no longer %d: lower the list", h.Name, h.Total(), most)
		case h.Total() > max(most, Ceiling):
			t.Errorf("%s has %d methods and %d functions in %d files, %d allowed: cut its fields into values "+
				"that are used apart", h.Name, h.Methods, h.Functions, h.Files, max(most, Ceiling))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		t.Errorf("%s has no methods any more: take it off the list", name)
	}
}

// TestCount: methods of one name in files for two processors are one, a function that returns the type makes
// it, and tests do not count.
func TestCount(t *testing.T) {
	types, err := Count("testdata/module")
	if err != nil {
		t.Fatal(err)
	}
	var found []Type
	for _, h := range types {
		found = append(found, *h)
	}
	want := []Type{{"room.Hub", 2, 1, 3}, {"room.List", 1, 0, 1}}
	if !slices.Equal(found, want) {
		t.Errorf("%v, want %v", found, want)
	}
}

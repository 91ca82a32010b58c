package main

import (
	"slices"
	"testing"
)

// TestHubs: methods of a type, and functions that take it first, are together no more than the ceiling.
func TestHubs(t *testing.T) {
	types, err := Count("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(types) == 0 || types[0].Total() < Ceiling/2 {
		t.Fatal("no type has more than a few methods: the count found nothing")
	}
	for _, h := range types {
		if h.Total() > Ceiling {
			t.Errorf("%s has %d methods and %d functions in %d files, %d allowed: cut its fields into values "+
				"that are used apart", h.Name, h.Methods, h.Functions, h.Files, Ceiling)
		}
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

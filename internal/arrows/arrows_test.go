package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestArrows: in the largest packages at most one arrow in twenty runs up.
func TestArrows(t *testing.T) {
	for _, folder := range []string{
		"gradient", "internal/train", "verify", "chunking", "internal/selection", "internal/model", "kernels", "cmd/bigmkl/command",
	} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			// The go command runs this test again only if a file changes that the test itself has opened.
			if _, err := os.ReadDir(filepath.Join("../..", folder)); err != nil {
				t.Fatal(err)
			}
			arrows, err := Find("../..", "./"+folder)
			if err != nil {
				t.Fatal(err)
			}
			if len(arrows) < 20 {
				t.Fatalf("only %d arrows are found", len(arrows))
			}
			if up := RunUp(arrows); 20*len(up) > len(arrows) {
				t.Errorf("%d of %d arrows run up, one in twenty is allowed: go run ./internal/arrows -v ./%s", len(up), len(arrows), folder)
			}
		})
	}
}

// TestFind: calls of functions, of methods and of generic functions are arrows. Calls within a file, of methods of an
// interface and of other packages are none, nor is a mention of a function that is not called.
func TestFind(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module sample\n\ngo 1.26\n",
		"a.go":   "package sample\n\nimport \"strings\"\n\nfunc a(s shape) { b(); new(c).m(); d[int](); s.area(); _ = e; strings.ToUpper(\"\"); own() }\n\nfunc own() {}\n",
		"b.go":   "package sample\n\nfunc b() { own() }\n\ntype shape interface{ area() }\n",
		"c.go":   "package sample\n\ntype c struct{}\n\nfunc (*c) m() {}\n",
		"d.go":   "package sample\n\nfunc d[T any]() { var x T; _ = x }\n",
		"e.go":   "package sample\n\nfunc e() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := Find(folder, ".")
	if err != nil {
		t.Fatal(err)
	}
	want := []Arrow{{"a.go", "b.go"}, {"a.go", "c.go"}, {"a.go", "d.go"}, {"b.go", "a.go"}}
	if !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	if up := RunUp(found); len(up) != 1 {
		t.Errorf("%v run up, want one of the two between a.go and b.go", up)
	}
}

// TestRunUp: arrows without a circle have an order in which none runs up, and it is found.
func TestRunUp(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		name := r.Perm(12)
		var arrows []Arrow
		for from := range 12 {
			for to := from + 1; to < 12; to++ {
				if r.IntN(4) == 0 {
					arrows = append(arrows, Arrow{fmt.Sprintf("%02d.go", name[from]), fmt.Sprintf("%02d.go", name[to])})
				}
			}
		}
		if up := RunUp(arrows); len(up) > 0 {
			t.Errorf("seed %d: %v run up", seed, up)
		}
	}
}

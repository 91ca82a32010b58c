package main

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestZip: the archive for systems without tar has what the other one has.
func TestZip(t *testing.T) {
	folder, at := t.TempDir(), time.Unix(1000000000, 0).UTC()
	file := filepath.Join(folder, "text")
	if err := os.WriteFile(file, []byte("a text"), 0o600); err != nil {
		t.Fatal(err)
	}
	list := []entry{{name: "bigmkl.exe", file: file, mode: 0o755}, {name: "man/bigmkl.1", file: file, mode: 0o644}}
	path := filepath.Join(folder, "a.zip")
	if err := writeZip(path, "bigmkl_1", list, at); err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if len(z.File) != len(list) {
		t.Fatalf("%d files", len(z.File))
	}
	for i, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil || string(b) != "a text" || f.Name != "bigmkl_1/"+list[i].name || f.Mode() != list[i].mode || !f.Modified.Equal(at) {
			t.Errorf("%s: %q, %v, %v, %v", f.Name, b, f.Mode(), f.Modified, err)
		}
	}
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestFolderOfReports(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	invoke(t, "figure31", "--quick", "--data", "", "--sizes", "120", "--kernels", "3", "--norms", "2", "--out", dir)
	for _, name := range []string{"figure31.md", "figure31.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Contains(text, []byte("uniform sum")) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

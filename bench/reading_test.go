package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReading(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "spambase")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "spambase.libsvm.gz"), []byte("1 1:0.5 2:1\n-1 2:3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := found(t, dir, "reading", "--quick")
	formats := map[string]bool{}
	for _, row := range r.Tables[0].Rows {
		formats[row["format"].(string)] = true
		if row["bytes"].(float64) <= 0 || row["rows_per_second"].(float64) <= 0 {
			t.Errorf("%v", row)
		}
	}
	if len(formats) != 4 || len(r.Tables[0].Notes) != 5 {
		t.Errorf("formats %v, notes %q", formats, r.Tables[0].Notes)
	}
}

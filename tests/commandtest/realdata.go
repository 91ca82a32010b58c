package commandtest

import (
	"bigmkl/internal/testlevel"
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// DataFolder returns the folder of the real data sets. It skips the test if there is none.
func DataFolder(t testing.TB) string {
	t.Helper()
	return testlevel.NeedRealData(t)
}

// RealLines returns the first lines of a file of real data, which is compressed by gzip, without
// their line breaks. It returns all lines if most is 0.
func RealLines(t testing.TB, path string, most int) (lines []string) {
	t.Helper()
	f, err := os.Open(filepath.Join(DataFolder(t), path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for in := bufio.NewReader(z); most == 0 || len(lines) < most; {
		text, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if text != "" {
			lines = append(lines, strings.TrimSuffix(text, "\n"))
		}
		if err != nil {
			break
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%s has no rows", path)
	}
	return lines
}

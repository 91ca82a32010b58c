package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTexts: the licence is whole, the citation has the version of the package and names nobody, and the workflow of a forge runs what
// every change has to pass.
func TestTexts(t *testing.T) {
	read := func(path string) string {
		b, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	licence := read("LICENSE")
	if n := strings.Count(licence, "\n"); n != 202 || !strings.Contains(licence, "END OF TERMS AND CONDITIONS") ||
		!strings.Contains(licence, "Version 2.0, January 2004") {
		t.Errorf("%d lines of a licence", n)
	}
	version := regexp.MustCompile(`__version__ = "(.*)"`).FindStringSubmatch(read("python/bigmkl/_version.py"))
	citation := read("CITATION.cff")
	if version == nil || !strings.Contains(citation, "\nversion: "+version[1]+"\n") ||
		!strings.Contains(citation, "\nauthors:\n  - name: The bigmkl authors\n") || !strings.Contains(citation, "\nlicense: Apache-2.0\n") {
		t.Errorf("version %q is not that of\n%s", version, citation)
	}
	workflow := read(".github/workflows/ci.yml")
	for _, line := range []string{"run: .ci/run\n", "run: go run ./internal/release -o dist\n", "has not been run"} {
		if !strings.Contains(workflow, line) {
			t.Errorf("no %q in the workflow", line)
		}
	}
}

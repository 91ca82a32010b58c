package command

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentsNameTests: every test and fuzz target that a document names is in a file of the module. A star behind
// a name, as in TestHostile*, matches any ending. The part behind a slash, a case of the test, is not compared.
func TestDocumentsNameTests(t *testing.T) {
	root, declared := "../../..", map[string]bool{}
	declaration := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9_]*)\(`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range declaration.FindAllStringSubmatch(string(b), -1) {
			declared[m[1]] = true
		}
		return err
	})
	if err != nil || len(declared) < 100 {
		t.Fatalf("%d tests, %v", len(declared), err)
	}
	anyEnding := func(start string) bool {
		for name := range declared {
			if strings.HasPrefix(name, start) {
				return true
			}
		}
		return false
	}
	named, count := regexp.MustCompile(`\b((?:Test|Fuzz)[A-Z][A-Za-z0-9_]*)(\*?)`), 0
	for _, path := range documents(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(b), -1) {
			count++
			if !declared[m[1]] && !(m[2] == "*" && anyEnding(m[1])) {
				t.Errorf("%s: no test is called %s%s", path, m[1], m[2])
			}
		}
	}
	if count < 100 {
		t.Errorf("%d names of tests in the documents: the pattern misses them", count)
	}
}

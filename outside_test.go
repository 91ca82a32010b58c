package bigmkl_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutside builds and runs a module outside of this one, which trains from its own iterator with
// its own kernel, loss and recorder: nothing that it needs is internal.
func TestOutside(t *testing.T) {
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	// It needs what this module needs, in the same versions. So nothing has to be fetched.
	first, rest, _ := strings.Cut(string(mod), "\n")
	module := strings.TrimPrefix(first, "module ")
	text := "module outside\n" + rest + "\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + root + "\n"
	for name, from := range map[string]string{"go.sum": "go.sum", "main.go": "testdata/outside/main.go"} {
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "run", "-mod=mod", ".")
	c.Dir = folder
	c.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	out, err := c.CombinedOutput()
	const want = "once: converged true\nfaults: 0\nstream: 250 of 400\nfaults: 0\nown loss: converged true true\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}

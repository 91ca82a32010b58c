package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/internal/testlevel"
)

// TestRename: a copy of the sources under another path of the module has imports that are all there, formatted files, and no import
// of the old path. At the highest level the command is built and run, and the order of the packages is tested there: that compiles all of it.
func TestRename(t *testing.T) {
	copied := filepath.Join(t.TempDir(), "copy")
	copySources(t, filepath.Join("..", ".."), copied)
	from, err := modulePath(copied)
	if err != nil {
		t.Fatal(err)
	}
	const to = "example.org/kernels/much"
	if err := renameModule(t.Context(), copied, "no path"); err == nil {
		t.Error("a path with a blank is taken")
	}
	if err := renameModule(t.Context(), copied, to); err != nil {
		t.Fatal(err)
	}
	inCopy := func(name string, args ...string) string {
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir, c.Env = copied, append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	// The computer may lack modules that no test needs, such as the modules of ranks.
	const format = `{{.ImportPath}}{{"\t"}}{{with .Error}}{{printf "%q" .Err}}{{end}}`
	if !testlevel.Reached(testlevel.EveryKind) {
		return
	}
	for _, tags := range testlevel.Few(t, "tags", 1, []string{"", "mpi,invariants"}) {
		for line := range strings.Lines(inCopy("go", "list", "-e", "-deps", "-test", "-f", format, "-tags", tags, "./...")) {
			imported, fault, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if !ok { // a line on standard error
				continue
			}
			if imported == from || strings.HasPrefix(imported, from+"/") {
				t.Errorf("%s is still imported", imported)
			} else if fault != "" && !strings.Contains(fault, "module lookup disabled") {
				t.Errorf("%s: %s", imported, fault)
			}
		}
	}
	if files := strings.TrimSpace(inCopy("gofmt", "-l", ".")); files != "" {
		t.Errorf("not formatted: %s", files)
	}
	if path, err := modulePath(filepath.Join(copied, "internal", "simd", "asm")); err != nil || path != to+"/internal/simd/asm" {
		t.Errorf("the module of the generator is %s, %v", path, err)
	}
	if !testlevel.Reached(testlevel.ManyTimes) {
		return
	}
	if out := inCopy("go", "run", "./cmd/bigmkl", "version"); !strings.HasPrefix(out, "bigmkl ") {
		t.Error(out)
	}
	inCopy("go", "test", "./internal/floors", "-run", "TestImportsRunDown")
	inCopy("go", "test", ".", "-run", "TestOutside")
}

// copySources copies what the module consists of: no history, no links, and nothing larger than a source is.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		within, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, within), 0o755)
		case !d.Type().IsRegular() || d.Name() == ".git":
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > 4<<20 {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, within), b, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

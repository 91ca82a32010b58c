package scratch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"bigmkl/internal/files"
	"bigmkl/internal/pipetest"
)

// abandoned is a folder that a killed process has left, with files.
func abandoned(t *testing.T, base string) *Folder {
	t.Helper()
	f, err := New(base, "run")
	if err != nil {
		t.Fatal(err)
	}
	fill(t, f)
	f.lock.Close()
	return f
}

// tree is everything below a folder.
func tree(t *testing.T, base string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// TestOnlyWhatIsOurs: a folder goes if there is nothing in it but what this program writes, whoever gave it its name.
func TestOnlyWhatIsOurs(t *testing.T) {
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "precious")
	write(elsewhere, "text")
	link := func(at string) func(string) {
		return func(path string) {
			if err := os.Symlink(elsewhere, filepath.Join(path, at)); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := func(at, text string) func(string) { return func(path string) { write(filepath.Join(path, at), text) } }
	folder := func(at string) func(string) {
		return func(path string) {
			if err := os.MkdirAll(filepath.Join(path, at), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	nothing := func(string) {}
	for name, c := range map[string]struct {
		change func(path string)
		left   string // "" if it is removed
	}{
		"as it was": {nothing, ""}, "a file of each kind": {func(path string) {
			for _, name := range []string{"sample-1", "active-2", "gradient-3", "vectors-4", "bigmkl-points-5", "bigmkl-rows-6", "bigmkl-labels-7",
				"bigmkl-cache-8", "objects-9"} {
				write(filepath.Join(path, name), "x")
			}
		}, ""},
		"notes": {file("notes.txt", "x"), `"notes.txt" in it is nothing`}, "a model": {file("m.model", "x"), `"m.model" in it is nothing`}, "points of another kind": {file("points-x", "x"), `"points-x" in it`},
		"a hidden file": {file(".keep", ""), `".keep" in it`}, "a folder": {folder("data"), `"data" in it`}, "a folder named like a file": {folder("points-1"), `"points-1" in it`},
		"a folder with a number":       {folder("17"), `"17" in it`},
		"a folder like this one in it": {folder("bigmkl-run-1"), `"bigmkl-run-1" in it`}, "a link": {link("points-1"), `"points-1" in it`}, "a link to nowhere": {link("x"), `"x" in it`},
		"a link as a cache": {link("bigmkl-cache-1"), `"bigmkl-cache-1" in it`},
		"another lock":      {file(lockName, "1234\n"), "its lock is none of this program"}, "a lock that goes on": {file(lockName, mark+"x"), "its lock is none of this program"},
		"an empty lock": {file(lockName, ""), "no lock of this program"}, "half a lock": {file(lockName, mark[:7]), "no lock of this program"},
		"a lock of the last version alone": {func(path string) {
			os.Remove(filepath.Join(path, "bigmkl-cache-17"))
			os.Remove(filepath.Join(path, "points-1234"))
			write(filepath.Join(path, lockName), "")
		}, ""},
		"no lock":          {func(path string) { os.Remove(filepath.Join(path, lockName)) }, "no lock of this program"},
		"a link as a lock": {func(path string) { os.Remove(filepath.Join(path, lockName)); link(lockName)(path) }, "its lock is no file"},
		"a pipe as a lock": {func(path string) {
			os.Remove(filepath.Join(path, lockName))
			pipetest.Make(t, filepath.Join(path, lockName))
		}, "its lock is no file"},
		"a pipe":            {func(path string) { pipetest.Make(t, filepath.Join(path, "points-1")) }, `"points-1" in it`},
		"open to others":    {func(path string) { os.Chmod(path, 0o777) }, "its mode is 777, not 700"},
		"a long name in it": {file(strings.Repeat("x", 200), "x"), `"` + strings.Repeat("x", 32) + `"... in it`},
	} {
		base := t.TempDir()
		f := abandoned(t, base)
		c.change(f.Path())
		before := tree(t, base)
		for _, dry := range []bool{true, false} {
			found, err := Clean(base, dry)
			if err != nil || len(found) != 1 || found[0].Err != nil || found[0].InUse || found[0].Path != f.Path() {
				t.Fatalf("%s: %+v, %v", name, found, err)
			}
			got := found[0]
			if (got.Left == "") != (c.left == "") || !strings.Contains(got.Left, c.left) {
				t.Errorf("%s, dry %v: left because %q, want %q", name, dry, got.Left, c.left)
			}
			if gone := len(names(t, base)) == 0; gone != (c.left == "" && !dry) {
				t.Errorf("%s, dry %v: removed %v", name, dry, gone)
			} else if !gone && tree(t, base) != before {
				t.Errorf("%s, dry %v: some of it is gone", name, dry)
			}
		}
	}
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "text" {
		t.Errorf("what links lead to: %q, %v", text, err)
	}
}

// TestOtherNames: folders with other names are left, whatever is in them.
func TestOtherNames(t *testing.T) {
	for _, name := range []string{"bigmkl-data", "bigmkl-run-", "bigmkl-run-x1", "bigmkl-run-1.old", "bigmkl-Run-1", "bigmkl--1"} {
		base := t.TempDir()
		f := abandoned(t, base)
		if err := os.Rename(f.Path(), filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
		found, err := Clean(base, false)
		if err != nil || len(found) != 1 || found[0].Left != "this program gives no such name" || len(names(t, base)) != 1 {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
}

// TestOthersStay: a folder of another user is not ours to remove, and root's neither.
func TestOthersStay(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	base := t.TempDir()
	f := abandoned(t, base)
	const somebody = 12345
	if err := os.Chown(f.Path(), somebody, somebody); err != nil {
		t.Fatal(err)
	}
	before := tree(t, base)
	if found, err := Clean(base, false); err != nil || len(found) != 0 || tree(t, base) != before {
		t.Errorf("another's folder: %+v, %v", found, err)
	}
}

// TestSizeAndAge: the size is the size of the allocated blocks, and the age is the age of the last write.
func TestSizeAndAge(t *testing.T) {
	base := t.TempDir()
	f := abandoned(t, base)
	path := filepath.Join(f.Path(), "bigmkl-cache-9")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if !files.NamesLast { // Otherwise a file takes its whole length.
		if err := os.Truncate(path, 1<<40); err != nil { // a hole
			t.Skip(err)
		}
	}
	then := time.Now().Add(-1000 * time.Hour).Truncate(time.Second)
	err := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error { return os.Chtimes(path, then, then) })
	if err != nil {
		t.Fatal(err)
	}
	last := then.Add(30 * time.Hour)
	if err := os.Chtimes(filepath.Join(f.Path(), "points-1234"), last, last); err != nil {
		t.Fatal(err)
	}
	found, err := Clean(base, true)
	if err != nil || len(found) != 1 || !found[0].Modified.Equal(last) || found[0].Size < 1<<20 || found[0].Size > 1<<20+256<<10 {
		t.Errorf("%+v, %v; last written %v", found, err, last)
	}
}

// TestNamesAreKnown reads the sources of the module: whatever is made in a scratch folder has a name that Clean knows.
func TestNamesAreKnown(t *testing.T) {
	calls := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "../../bench" || strings.HasPrefix(d.Name(), ".") && name != "../.."):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok || len(c.Args) < 2 {
				return true
			}
			f, ok := c.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, _ := f.X.(*ast.Ident)
			pattern, literal := c.Args[1].(*ast.BasicLit)
			switch {
			case of == nil:
			case of.Name == "mmap" && (f.Sel.Name == "Create" || f.Sel.Name == "Array"), of.Name == "files" && f.Sel.Name == "CreateScratch":
				if !literal && strings.HasPrefix(name, "../../mmap/") { // which is given it
					return true
				}
				calls++
				text := ""
				if literal {
					text, _ = strconv.Unquote(pattern.Value)
				}
				if !fileName(strings.Replace(text, "*", "1234567890", 1)) {
					t.Errorf("%s: %q is a file that Clean does not know", set.Position(c.Pos()), text)
				}
			case of.Name == "scratch" && f.Sel.Name == "New":
				calls++
				text, _ := strconv.Unquote(pattern.Value)
				if !folderName(prefix + text + "-1234567890") {
					t.Errorf("%s: %q is a folder that Clean does not know", set.Position(c.Pos()), text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if calls < 11 {
		t.Errorf("only %d calls were found", calls)
	}
}

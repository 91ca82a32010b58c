package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func write(t *testing.T, path, text string) *File {
	t.Helper()
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return f
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCommitAndAbort(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	write(t, path, "lost").Abort()
	if n := names(t, dir); len(n) != 0 {
		t.Errorf("after Abort there is %q", n)
	}
	f := write(t, path, "one")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort() // does nothing now
	f = write(t, path, "two")
	if content(t, path) != "one" {
		t.Error("the file changed before Commit")
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if content(t, path) != "two" || len(names(t, dir)) != 1 {
		t.Errorf("after Commit: %q in %q", content(t, path), names(t, dir))
	}
}

func TestTargets(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := write(t, real, "one").Commit(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := write(t, link, "two").Commit(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || content(t, real) != "two" {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}
	if err := write(t, os.DevNull, "gone").Commit(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Error("the device was replaced")
	}
	for _, path := range []string{filepath.Join(dir, "none", "out"), dir, filepath.Join(real, "out")} {
		if _, err := Create(path); !errors.Is(err, fail.Input) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n := names(t, dir); len(n) != 2 {
		t.Errorf("there is %q", n)
	}
}

// A target that turns into a folder makes the rename fail; nothing stays behind.
func TestFailedCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	f := write(t, path, "text")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); !errors.Is(err, fail.Input) {
		t.Errorf("Commit: %v", err)
	}
	if n := names(t, dir); len(n) != 1 {
		t.Errorf("there is %q", n)
	}
}

// A file that another removes, replaces, cuts short or makes longer while it is written never gets the name.
func TestTamperedWith(t *testing.T) {
	for name, deed := range map[string]func(temp string) error{
		"removed":     os.Remove,
		"cut short":   func(temp string) error { return os.Truncate(temp, 1) },
		"made longer": func(temp string) error { return os.Truncate(temp, 100) },
		"replaced": func(temp string) error {
			if err := os.Rename(temp, temp+"0"); err != nil {
				return err
			}
			return os.WriteFile(temp, []byte("more of it"), 0o600)
		},
	} {
		path := filepath.Join(t.TempDir(), "target")
		if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
			t.Fatal(err)
		}
		f := write(t, path, "some")
		if err := deed(f.temp); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(" of it")); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); !errors.Is(err, fail.Input) {
			t.Errorf("%s: %v", name, err)
		}
		if got := content(t, path); got != "before" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// meddler does a deed to the new file once it has its name, before its folder is synced.
type meddler struct{ deed func() }

func (m meddler) Before(op files.Op) error {
	if op.Kind == files.OpSyncFolder {
		m.deed()
	}
	return nil
}

func (meddler) Read(files.Op, []byte) {}

// A change that began while the file was written and comes to its end after the rename is found, and
// the damaged file does not stay under the name of the target.
func TestTamperedWithAtTheRename(t *testing.T) {
	for name, c := range map[string]struct {
		deed func(path string) error
		left []string
	}{
		"removed":   {os.Remove, nil},
		"cut short": {func(path string) error { return os.Truncate(path, 1) }, nil},
		"replaced": {func(path string) error {
			if err := os.WriteFile(path+"0", []byte("another"), 0o600); err != nil {
				return err
			}
			return os.Rename(path+"0", path)
		}, []string{"target"}},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "target")
		f := write(t, path, "some of it")
		restore := files.Inject(meddler{func() {
			if err := c.deed(path); err != nil {
				t.Error(err)
			}
		}})
		err := f.Commit()
		restore()
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if left := names(t, dir); !slices.Equal(left, c.left) {
			t.Errorf("%s: there is %q", name, left)
		}
	}
}

package faulty_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"bigmkl/internal/files"
	"bigmkl/internal/files/faulty"
)

func TestClass(t *testing.T) {
	for _, c := range []struct {
		op   files.Op
		want string
	}{
		{files.Op{Kind: files.OpWrite, Path: "/a1/checkpoint-00012"}, "write checkpoint-"},
		{files.Op{Kind: files.OpWrite, Path: "/a1/checkpoint-00012.tmp3x0q"}, "write checkpoint-.tmp"},
		{files.Op{Kind: files.OpRemove, Path: "notes.tmp"}, "remove notes.tmp"},
		{files.Op{Kind: files.OpSyncFolder, Path: "/tmp/TestX123/001"}, "fsync folder "},
	} {
		if got := faulty.Class(c.op); got != c.want {
			t.Errorf("%v is of class %q, want %q", c.op, got, c.want)
		}
	}
}

func TestAtOf(t *testing.T) {
	folder := t.TempDir()
	run := func(i files.Injector) error {
		defer files.Inject(i)()
		for _, name := range []string{"a1", "b", "a2"} {
			f, err := write(filepath.Join(folder, name), "text")
			if err == nil {
				err = f.Close()
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	trace := &faulty.Trace{}
	if err := run(trace); err != nil {
		t.Fatal(err)
	}
	full := faulty.Fault{Err: syscall.ENOSPC, Kinds: []files.Kind{files.OpWrite}}
	if got, want := trace.Classes(full), map[string]int{"write a": 4, "write b": 2}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	full.Folder = t.TempDir()
	if got := trace.Classes(full); len(got) > 0 {
		t.Errorf("%v in another folder", got)
	}
	full.Folder = ""
	for i, want := range []string{"a1", "a1", "a2", "a2", ""} {
		s := faulty.AtOf(i, "write a", full)
		err := run(s)
		if struck := s.Struck(); want == "" && (err != nil || len(struck) > 0) ||
			want != "" && (!errors.Is(err, syscall.ENOSPC) || len(struck) != 1 || filepath.Base(struck[0].Path) != want) {
			t.Errorf("write %d of class a: %v, %v", i, struck, err)
		}
	}
	full.Lasting = true
	s := faulty.AtOf(1, "write a", full)
	run(s)
	run(s)
	if n := len(s.Struck()); n != 2 {
		t.Errorf("a disk that is full from the second write on failed %d times", n)
	}
	if _, err := os.Stat(filepath.Join(folder, "b")); err != nil {
		t.Error(err)
	}
}

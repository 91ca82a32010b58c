package faulty_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"bigmkl/internal/files"
	"bigmkl/internal/files/faulty"
)

// write writes a file in two pieces without making anything durable.
func write(path, text string) (*files.File, error) {
	f, err := files.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	for _, part := range []string{text[:1], text[1:]} {
		if _, err := f.Write([]byte(part)); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

func TestAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	run := func(s *faulty.Strike) error {
		defer files.Inject(s)()
		f, err := write(path, "text")
		if err == nil {
			err = f.Close()
		}
		return err
	}
	full := faulty.Fault{Err: syscall.ENOSPC, Kinds: []files.Kind{files.OpWrite}}
	for i := range 3 {
		s := faulty.At(i, full)
		if err := run(s); errors.Is(err, syscall.ENOSPC) != (i < 2) || len(s.Struck()) == 1 != (i < 2) {
			t.Errorf("write %d of 2: %v, %v", i, err, s.Struck())
		}
	}
	// An error for any operation: opening, two writes, closing.
	for i := range 5 {
		s := faulty.At(i, faulty.Fault{Err: syscall.EIO})
		if err := run(s); errors.Is(err, syscall.EIO) != (i < 4) {
			t.Errorf("operation %d of 4: %v", i, err)
		}
	}
	full.Lasting = true
	s := faulty.At(1, full)
	run(s)
	run(s)
	if n := len(s.Struck()); n != 2 {
		t.Errorf("a disk that is full from the second write on failed %d times", n)
	}
	elsewhere := faulty.At(0, faulty.Fault{Err: syscall.EIO, Folder: t.TempDir()})
	if err := run(elsewhere); err != nil || len(elsewhere.Struck()) > 0 {
		t.Errorf("struck outside of the folder: %v", err)
	}
	struck := 0
	s = faulty.Random(faulty.Fault{Err: syscall.EIO}, 0.5, 1)
	for range 100 {
		run(s)
	}
	if struck = len(s.Struck()); struck < 20 || struck > 150 {
		t.Errorf("%d failures", struck)
	}
}

func TestFlip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	for k := range int64(12) {
		func() {
			flip := faulty.NewFlip(path, k)
			defer files.Inject(flip)()
			f, err := files.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var got []byte
			for p := make([]byte, 3); ; {
				n, err := f.Read(p)
				if got = append(got, p[:n]...); err != nil {
					break
				}
			}
			for i := range got {
				if changed := got[i] != byte('0'+i); changed != (int64(i) == k) {
					t.Errorf("byte %d of %q when %d was to change", i, got, k)
				}
			}
			if flip.Done() != (k < 10) {
				t.Errorf("byte %d: done %v", k, flip.Done())
			}
		}()
	}
}

// TestDisk writes a new file beside an old one, which is replaced, and looks at what is left.
func TestDisk(t *testing.T) {
	state := func(folder string) map[string]string {
		out := map[string]string{}
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			b, _ := os.ReadFile(filepath.Join(folder, e.Name()))
			out[e.Name()] = string(b)
		}
		return out
	}
	for _, c := range []struct {
		name               string
		at                 int
		sync, folder       bool
		after              faulty.After
		wantNew, wantOther string // "" where there is no such file
	}{
		{"nothing synced", 9, false, false, faulty.After{}, "old", ""},
		{"nothing synced, names are there", 9, false, false, faulty.After{Names: true}, "", "-"},
		{"nothing synced, everything is there", 9, false, false, faulty.After{Names: true, Keep: 1}, "new", "-"},
		{"content synced", 9, true, false, faulty.After{}, "old", ""},
		{"content synced, names are there", 9, true, false, faulty.After{Names: true}, "new", "-"},
		{"names synced", 9, false, true, faulty.After{}, "", "-"},
		{"all synced", 9, true, true, faulty.After{}, "new", "-"},
		{"power fails at the sync", 3, true, true, faulty.After{Names: true}, "old", "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			os.WriteFile(filepath.Join(dir, "file"), []byte("old"), 0o600)
			d := faulty.NewDisk(t, dir, c.at)
			restore := files.Inject(d)
			f, err := write(filepath.Join(dir, "temp"), "new") // operations 0 to 2
			if err != nil {
				t.Fatal(err)
			}
			if c.sync {
				err = f.Sync()
			}
			f.Close()
			os.WriteFile(filepath.Join(dir, "other"), nil, 0o600)
			if err == nil {
				err = files.Rename(filepath.Join(dir, "temp"), filepath.Join(dir, "file"))
			}
			if c.folder && err == nil {
				files.SyncFolder(dir)
			}
			restore()
			if (err != nil) != (c.at < 9) || d.Down() != (c.at < 9) {
				t.Fatalf("%v, down %v", err, d.Down())
			}
			d.Crash(c.after)
			got := state(dir)
			_, other := got["other"]
			if got["file"] != c.wantNew || other != (c.wantOther != "") {
				t.Errorf("%q", got)
			}
		})
	}
}

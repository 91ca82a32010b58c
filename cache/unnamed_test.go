//go:build linux && !portable

package cache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Where files keep their names, nobody can cut a mapped file short or remove a folder of open files. So these tests have
// nothing to test.

// emptied removes everything in a folder.
func emptied(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

// No file that is mapped has a name: nobody can cut it short. The log goes on to further files.
func TestMappedFilesHaveNoNames(t *testing.T) {
	dir := t.TempDir()
	s, err := openStore(filepath.Join(dir, "1"), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.remove()
	mapped := func() (n int) {
		t.Helper()
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip(err)
		}
		for line := range strings.Lines(string(maps)) {
			if line = strings.TrimSpace(line); strings.Contains(line, dir) {
				n++
				if !strings.HasSuffix(line, " (deleted)") {
					t.Errorf("has a name: %s", line)
				}
			}
		}
		return n
	}
	if n := mapped(); n != 3 {
		t.Errorf("%d mapped files of a new database", n)
	}
	value := make([]byte, 4<<20)
	for i := range 40 {
		if err := s.write([]pair{{block{generation: uint64(i)}.appendKey(nil), value}}); err != nil {
			t.Fatal(err)
		}
	}
	if n := mapped(); n != 5 {
		t.Errorf("%d mapped files of a database with three files of 64 MiB in its log", n)
	}
}

// The folder goes: the tier is off with one reason, at once and with nothing left running.
func TestFolderIsRemoved(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	for round := range 4 {
		m := spilled(t, 50_000, 40, Options{Disk: 24 << 20})
		emptied(t, m.c.options.Dir)
		if round%2 == 1 { // something else is in its place
			if err := os.WriteFile(m.c.disk.root.Path(), []byte("a file"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		start := time.Now()
		for first := int32(0); first < 200; first += 4 {
			m.round(requests(0, span(1, first, 4)...), true)
		}
		if s := m.c.Stats(); s.DiskOff == "" || s.DiskBytes != 0 || s.Damaged != 0 {
			t.Fatalf("%+v", s)
		}
		if round < 2 {
			m.clear()
		}
		if err := m.c.Close(); err != nil && round%2 == 0 {
			t.Fatal(err)
		}
		if took := time.Since(start); took > closeWait || m.c.disk.left > 0 {
			t.Errorf("%v, %d databases left behind", took, m.c.disk.left)
		}
	}
	goleak.VerifyNone(t, ignore)
}

// A folder that goes when a database is about to close, which then could never write what it still holds to a table.
func TestCloseWithoutFolder(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	m := spilled(t, 50_000, 40, Options{})
	emptied(t, m.c.options.Dir)
	start := time.Now()
	if err := m.c.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > closeWait || m.c.disk.left > 0 {
		t.Errorf("%v, %d databases left behind", took, m.c.disk.left)
	}
	goleak.VerifyNone(t, ignore)
}

// A new file that was cut short before its name was gone is made whole; one that is cut short after that is not written to.
func TestShortFiles(t *testing.T) {
	m := spilled(t, 5000, 24, Options{})
	s := m.c.disk.young
	path := filepath.Join(s.dir, "00009.mem")
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.round(requests(0, span(1, 0, 8)...), true)
	m.round(requests(0, span(1, 8, 8)...), true)
	last := s.hidden[len(s.hidden)-1]
	if info, err := last.Stat(); err != nil || last.Name() != path || info.Size() != last.size || m.c.Stats().DiskOff != "" {
		t.Fatal(info, err, m.c.Stats())
	}
	if err := last.Truncate(5); err != nil {
		t.Fatal(err)
	}
	for first := int32(0); first < 40; first += 4 {
		m.round(requests(0, span(2, first, 4)...), true)
	}
	if s := m.c.Stats(); !strings.Contains(s.DiskOff, "another has changed its length") {
		t.Fatalf("%+v", s)
	}
}

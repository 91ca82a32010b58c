package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"bigmkl/internal/files"
	"bigmkl/internal/files/faulty"
)

// versions replaces a file several times and gives the last version of which it was said that it is there.
func versions(path string) (committed string) {
	committed = "version 0"
	for i := 1; i <= 3; i++ {
		text := fmt.Sprintf("version %d", i)
		f, err := Create(path)
		if err != nil {
			return committed
		}
		for _, part := range []string{text[:4], text[4:]} {
			if _, err := f.Write([]byte(part)); err != nil {
				f.Abort()
				return committed
			}
		}
		if f.Commit() != nil {
			return committed
		}
		committed = text
	}
	return committed
}

// TestCrash: whenever the power fails, and whatever the disk made of what was not synced, there is a whole version, and none
// older than the last that was committed.
func TestCrash(t *testing.T) {
	states := []faulty.After{{}, {Names: true}, {Keep: 1}, {Names: true, Keep: 1}}
	for seed := range uint64(6) {
		states = append(states, faulty.After{Keep: 0.5, Seed: seed}, faulty.After{Names: true, Keep: 0.5, Seed: seed})
	}
	for _, after := range states {
		down := true
		for at := 0; down; at++ {
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			if err := os.WriteFile(path, []byte("version 0"), 0o600); err != nil {
				t.Fatal(err)
			}
			d := faulty.NewDisk(t, dir, at)
			restore := files.Inject(d)
			committed := versions(path)
			restore()
			down = d.Down()
			d.Crash(after)
			got := content(t, path)
			if len(got) != len(committed) || got < committed || got > "version 3" {
				t.Errorf("power failed at operation %d, %+v: %q, %q was committed", at, after, got, committed)
			}
		}
	}
}

// TestEveryFault: for any failure, Commit reports it or there is the new version; without it the old one stays, and no other file.
func TestEveryFault(t *testing.T) {
	for _, fault := range faulty.Faults {
		struck := true
		for at := 0; struck; at++ {
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			if err := os.WriteFile(path, []byte("version 0"), 0o600); err != nil {
				t.Fatal(err)
			}
			s := faulty.At(at, fault)
			restore := files.Inject(s)
			committed := versions(path)
			restore()
			struck = len(s.Struck()) > 0
			// A folder that cannot be synced is reported, though the name is there.
			if got := content(t, path); got < committed || len(got) != len(committed) || len(names(t, dir)) != 1 {
				t.Errorf("%s at %v: %q, %q was committed, files %q", fault.Name, s.Struck(), got, committed, names(t, dir))
			}
			if !struck && committed != "version 3" {
				t.Errorf("%s: nothing failed, %q was committed", fault.Name, committed)
			}
		}
	}
}

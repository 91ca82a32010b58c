package testmain

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestMain(m *testing.M) { Run(m) }

// TestFolder: the folder is in the base, and there is none in the long run or where there is no such base.
func TestFolder(t *testing.T) {
	base := t.TempDir()
	if folder := memoryFolder(filepath.Join(base, "missing")); folder != "" {
		t.Errorf("%s in a base that is not there", folder)
	}
	switch folder := memoryFolder(base); {
	case folder == "":
		t.Log("the temporary folder has no 4 GiB")
	case filepath.Dir(folder) != base:
		t.Errorf("%s is not in %s", folder, base)
	}
	t.Setenv("BIGMKL_LONG", "2")
	if folder := memoryFolder(base); folder != "" {
		t.Errorf("%s in the long run", folder)
	}
}

// TestSweep: of the folders in a base, those of processes that have ended are removed, except young ones.
func TestSweep(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.run", "^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	base, old := t.TempDir(), time.Now().Add(-2*time.Hour)
	stays := map[string]bool{
		fmt.Sprintf("%s%d-1", prefix, ended.Process.Pid): false,
		fmt.Sprintf("%s%d-2", prefix, ended.Process.Pid): true, // young
		fmt.Sprintf("%s%d-3", prefix, os.Getpid()):       true,
		prefix + "x-4":     true,
		"another-5":        true,
		prefix + "nothing": true,
	}
	for name := range stays {
		path := filepath.Join(base, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if name[len(name)-1] != '2' {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	sweep(base)
	for name, want := range stays {
		if _, err := os.Stat(filepath.Join(base, name)); (err == nil) != want {
			t.Errorf("%s stays: %t, want %t", name, err == nil, want)
		}
	}
}

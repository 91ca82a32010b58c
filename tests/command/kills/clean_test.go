package kills

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// reading starts a training in a process of its own that waits for more rows, and gives its input.
func reading(t *testing.T, f commandtest.Folder, scratch string) (*exec.Cmd, io.WriteCloser) {
	t.Helper()
	c := exec.Command(os.Args[0], "train", "--kernels", "linear", "--scratch", scratch, "-o", f.At("m"), "-")
	c.Env = append(os.Environ(), "BIGMKL_TEST_AS_PROGRAM=1")
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	if _, err := io.WriteString(stdin, strings.Repeat("1 1:1\n-1 2:1\n", commandtest.ProgressRows/2)); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	if !lines.Scan() { // progress
		t.Fatal("no progress")
	}
	go io.Copy(io.Discard, stderr)
	return c, stdin
}

// TestClean: what a killed run leaves is removed, what belongs to a living one is not.
func TestClean(t *testing.T) {
	f, scratch := commandtest.NewFolder(t), t.TempDir()
	if o := commandtest.Must(t, "clean", "--scratch", scratch); o.Stdout != "nothing to remove in "+scratch+"\n" {
		t.Errorf("%q", o.Stdout)
	}
	killed, _ := reading(t, f, scratch)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.Wait()
	left := commandtest.List(t, scratch)
	if len(left) != 1 {
		t.Fatalf("%q are left by a killed run", left)
	}
	alive, stdin := reading(t, f, scratch)
	var inUse string
	for _, name := range commandtest.List(t, scratch) {
		if name != left[0] {
			inUse = name
		}
	}
	private(t, scratch)
	for _, c := range []struct {
		args []string
		what string
		left int
	}{{[]string{"--dry-run"}, "would remove", 2}, {nil, "removed", 1}} {
		o := commandtest.Must(t, append([]string{"clean", "--scratch", scratch}, c.args...)...)
		want := "(?m)^" + c.what + " " + filepath.Join(scratch, left[0]) + `, [0-9.]+m?s old, [0-9.]+ [KM]iB\n(.*\n)?` + c.what + " 1 folders, [0-9.]+ [KM]iB\n$"
		if !regexp.MustCompile(want).MatchString(o.Stdout) || !strings.Contains(o.Stdout, "in use: "+filepath.Join(scratch, inUse)+"\n") || strings.Count(o.Stdout, "\n") != 3 {
			t.Errorf("%q, want %q", o.Stdout, want)
		}
		if now := commandtest.List(t, scratch); len(now) != c.left {
			t.Errorf("%s: %q are left", c.what, now)
		}
	}
	if now := commandtest.List(t, scratch); len(now) != 1 || now[0] != inUse {
		t.Errorf("%q are left", now)
	}
	stdin.Close()
	if err := alive.Wait(); err != nil {
		t.Errorf("the living run: %v", err)
	}
	if now := commandtest.List(t, scratch); len(now) != 0 {
		t.Errorf("%q are left", now)
	}
	// Without a lock: not made by this program, or not by one that was killed.
	foreign := filepath.Join(scratch, "bigmkl-run-1")
	if err := os.MkdirAll(filepath.Join(foreign, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if o := commandtest.Must(t, "clean", "--scratch", scratch); o.Stdout != "left alone: "+foreign+": it holds no lock of this program, and files\nnothing to remove in "+scratch+"\n" {
		t.Errorf("%q", o.Stdout)
	}
	if now := commandtest.List(t, foreign); len(now) != 1 {
		t.Errorf("%q are left", now)
	}
	commandtest.Check(t, f, commandtest.Fault{Name: "no folder", Args: []string{"clean", "--scratch", f.At("absent")}, Code: contract.ExitInput, Want: f.At("absent") + ": "})
	commandtest.Check(t, f, commandtest.Fault{Name: "arguments", Args: []string{"clean", scratch}, Code: contract.ExitUsage, Want: "clean takes no arguments"})
}

// private checks that nobody else can read what is below the folder.
func private(t *testing.T, folder string) {
	t.Helper()
	entries := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		entries++
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = fmt.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil || entries == 0 {
		t.Errorf("%d files and folders, %v", entries, err)
	}
}

// TestModesOfFiles: scratch files are private, what was asked for has the mode that the umask leaves.
func TestModesOfFiles(t *testing.T) {
	f, _, _, model := commandtest.Trained(t)
	other, err := os.OpenFile(f.At("other"), os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	want, err := other.Stat()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.Stat(model)
	if err != nil || got.Mode() != want.Mode() {
		t.Errorf("a model of mode %v where other files have %v, %v", got.Mode(), want.Mode(), err)
	}
}

// TestCleanAfterKills: runs that spill rows to disk are killed as soon as they have a folder or a file of rows, and what
// they leave is all removed: the table of the names that this program gives has every one.
func TestCleanAfterKills(t *testing.T) {
	f, scratch := commandtest.NewFolder(t), t.TempDir()
	data := f.File("data", commandtest.Text(3000, 1))
	for state, reached := range map[string]func(*exec.Cmd) bool{
		"its folder": func(*exec.Cmd) bool {
			found, err := filepath.Glob(filepath.Join(scratch, "bigmkl-run-*"))
			return err != nil || len(found) > 0
		},
		"a file of rows": func(c *exec.Cmd) bool { return commandtest.HasSpilled(c, scratch) },
	} {
		c := commandtest.NewProcess("train", "--quiet", "--memory", "24MiB", "--cache", "always", "--kernels", "gauss:auto/8,linear", "--gap", "1e-9", "--precision", "64", "--scratch", scratch, "-o", f.At("m"), data)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { c.Wait(); close(ended) }()
		for there := false; !there; {
			select {
			case <-ended:
				t.Fatalf("the run ended without %s", state)
			default:
				there = reached(c)
			}
		}
		c.Process.Kill()
		<-ended
		if len(commandtest.List(t, scratch)) == 0 {
			t.Errorf("nothing is left of a run that was killed at %s", state)
		}
		o := commandtest.Must(t, "clean", "--scratch", scratch)
		if now := commandtest.List(t, scratch); len(now) > 0 {
			t.Fatalf("%q are left of a run that was killed at %s: %s", now, state, o.Stdout)
		}
	}
}

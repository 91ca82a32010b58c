package faults

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/files"
	"bigmkl/tests/commandtest"
)

// full is a disk on which files whose path has a text cannot be written.
type full string

func (f full) Before(op files.Op) error {
	if op.Kind == files.OpWrite && strings.Contains(op.Path, string(f)) {
		return syscall.ENOSPC
	}
	return nil
}

func (full) Read(files.Op, []byte) {}

// ending is a full disk that interrupts the run that meets it.
type ending struct {
	full
	end func()
}

func (e ending) Before(op files.Op) error {
	err := e.full.Before(op)
	if err != nil {
		e.end()
	}
	return err
}

// tryOn runs a command line on a full disk.
func tryOn(f full, args ...string) commandtest.Outcome {
	defer files.Inject(f)()
	return commandtest.Try(args...)
}

// TestStreamsThatCannotBeSaved: a stream learns all rows and ends well, whether its state is saved after each model or
// at the end alone.
func TestStreamsThatCannotBeSaved(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(120, 1))
	args := []string{"train", "--quiet", "--stream", "--every", "50", "--kernels", "gauss:0.05,linear", "-o", f.At("m"), data}
	commandtest.Must(t, args...)
	want := f.Read("m")
	args = append(args, "--checkpoint", f.At("state"))
	for every, lines := range map[string]int{"1ns": 3, "1h": 0} {
		os.RemoveAll(f.At("m"))
		o := tryOn("checkpoint-", append(args, "--json", "--checkpoint-every", every)...)
		if o.Code != contract.ExitFine || f.Read("m") != want {
			t.Errorf("exit code %d, %s", o.Code, o.Stderr)
		}
		const warning = "the state after 3 models could not be saved: "
		if !strings.Contains(o.Stderr, "bigmkl: warning: "+warning) || strings.Contains(o.Stderr, "bug") {
			t.Errorf("no warning in %q", o.Stderr)
		}
		if n := strings.Count(o.Stdout, "could not be saved: "); n != lines {
			t.Errorf("%d objects with a warning, want %d", n, lines)
		}
	}
	// A faulty row keeps its exit code.
	bad := f.File("bad", commandtest.Text(120, 1)+"1 1:nan\n")
	o := tryOn("checkpoint-", append(slices.Clone(args[:len(args)-3]), bad, "--checkpoint", f.At("state"))...)
	if o.Code != contract.ExitInput || !strings.Contains(o.Stderr, "could not be saved: ") {
		t.Errorf("exit code %d, %s", o.Code, o.Stderr)
	}
}

// TestSelectionsThatCannotBeWritten: a selection whose trainings have no files finds what one finds that has them, to
// the byte, and --resume finds it again.
func TestSelectionsThatCannotBeWritten(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(40, 1))
	selecting := func(folder string, more ...string) []string {
		return append([]string{"select", "--kernels", "linear,gauss:0.05", "--folds", "2", "--no-baselines", "-o", f.At(folder), data}, more...)
	}
	for name, more := range map[string][]string{
		"grid":   {"--grid-C", "0.1,1"},
		"tuning": {"--grid-C", "1", "--tune", "cost"},
		"trials": {"--grid-C", "0.1,1", "--size", "30", "--contrast", "rest"},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(folder string) string {
				if name == "trials" { // have no best model
					return f.Read(filepath.Join(folder, "table.json"))
				}
				return commandtest.Selected(t, f.At(folder))
			}
			commandtest.Must(t, selecting(name, more...)...)
			want := read(name)
			for _, where := range []full{"/chains/", "/tuning/"} {
				if where == "/tuning/" && name != "tuning" {
					continue
				}
				os.RemoveAll(f.At("s"))
				o := tryOn(where, selecting("s", append(more, "--json")...)...)
				const warning = "could not be written, and --resume trains again what they lack: "
				if o.Code != contract.ExitFine || !strings.Contains(o.Stderr, warning) || !strings.Contains(o.Stdout, warning) {
					t.Fatalf("exit code %d, %s", o.Code, o.Stderr)
				}
				commandtest.Decode(t, o.Stdout)
				if read("s") != want {
					t.Error("another selection than that whose trainings are written")
				}
				if files, _ := filepath.Glob(f.At("s" + string(where) + "*")); len(files) > 0 {
					t.Errorf("%q are there", files)
				}
				commandtest.Must(t, selecting("s", append(more, "--resume")...)...)
				if read("s") != want {
					t.Error("--resume finds something else")
				}
			}
		})
	}
	grid := []string{"--grid-C", "0.1,1"}
	// An interrupt keeps its exit code, and the message names the files that it could not keep.
	ctx, cancel := context.WithCancel(t.Context())
	restore := files.Inject(ending{"/chains/", cancel})
	o := commandtest.Execute(ctx, strings.NewReader(""), selecting("cut", grid...)...)
	restore()
	if o.Code != contract.ExitInterrupted || !strings.Contains(o.Stderr, "warning: not all that was trained could be kept: ") ||
		strings.Count(o.Stderr, "\nbigmkl: interrupted: ") != 1 {
		t.Errorf("exit code %d, %s", o.Code, o.Stderr)
	}
	// The files are all that a part leaves.
	o = tryOn("/chains/", selecting("part", append(grid, "--part", "1/2")...)...)
	if o.Code != contract.ExitBudget || !strings.Contains(o.Stderr, "/chains/") || o.Stdout != "" {
		t.Errorf("exit code %d, %s%s", o.Code, o.Stdout, o.Stderr)
	}
	// What was found is shown where there is no room for a table.
	o = tryOn(full(f.At("none")), selecting("none", grid...)...)
	if o.Code != contract.ExitBudget || !strings.Contains(o.Stderr, "cannot write") {
		t.Errorf("exit code %d, %s", o.Code, o.Stderr)
	}
	o = tryOn("table.json", selecting("figures", grid...)...)
	if o.Code != contract.ExitBudget || !strings.Contains(o.Stdout, "C = 0.1") || !strings.Contains(o.Stderr, "table.json: cannot write") {
		t.Errorf("exit code %d, %s%s", o.Code, o.Stdout, o.Stderr)
	}
}

// TestImportancesThatCannotBeWritten: an importance whose steps have no files finds what one finds that has them, to the byte, and
// --resume finds it again.
func TestImportancesThatCannotBeWritten(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(40, 1))
	commandtest.Must(t, commandtest.Measuring(data, f.At("i"))...)
	want := f.Read("i/importance.json")
	const warning = "could not be written, and --resume measures again what they lack: "
	o := tryOn("/steps/", commandtest.Measuring(data, f.At("full"), "--json")...)
	if o.Code != contract.ExitFine || !strings.Contains(o.Stderr, warning) || !strings.Contains(o.Stdout, warning) || f.Read("full/importance.json") != want {
		t.Errorf("exit code %d, %s", o.Code, o.Stderr)
	}
	commandtest.Decode(t, o.Stdout)
	commandtest.Must(t, commandtest.Measuring(data, f.At("full"), "--resume")...)
	if f.Read("full/importance.json") != want {
		t.Error("--resume finds something else")
	}
	// An interrupt keeps its exit code, and the message names the files that it could not keep. A part leaves only files; figures are shown.
	ctx, cancel := context.WithCancel(t.Context())
	restore := files.Inject(ending{"/steps/", cancel})
	o = commandtest.Execute(ctx, strings.NewReader(""), commandtest.Measuring(data, f.At("cut"))...)
	restore()
	if o.Code != contract.ExitInterrupted || !strings.Contains(o.Stderr, "warning: not all that was measured could be kept: ") {
		t.Errorf("exit code %d, %s", o.Code, o.Stderr)
	}
	o = tryOn("/steps/", commandtest.Measuring(data, f.At("part"), "--part", "1/2")...)
	if o.Code != contract.ExitBudget || !strings.Contains(o.Stderr, "/steps/") || o.Stdout != "" {
		t.Errorf("exit code %d, %s%s", o.Code, o.Stdout, o.Stderr)
	}
	o = tryOn("importance.json", commandtest.Measuring(data, f.At("figures"))...)
	if o.Code != contract.ExitBudget || !strings.Contains(o.Stdout, "all sources") || !strings.Contains(o.Stderr, "importance.json: cannot write") {
		t.Errorf("exit code %d, %s%s", o.Code, o.Stdout, o.Stderr)
	}
}

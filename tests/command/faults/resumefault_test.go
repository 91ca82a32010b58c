package faults

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/files"
	"bigmkl/tests/commandtest"
)

// TestCheckpointsUnderEveryFault fails every operation of a run that writes a checkpoint after every iteration. However that
// ends, what it leaves goes on to the bytes of the undisturbed run.
func TestCheckpointsUnderEveryFault(t *testing.T) {
	done := struck{}
	for _, name := range inDrawnOrder(t, checkpointed) {
		problem := checkpointed[name]
		t.Run(name, func(t *testing.T) {
			f := commandtest.NewFolder(t)
			data, checkpoints := f.File("data", commandtest.Text(60, 1)), filepath.Join(t.TempDir(), "checkpoints")
			args := append([]string{"train", "--quiet", "--gap", "3e-2", "-o", f.At("m"), "--checkpoint", checkpoints, data}, problem...)
			commandtest.Must(t, args...)
			want := f.Read("m")
			everyFault(t, trial{Folder: f, inputs: []string{data}, outputs: []string{"m"}, struck: done, run: func() commandtest.Outcome {
				os.RemoveAll(checkpoints)
				return commandtest.Try(append(args, "--checkpoint-every", "1ns")...)
			}, after: func() {
				goesOn(t, f, want, checkpoints, append(args, "--resume"))
			}})
		})
	}
}

// checkpointed are kernels of runs that write checkpoints, whose gates are learned in all but the first.
var checkpointed = map[string][]string{
	"plain":                {"--kernels", "gauss:0.05,linear"},
	"centred":              {"--kernels", "gauss:0.05 norm=centred,linear"},
	"gates":                {"--kernels", "gauss:0.05,linear copies=2", "--gating", "softmax", "--gate-tol", "0.2"},
	"landmark gates":       {"--kernels", "gauss:0.05,linear", "--gating", "softmax", "--gate-on", "kernel:gauss:0.1*5", "--gate-tol", "0.2"},
	"projections":          {"--kernels", "proj(gauss:0.05,2),linear", "--scale", "standard", "--gate-tol", "0.2"},
	"projected gates":      {"--kernels", "proj(gauss:0.05,2),linear", "--gating", "softmax", "--gate-tol", "0.2"},
	"gates of classifiers": {"--kernels", "gauss:0.05,linear", "--gating", "sigmoid", "--gate-tol", "0.2", "--multiclass", "labels"},
}

// TestResumeUnderEveryFault fails every operation of a run that is resumed from a checkpoint.
func TestResumeUnderEveryFault(t *testing.T) {
	done := struck{}
	for _, name := range inDrawnOrder(t, checkpointed) {
		t.Run(name, func(t *testing.T) { resumeUnderEveryFault(t, checkpointed[name], done) })
	}
}

func resumeUnderEveryFault(t *testing.T, problem []string, done struck) {
	f := commandtest.NewFolder(t)
	data, kept, checkpoints := f.File("data", commandtest.Text(60, 1)), filepath.Join(t.TempDir(), "kept"), filepath.Join(t.TempDir(), "checkpoints")
	args := append([]string{"train", "--quiet", "--gap", "3e-2", "-o", f.At("m"), data}, problem...)
	commandtest.Must(t, args...)
	want := f.Read("m")
	if o := commandtest.Try(append(args, "--checkpoint", kept, "--checkpoint-every", "1ns", "--max-iter", "1")...); o.Code != contract.ExitStopped {
		t.Fatalf("exit code %d, %s", o.Code, o.Stderr)
	}
	resume := append(args, "--checkpoint", checkpoints, "--resume")
	everyFault(t, trial{Folder: f, inputs: []string{data}, outputs: []string{"m"}, struck: done, run: func() commandtest.Outcome {
		os.RemoveAll(checkpoints)
		if err := os.CopyFS(checkpoints, os.DirFS(kept)); err != nil {
			t.Fatal(err)
		}
		return commandtest.Try(resume...)
	}, after: func() {
		goesOn(t, f, want, checkpoints, resume)
	}})
}

// goesOn resumes a run without faults.
func goesOn(t *testing.T, f commandtest.Folder, want, checkpoints string, args []string) {
	t.Helper()
	commandtest.Must(t, args...)
	if f.Read("m") != want {
		t.Error("what was left goes on to another model")
	}
	for _, name := range commandtest.List(t, checkpoints) {
		if strings.Contains(name, ".tmp") {
			t.Errorf("%s is left with the checkpoints", name)
		}
	}
}

// noCheckpoints is a disk on which no checkpoint can be written.
type noCheckpoints struct{}

func (noCheckpoints) Before(op files.Op) error {
	if op.Kind == files.OpWrite && strings.Contains(op.Path, "checkpoint-") {
		return syscall.ENOSPC
	}
	return nil
}

func (noCheckpoints) Read(files.Op, []byte) {}

// TestCheckpointsThatFail: a run continues without checkpoints, and has to report that it has none.
func TestCheckpointsThatFail(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(60, 1))
	args := []string{"train", "--json", "--kernels", "gauss:0.05,linear", "-o", f.At("m"), data}
	commandtest.Must(t, args...)
	want := f.Read("m")
	restore := files.Inject(noCheckpoints{})
	o := commandtest.Try(append(args, "--checkpoint", f.At("checkpoints"), "--checkpoint-every", "1ns")...)
	restore()
	if o.Code != contract.ExitFine || f.Read("m") != want {
		t.Errorf("exit code %d, %s", o.Code, o.Stderr)
	}
	const warning = "the checkpoint after iteration 0 could not be written: "
	if !strings.Contains(o.Stderr, "bigmkl: warning: "+warning) || !strings.Contains(o.Stdout, warning) {
		t.Errorf("no warning in %q or %q", o.Stderr, o.Stdout)
	}
}

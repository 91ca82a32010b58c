package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"bigmkl/internal/testlevel"
)

// TestMPI: the program that is built with the tag mpi writes the model of one process when mpirun
// starts it several times, and ends with the error and the exit code of a rank that fails. The test
// is skipped where Open MPI or MPICH is not installed.
func TestMPI(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind)
	var launchers []string
	for _, name := range []string{"mpirun.openmpi", "mpirun.mpich"} {
		if _, err := exec.LookPath(name); err == nil {
			launchers = append(launchers, name)
		}
	}
	if launchers == nil {
		t.Skip("neither Open MPI nor MPICH is installed as Debian does it")
	}
	f, data, _, _ := trained(t)
	program := f.at("bigmkl-mpi")
	build := exec.Command("go", "build", "-tags", "mpi", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	args := []string{"train", "--quiet", "--threads", "1", "--memory", "256MiB", "--kernels", "gauss:0.05..0.4/3,linear", "--norm", "4/3"}
	must(t, append(args, "-o", f.at("alone"), data)...)
	want, err := os.ReadFile(f.at("alone"))
	if err != nil {
		t.Fatal(err)
	}
	for _, launcher := range launchers {
		launch := func(ranks string, args ...string) (string, error) {
			list := append([]string{"-n", ranks, program}, args...)
			if launcher == "mpirun.openmpi" {
				list = append([]string{"--oversubscribe", "--allow-run-as-root"}, list...)
			}
			out, err := exec.CommandContext(t.Context(), launcher, list...).CombinedOutput()
			return string(out), err
		}
		for _, ranks := range []string{"1", "2", "3", "4"} {
			if out, err := launch(ranks, append(args, "-o", f.at("together"), data)...); err != nil {
				t.Fatalf("%s, %s ranks: %v\n%s", launcher, ranks, err, out)
			}
			if got, err := os.ReadFile(f.at("together")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %s ranks write another model than one process: %v", launcher, ranks, err)
			}
		}
		must(t, "verify", f.at("together"), data)
		out, err := launch("3", append(args, "-o", f.at("never"), f.at("nothing"))...)
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitInput || strings.Count(out, "cannot open") != 1 {
			t.Errorf("%s: data that are not there: %v\n%s", launcher, err, out)
		}
	}
	// The ordinary program knows nothing of MPI.
	if out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput(); err != nil || strings.Contains(string(out), "purego") {
		t.Errorf("the program without the tag has purego: %v", err)
	}
}

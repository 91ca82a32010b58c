package ranks

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// slurm starts Slurm with one node, this machine, on free ports of loopback, and returns what its commands need in their environment. The test is
// skipped where Slurm is not installed, or where its daemons do not come up. Credentials expire soon, after which a job that was put back
// into the queue starts again.
func slurm(t *testing.T) (environment []string) {
	t.Helper()
	testlevel.SkipBelow(t, testlevel.EveryKind)
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "sinfo"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("Slurm is not installed:", err)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("the daemon of a node of Slurm needs root")
	}
	// Folders of tests have long names, and the name of a socket has 108 letters at most.
	root, err := os.MkdirTemp("", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	f := commandtest.Folder{T: t, Path: root}
	key := make([]byte, 64)
	rand.Read(key)
	for name, text := range map[string]string{"key": string(key), "state/-": "", "spool/-": "", "slurm.conf": fmt.Sprintf(`ClusterName=loopback
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.socket,cred_expire=5
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=%[1]s Default=YES MaxTime=10 State=UP
`, host, root, freePort(t), freePort(t))} {
		if err := os.MkdirAll(filepath.Dir(f.At(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.At(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	environment = append(os.Environ(), "SLURM_CONF="+f.At("slurm.conf"))
	var log bytes.Buffer
	start := func(name string, args ...string) {
		c := exec.Command(name, args...)
		out, err := os.Create(f.At(name + ".out"))
		if err != nil {
			t.Fatal(err)
		}
		c.Env, c.Stdout, c.Stderr = environment, out, out
		if err := c.Start(); err != nil {
			t.Skip("Slurm does not start: ", err)
		}
		t.Cleanup(func() {
			c.Process.Signal(syscall.SIGTERM)
			late := time.AfterFunc(10*time.Second, func() { c.Process.Kill() })
			c.Wait()
			late.Stop()
			out.Close()
		})
	}
	start("munged", "--force", "--foreground", "--socket="+f.At("munge.socket"), "--key-file="+f.At("key"), "--pid-file="+f.At("munge.pid"),
		"--log-file="+f.At("munge.log"), "--seed-file="+f.At("seed"))
	until(t, &log, func(ctx context.Context) bool {
		_, err := os.Stat(f.At("munge.socket"))
		return err == nil
	})
	start("slurmctld", "-D")
	start("slurmd", "-D")
	until(t, &log, func(ctx context.Context) bool {
		c := exec.CommandContext(ctx, "sinfo", "--noheader", "--format=%T")
		c.Env = environment
		out, err := c.CombinedOutput()
		log.Reset()
		log.Write(out)
		return err == nil && strings.TrimSpace(string(out)) == "idle"
	})
	return environment
}

// until waits for a daemon. The test is skipped if that takes half a minute.
func until(t *testing.T, log *bytes.Buffer, ready func(context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !ready(ctx) {
		select {
		case <-ctx.Done():
			t.Skipf("Slurm does not come up here: %s", log)
		case <-tick.C:
		}
	}
}

// freePort returns a port of loopback that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// TestSelectUnderSlurm: an array of jobs shares out a selection as in docs/SELECT.md, and the run that joins it has the table and the model of one run
// alone.
func TestSelectUnderSlurm(t *testing.T) {
	environment := slurm(t)
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(120, 1))
	options := []string{"--kernels", "gauss:auto/2,linear", "--grid-C", "0.1,1", "--grid-norm", "1,2", "--folds", "3", "--quiet"}
	commandtest.Must(t, append(append([]string{"select"}, options...), "-o", f.At("alone"), data)...)
	job := fmt.Sprintf("%s select --part $SLURM_ARRAY_TASK_ID/3 %s -o %s %s", quoted(os.Args[0]), strings.Join(options, " "), quoted(f.At("shared")), quoted(data))
	c := exec.CommandContext(t.Context(), "sbatch", "--wait", "--array=1-3", "--output="+f.At("job.%a"), "--wrap", job)
	c.Env = append(environment, "BIGMKL_TEST_AS_PROGRAM=1")
	if out, err := c.CombinedOutput(); err != nil {
		logs, _ := exec.Command("sh", "-c", "cat "+quoted(f.At(""))+"/job.*").CombinedOutput()
		t.Fatalf("%v: %s%s", err, out, logs)
	}
	commandtest.Must(t, append(append([]string{"select", "--resume"}, options...), "-o", f.At("shared"), data)...)
	commandtest.Must(t, "verify", f.At("shared/best.model"), data)
	for _, name := range []string{"table.json", "best.model"} {
		if f.Read("alone/"+name) != f.Read("shared/"+name) {
			t.Errorf("%s of the array is another one than that of one run", name)
		}
	}
}

// TestTrainUnderSlurm: ranks that Slurm starts, by mpirun in an allocation and by srun, write the model of one process. A job that
// loses a rank goes back into the queue as in docs/CLUSTER.md, and resumes its checkpoint to the same model.
func TestTrainUnderSlurm(t *testing.T) {
	testlevel.Sample(t, 1, 4) // A job that is requeued waits half a minute.
	environment := slurm(t)
	f, data, _, _ := commandtest.Trained(t)
	launchers, program := mpiProgram(t, f)
	if launchers[0] != "mpirun.openmpi" {
		t.Skip("Open MPI is not installed as Debian does it")
	}
	run := func(args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), args[0], args[1:]...)
		c.Env = append(environment, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	args := []string{"train", "--quiet", "--threads", "1", "--memory", "256MiB", "--kernels", "gauss:0.05..0.4/3,linear", "-o"}
	commandtest.Must(t, append(args, f.At("alone"), data)...)
	want := f.Read("alone")
	launches := map[string][]string{
		"salloc": {"salloc", "--quiet", "-n", "2", "mpirun.openmpi"}, "srun": {"srun", "--quiet", "-n", "2", "--mpi=pmix"},
	}
	if out, err := run("srun", "--quiet", "-n", "1", "--mpi=pmix", "true"); err != nil {
		t.Logf("srun starts no ranks, as Slurm finds no libpmix.so, which Debian has in libpmix-dev: %s", out)
		delete(launches, "srun")
	}
	for name, launch := range launches {
		if out, err := run(slices.Concat(launch, []string{program}, args, []string{f.At(name), data})...); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		} else if f.Read(name) != want {
			t.Errorf("%s writes another model than one process", name)
		}
	}
	// The job is long enough to lose a rank.
	data = filepath.Join(commandtest.DataFolder(t), "a9a", "a9a.libsvm.gz")
	args = []string{"train", "--quiet", "--threads", "1", "--memory", "256MiB", "--kernels", "gauss:auto/5", "--limit", "5000", "--gap", "1e-5", data, "-o"}
	commandtest.Must(t, append(args, f.At("alone"))...)
	script := f.File("job", fmt.Sprintf(`#!/bin/bash
#SBATCH --ntasks=2 --requeue --open-mode=append --output=%[1]s/log
mpirun.openmpi %[2]s %[3]s %[1]s/requeued --checkpoint %[1]s/kept --checkpoint-every 50ms --resume \
  || case $? in 75|137) scontrol requeue $SLURM_JOB_ID;; esac
`, f.At(""), quoted(program), strings.Join(args, " ")))
	if out, err := run("sbatch", script); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for struck, ticks := false, 0; ; ticks++ {
		select {
		case <-t.Context().Done():
			t.Fatal("the job does not end")
		case <-tick.C:
		}
		if ranks := ranksOf(program); !struck && len(ranks) > 0 {
			if kept, _ := filepath.Glob(f.At("kept/checkpoint-*")); len(kept) > 0 {
				struck = syscall.Kill(ranks[len(ranks)-1], syscall.SIGKILL) == nil
			}
		}
		if _, err := os.Stat(f.At("requeued")); err == nil {
			if !struck {
				t.Error("the job ended before it lost a rank")
			}
			break
		}
		if ticks > 20*120 {
			out, _ := run("squeue", "--long")
			log, _ := os.ReadFile(f.At("log"))
			t.Fatalf("the job does not end (a rank was struck: %v)\n%s%s", struck, out, log)
		}
	}
	if f.Read("requeued") != f.Read("alone") {
		t.Error("a job that lost a rank ends in another model")
	}
	if log := f.Read("log"); !strings.Contains(log, "--resume goes on from the last checkpoint") {
		t.Errorf("the job said\n%s", log)
	}
}

// quoted is a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

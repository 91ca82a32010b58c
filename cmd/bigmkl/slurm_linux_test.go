package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"bigmkl/internal/testlevel"
)

// slurm starts Slurm with one node, this machine, on free ports of loopback, and returns what its commands need in their environment. The test is
// skipped where Slurm is not installed, or where its daemons do not come up.
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
	// Folders of tests have long names, and that of a socket has 108 letters at most.
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
	f := folder{t, root}
	key := make([]byte, 64)
	rand.Read(key)
	for name, text := range map[string]string{"key": string(key), "state/-": "", "spool/-": "", "slurm.conf": fmt.Sprintf(`ClusterName=loopback
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.socket
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
		if err := os.MkdirAll(filepath.Dir(f.at(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	environment = append(os.Environ(), "SLURM_CONF="+f.at("slurm.conf"))
	var log bytes.Buffer
	start := func(name string, args ...string) {
		c := exec.Command(name, args...)
		out, err := os.Create(f.at(name + ".out"))
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
	start("munged", "--force", "--foreground", "--socket="+f.at("munge.socket"), "--key-file="+f.at("key"), "--pid-file="+f.at("munge.pid"),
		"--log-file="+f.at("munge.log"), "--seed-file="+f.at("seed"))
	until(t, &log, func(ctx context.Context) bool {
		_, err := os.Stat(f.at("munge.socket"))
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

// TestSelectUnderSlurm: an array of jobs shares out a selection as docs/SELECT.md says, and the run that joins it has the table and the model of one run
// alone.
func TestSelectUnderSlurm(t *testing.T) {
	environment := slurm(t)
	f := newFolder(t)
	data := f.file("data", text(120, 1))
	options := []string{"--kernels", "gauss:auto/2,linear", "--grid-C", "0.1,1", "--grid-norm", "1,2", "--folds", "3", "--quiet"}
	must(t, append(append([]string{"select"}, options...), "-o", f.at("alone"), data)...)
	job := fmt.Sprintf("%s select --part $SLURM_ARRAY_TASK_ID/3 %s -o %s %s", quoteShell(os.Args[0]), strings.Join(options, " "), quoteShell(f.at("shared")), quoteShell(data))
	c := exec.CommandContext(t.Context(), "sbatch", "--wait", "--array=1-3", "--output="+f.at("job.%a"), "--wrap", job)
	c.Env = append(environment, "BIGMKL_TEST_AS_PROGRAM=1")
	if out, err := c.CombinedOutput(); err != nil {
		logs, _ := exec.Command("sh", "-c", "cat "+quoteShell(f.at(""))+"/job.*").CombinedOutput()
		t.Fatalf("%v: %s%s", err, out, logs)
	}
	must(t, append(append([]string{"select", "--resume"}, options...), "-o", f.at("shared"), data)...)
	must(t, "verify", f.at("shared/best.model"), data)
	for _, name := range []string{"table.json", "best.model"} {
		if f.read("alone/"+name) != f.read("shared/"+name) {
			t.Errorf("%s of the array is another one than that of one run", name)
		}
	}
}

//go:build linux

package disks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/host"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// smallDisk is a file system of its own of so many bytes.
func smallDisk(t *testing.T, size int64) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may mount a file system")
	}
	if size > 256<<20 && host.Memory() < 8*size {
		t.Skip("a disk of that size in memory takes too much of it")
	}
	dir, err := os.MkdirTemp("", "disk")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		os.Remove(dir)
		t.Skipf("a file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := errors.Join(syscall.Unmount(dir, syscall.MNT_DETACH), os.Remove(dir)); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes all the space of a disk but so many bytes.
func fill(t *testing.T, dir string, left int64) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "ballast"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Fallocate(int(f.Fd()), 0, 0, max(int64(disk.Bavail)*disk.Bsize-left, 1)); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// TestSmallDisks trains on disks that are too small for all or some of what a run writes: it ends well or with the code of a
// shortage, never by a signal, and what is left goes on elsewhere.
func TestSmallDisks(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(3000, 1))
	commandtest.Must(t, append(commandtest.SpillingTo(f, data, f.At("whole")), "--quiet")...)
	want := f.Read("whole")
	var codes []string
	stride := testlevel.Stride(5, 3)
	for k, size := range []int64{64 << 10, 256 << 10, 512 << 10, 1 << 20, 3 << 19, 2 << 20, 3 << 20, 4 << 20, 6 << 20, 8 << 20, 16 << 20, 64 << 20} {
		if (uint64(k)+testlevel.Seed)%uint64(stride) > 0 {
			continue
		}
		disk := smallDisk(t, size)
		model := filepath.Join(disk, "model")
		c, stderr := commandtest.Complaining(commandtest.SpillingTo(f, data, model, "--quiet", "--scratch", disk, "--checkpoint", filepath.Join(disk, "checkpoints"),
			"--checkpoint-every", "1ms")...)
		err := c.Run()
		code := c.ProcessState.ExitCode()
		codes = append(codes, fmt.Sprintf("%d KiB: %d", size>>10, code))
		switch {
		case code == contract.ExitFine:
			if b, err := os.ReadFile(model); err != nil || string(b) != want {
				t.Errorf("%d bytes of disk: another model, %v", size, err)
			}
			continue
		case code != contract.ExitBudget:
			t.Errorf("%d bytes of disk: %v\n%s", size, err, stderr)
			continue
		}
		// Warnings of checkpoints may come first; the error is one line.
		if lines := strings.Split(strings.TrimSpace(stderr.String()), "\n"); !strings.HasPrefix(lines[len(lines)-1], "bigmkl: ") {
			t.Errorf("%d bytes of disk: %q", size, stderr)
		}
		for _, name := range commandtest.List(t, disk) {
			if name != "checkpoints" {
				t.Errorf("%d bytes of disk: %s is left there", size, name)
			}
		}
		commandtest.Must(t, append(commandtest.SpillingTo(f, data, f.At("m")), "--quiet", "--checkpoint", filepath.Join(disk, "checkpoints"), "--checkpoint-every", "1h", "--resume")...)
		if f.Read("m") != want {
			t.Errorf("%d bytes of disk: what was left makes another model", size)
		}
	}
	t.Logf("%s, BIGMKL_SEED=%d", strings.Join(codes, ", "), testlevel.Seed)
}

// TestSmallDisksOfRanks trains on ranks of which one has a disk that is too small for all or some of its files. All end well,
// or with the code of a shortage that rank 0 reports, and other ranks resume the checkpoint.
func TestSmallDisksOfRanks(t *testing.T) {
	t.Run("one classifier", func(t *testing.T) {
		testSmallDisksOfRanks(t, 3000, []int64{64 << 10, 256 << 10, 512 << 10, 768 << 10, 1 << 20, 5 << 18, 3 << 19, 2 << 20, 3 << 20, 4 << 20, 16 << 20, 64 << 20},
			"--memory", "20MiB", "--kernels", "gauss:0.05..0.4/6", "--gap", "1e-3")
	})
	t.Run("projection", func(t *testing.T) {
		testSmallDisksOfRanks(t, 600, []int64{8 << 10, 16 << 10, 24 << 10, 32 << 10, 48 << 10, 64 << 10, 128 << 10, 64 << 20},
			"--memory", "64MiB", "--kernels", "proj(gauss:0.3,1)", "--norm", "2", "--gate-tol", "0.1")
	})
}

func testSmallDisksOfRanks(t *testing.T, rows int, sizes []int64, args ...string) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(rows, 1))
	train := func(model, scratch, kept string, more ...string) []string {
		return slices.Concat([]string{"train", "--quiet", "--threads", "1"}, args, []string{"-o", model,
			"--scratch", scratch, "--checkpoint", kept, "--checkpoint-every", "1ns", data}, more)
	}
	for _, name := range []string{"ample", "another"} {
		if err := os.Mkdir(f.At(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	commandtest.Must(t, train(f.At("whole"), f.At("ample"), f.At("kept"))...)
	want, codes := f.Read("whole"), map[int]int{}
	last, stride := len(sizes)-1, testlevel.Stride(5, 3)
	for k, size := range sizes {
		if k < last && (uint64(k)+testlevel.Seed)%uint64(stride) > 0 {
			continue
		}
		ranks, short, disk, kept := 2+k%2, k%2, smallDisk(t, size), f.At(fmt.Sprint("kept", k))
		outcomes := commandtest.TryRanks(ranks, func(rank int) []string {
			if rank == short {
				return train(f.At("m"), disk, kept)
			}
			return train(f.At("m"), f.At("ample"), kept)
		})
		o := outcomes[0]
		codes[o.Code]++
		lines := strings.Split(strings.TrimSpace(o.Stderr), "\n")
		switch said := lines[len(lines)-1]; {
		case o.Code == contract.ExitFine:
			if f.Read("m") != want {
				t.Errorf("%d bytes of disk of rank %d: another model", size, short)
			}
			continue
		case o.Code != contract.ExitBudget || !strings.HasPrefix(said, "bigmkl: ") || short > 0 && !strings.Contains(said, fmt.Sprintf("rank %d: ", short)):
			t.Errorf("%d bytes of disk of rank %d: exit code %d\n%s", size, short, o.Code, o.Stderr)
		}
		for _, other := range outcomes[1:] {
			if other.Stdout+other.Stderr != "" {
				t.Errorf("%d bytes of disk of rank %d: another rank says %s%s", size, short, other.Stdout, other.Stderr)
			}
		}
		for _, name := range commandtest.List(t, disk) {
			t.Errorf("%d bytes of disk of rank %d: %s is left there", size, short, name)
		}
		again := commandtest.TryRanks(3-short, func(int) []string { return train(f.At("m"), f.At("another"), kept, "--resume") })
		if again[0].Code != contract.ExitFine || f.Read("m") != want {
			t.Errorf("%d bytes of disk of rank %d: what was kept makes another model\n%s", size, short, again[0].Stderr)
		}
	}
	t.Logf("exit codes %v, BIGMKL_SEED=%d", codes, testlevel.Seed)
	if codes[contract.ExitFine] == 0 || codes[contract.ExitBudget] < 1 {
		t.Errorf("exit codes %v: the test has lost its point", codes)
	}
}

// TestDiskFillsUp fills the disk to the last byte while rows are being spilled to it: the run goes on without.
func TestDiskFillsUp(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(4000, 1))
	commandtest.Must(t, append(commandtest.SpillingTo(f, data, f.At("whole")), "--quiet")...)
	for _, left := range testlevel.Some(t, "", 1, []int64{0, 3 << 20}) {
		disk := smallDisk(t, 1<<30+200<<20) // the program leaves the last GiB alone
		c, stderr := commandtest.Complaining(commandtest.SpillingTo(f, data, f.At("m"), "--scratch", disk, "--checkpoint", filepath.Join(disk, "checkpoints"), "--checkpoint-every", "1ms", "--json")...)
		var stdout strings.Builder
		c.Stdout = &stdout
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		filled := false
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		var err error
		for running := true; running; {
			select {
			case err = <-ended:
				running = false
			case <-tick.C:
				if !filled && commandtest.HasSpilled(c, disk) { // The first rows go to disk.
					fill(t, disk, left)
					filled = true
				}
			}
		}
		if !filled {
			t.Error("no row was ever spilled: the test has lost its point")
		}
		if code := c.ProcessState.ExitCode(); code == contract.ExitBudget {
			commandtest.Must(t, append(commandtest.SpillingTo(f, data, f.At("m")), "--quiet", "--checkpoint", filepath.Join(disk, "checkpoints"), "--checkpoint-every", "1h", "--resume")...)
		} else if err != nil {
			t.Fatalf("%d bytes left: %v\n%s", left, err, stderr)
		}
		if f.Read("m") != f.Read("whole") {
			t.Errorf("%d bytes left: another model", left)
		}
		t.Logf("%d bytes left: exit code %d; %s", left, c.ProcessState.ExitCode(), lastLine(stderr.String()))
	}
}

// TestSelectOnSmallDisks: on a disk that is too small for all or some of its files a selection ends with the code of a shortage,
// and what is left goes on elsewhere.
func TestSelectOnSmallDisks(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(200, 1))
	commandtest.Must(t, commandtest.Selecting(data, f.At("whole"))...)
	want, codes := commandtest.Selected(t, f.At("whole")), map[int]int{}
	sizes := []int64{4 << 10, 16 << 10, 32 << 10, 64 << 10, 96 << 10, 128 << 10, 1 << 20}
	for k, size := range sizes {
		if k < len(sizes)-1 && !testlevel.Diagonal(t, 0, k, 3, 1) {
			continue
		}
		disk := smallDisk(t, size)
		folder := filepath.Join(disk, "s")
		o := commandtest.Try(commandtest.Selecting(data, folder)...)
		codes[o.Code]++
		if o.Code != contract.ExitFine && (o.Code != contract.ExitBudget || !strings.HasPrefix(o.Stderr, "bigmkl: "+folder) || strings.Count(o.Stderr, "\n") != 1) {
			t.Errorf("%d bytes of disk: exit code %d, %s", size, o.Code, o.Stderr)
		}
		elsewhere := f.At(fmt.Sprint(size))
		if _, err := os.Stat(folder); err == nil {
			if err := os.CopyFS(elsewhere, os.DirFS(folder)); err != nil {
				t.Fatal(err)
			}
		}
		commandtest.Must(t, commandtest.Selecting(data, elsewhere, "--resume")...)
		if commandtest.Selected(t, elsewhere) != want {
			t.Errorf("%d bytes of disk: what was left makes another selection", size)
		}
	}
	if codes[contract.ExitFine] == 0 || codes[contract.ExitBudget] == 0 {
		t.Errorf("exit codes %v: the test has lost its point", codes)
	}
}

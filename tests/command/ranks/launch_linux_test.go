package ranks

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// mpiCommand is a program that a launcher starts for so many ranks.
func mpiCommand(t *testing.T, launcher, ranks, program string, args ...string) *exec.Cmd {
	list := append([]string{"-n", ranks, program}, args...)
	if launcher == "mpirun.openmpi" {
		list = append([]string{"--oversubscribe", "--allow-run-as-root"}, list...)
	}
	return exec.CommandContext(t.Context(), launcher, list...)
}

// errStuck is the end of a launcher that waits for itself: all of its processes have ended, and it has not. mpirun of Open MPI 4.1
// does so once in some hundred runs, in PMIx_server_finalize.
var errStuck = errors.New("no rank is left, and the launcher does not end")

// stuckAfter is the time without a process of the program after which a launcher counts as stuck.
const stuckAfter = 30 * time.Second

// awaitLauncher waits for a launcher that has been started, and sends its error. It ends a launcher that is stuck, and sends errStuck.
func awaitLauncher(c *exec.Cmd, program string) <-chan error {
	waited, ended := make(chan error, 1), make(chan error, 1)
	go func() { waited <- c.Wait() }()
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for seen := time.Now(); ; {
			select {
			case err := <-waited:
				ended <- err
				return
			case <-tick.C:
			}
			if ranks, watchers := processesOf(program); len(ranks)+len(watchers) > 0 {
				seen = time.Now()
			} else if time.Since(seen) > stuckAfter {
				c.Process.Kill()
				<-waited
				ended <- errStuck
				return
			}
		}
	}()
	return ended
}

// runRanks runs a program that a launcher starts for so many ranks, once more if the launcher is stuck.
func runRanks(t *testing.T, launcher, ranks, program string, args ...string) (output string, err error) {
	t.Helper()
	for range 2 {
		var out bytes.Buffer
		c := mpiCommand(t, launcher, ranks, program, args...)
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			return "", err
		}
		err = <-awaitLauncher(c, program)
		output = out.String()
		if err != errStuck {
			break
		}
		t.Logf("%s: %v\n%s", launcher, err, output)
	}
	return output, err
}

// strikeRank sends a signal to one of the ranks of a program, at a moment of the time that the run takes alone, and waits for the end of
// all. It returns false if they had ended before.
func strikeRank(program string, by syscall.Signal, rng *rand.Rand, took time.Duration, ended <-chan error) (struck bool, err error) {
	return strikeOne(ranksOf, program, by, rng, took, ended)
}

// strikeOne is strikeRank for one of the processes that a function lists.
func strikeOne(list func(program string) []int, program string, by syscall.Signal, rng *rand.Rand, took time.Duration,
	ended <-chan error) (struck bool, err error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(list(program)) == 0 {
		select {
		case err := <-ended:
			return false, err
		case <-tick.C:
		}
	}
	select {
	case err := <-ended:
		return false, err
	case <-time.After(time.Duration(rng.Int64N(int64(took)))):
	}
	ranks := list(program)
	if len(ranks) == 0 {
		return false, <-ended
	}
	if err := syscall.Kill(ranks[rng.IntN(len(ranks))], by); err != nil {
		return false, <-ended
	}
	return true, <-ended
}

// awaitEnd waits until no process of a program is left: a launcher may end before the ranks that it ends.
func awaitEnd(t *testing.T, program string) {
	tick, late := time.NewTicker(5*time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for {
		ranks, watchers := processesOf(program)
		if len(ranks)+len(watchers) == 0 {
			return
		}
		select {
		case <-late:
			t.Errorf("the processes %v and %v are left", ranks, watchers)
			return
		case <-tick.C:
		}
	}
}

// ranksOf lists the processes of a program that are watched by another one of it, which are ranks, and watchersOf the others. A program is
// the file of a test: other tests on the computer have files of their own.
func ranksOf(program string) []int {
	ranks, _ := processesOf(program)
	return ranks
}

func watchersOf(program string) []int {
	_, watchers := processesOf(program)
	return watchers
}

func processesOf(program string) (ranks, watchers []int) {
	parents := map[int]int{}
	list, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range list {
		if file, err := os.Readlink(link); err != nil || file != program {
			continue
		}
		folder := filepath.Dir(link)
		text, _ := os.ReadFile(filepath.Join(folder, "stat"))
		var state byte
		var parent int
		// The name of the process is in brackets.
		if _, err := fmt.Sscanf(string(text[bytes.LastIndexByte(text, ')')+1:]), " %c %d", &state, &parent); err == nil {
			pid, _ := strconv.Atoi(filepath.Base(folder))
			parents[pid] = parent
		}
	}
	for pid, parent := range parents {
		if _, watched := parents[parent]; watched {
			ranks, watchers = append(ranks, pid), append(watchers, parent)
		}
	}
	slices.Sort(ranks)
	slices.Sort(watchers)
	return ranks, watchers
}

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
	"strings"
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

// errStuck is the end of a launcher that does not go on. mpirun of Open MPI 4.1 waits for itself once in some hundred runs, in
// PMIx_server_finalize, when all ranks have ended. The proxy of MPICH 4.0 may poll for ever if a rank ends while it begins, and
// the other ranks then wait in MPI_Init for its answer.
var errStuck = errors.New("no rank is left or all wait for the launcher, and it does not end")

// stuckAfter is the time after which such a launcher counts as stuck.
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
			if slices.ContainsFunc(ranksOf(program), func(pid int) bool { return !awaitsLauncher(pid) }) {
				seen = time.Now()
			} else if time.Since(seen) > stuckAfter {
				killAll(c.Process.Pid)
				<-waited
				ended <- errStuck
				return
			}
		}
	}()
	return ended
}

// awaitsLauncher reports whether a process reads from a socket of this computer, as a rank in MPI_Init does that waits for
// an answer of its launcher. Ranks that wait for each other poll.
func awaitsLauncher(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/wchan", pid))
	return slices.ContainsFunc(threads, func(file string) bool {
		place, _ := os.ReadFile(file)
		return string(place) == "unix_stream_read_generic"
	})
}

// killAll ends a process and all that it has started, which a proxy of MPICH survives otherwise.
func killAll(pid int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				killAll(child)
			}
		}
	}
	syscall.Kill(pid, syscall.SIGKILL)
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

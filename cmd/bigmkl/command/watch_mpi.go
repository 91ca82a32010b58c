//go:build mpi && linux

package command

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"bigmkl/cluster/mpi"
	"bigmkl/cmd/bigmkl/contract"
)

// A process that a launcher of MPI has started runs its rank in a child and watches it. A rank that is
// killed, or that is stopped and does not go on, cannot say so itself, and launchers tell of it each in
// its own way, or wait without end. The watcher ends with contract.ExitLost and names the checkpoints, and its
// launcher then ends all other ranks. It does nothing else: the child has the streams, the signals and
// what the launcher left for it.

const (
	// watchedBy names the variable of a child with the descriptor on which it tells of checkpoints.
	watchedBy = "BIGMKL_WATCHED_BY"

	// lostAfter is how long a rank may be stopped before it counts as lost.
	lostAfter = 6 * time.Second

	// lastWords is the time that a launcher has for the line that tells of a lost rank.
	lastWords = 300 * time.Millisecond
)

// watcher watches one rank.
type watcher struct {
	rank     int      // the process ID of the child
	launcher *os.File // what the launcher left open for it; nil for none
	line     *os.File // the rank's line to the launcher, which the watcher passes on; nil for none

	mutex       sync.Mutex
	checkpoints string // the folder of the training in progress; "" if it writes none
	ending      bool   // the watcher was asked to end, and what ends the rank is no loss
	gaveUp      bool   // the library of MPI ended the rank
	stopped     bool   // the rank was stopped for too long
}

// watchLaunched runs the rank of a process that a launcher of MPI has started, and does not return then.
func watchLaunched() {
	if mpi.Launched() && os.Getenv(watchedBy) == "" {
		os.Exit(watchRank())
	}
}

// watchRank runs this program again as the rank of this process, and returns its exit code.
func watchRank() int {
	// A child is told of the death of the thread that started it.
	runtime.LockOSThread()
	out, in, err := os.Pipe()
	if err != nil {
		return sayLost("cannot be watched: " + err.Error())
	}
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	w := &watcher{}
	// Launchers with the interface of MPICH speak over an open descriptor, whose number they tell.
	if fd, err := strconv.Atoi(os.Getenv("PMI_FD")); err == nil && fd > 2 {
		for len(files) < fd {
			files = append(files, nil)
		}
		w.launcher = os.NewFile(uintptr(fd), "launcher")
		end, err := w.openLine()
		if err != nil {
			return sayLost("cannot be watched: " + err.Error())
		}
		defer end.Close()
		files = append(files, end)
	}
	files = append(files, in)
	program, err := os.Executable()
	if err != nil {
		return sayLost("cannot be watched: " + err.Error())
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	child, err := os.StartProcess(program, os.Args, &os.ProcAttr{
		Env: append(os.Environ(), fmt.Sprintf("%s=%d", watchedBy, len(files)-1)), Files: files,
		Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return sayLost("cannot be started: " + err.Error())
	}
	in.Close()
	w.rank = child.Pid
	go w.listen(out)
	if w.line != nil {
		go w.passUp()
		go io.Copy(w.line, w.launcher)
	}
	go w.passOn(signals)
	return w.wait()
}

// listen takes what the rank tells of its checkpoints, and of its own end.
func (w *watcher) listen(out *os.File) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		w.mutex.Lock()
		if lines.Text() == ownEnd {
			w.ending = true
		} else {
			w.checkpoints = lines.Text()
		}
		w.mutex.Unlock()
	}
}

// passOn sends signals on. A launcher may send them to both, which a rank takes for one.
func (w *watcher) passOn(signals <-chan os.Signal) {
	for s := range signals {
		w.mutex.Lock()
		w.ending = true
		w.mutex.Unlock()
		_ = syscall.Kill(w.rank, s.(syscall.Signal)) // One that has ended needs no signal.
	}
}

// wait returns the exit code of the rank, or contract.ExitLost if it has none.
func (w *watcher) wait() int {
	late := time.AfterFunc(time.Hour, w.giveUp)
	late.Stop()
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(w.rank, &status, syscall.WUNTRACED|syscall.WCONTINUED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return sayLost("cannot be watched: " + err.Error())
		case status.Stopped():
			late.Reset(lostAfter)
		case status.Continued():
			late.Stop()
		case status.Exited():
			w.mutex.Lock()
			gaveUp := w.gaveUp
			w.mutex.Unlock()
			if gaveUp {
				return contract.ExitLost
			}
			return status.ExitStatus()
		default:
			return w.lost(status.Signal())
		}
	}
}

// giveUp ends a rank that was stopped for too long.
func (w *watcher) giveUp() {
	w.mutex.Lock()
	w.stopped = true
	w.mutex.Unlock()
	_ = syscall.Kill(w.rank, syscall.SIGKILL)
}

// lost says how the rank has ended, and returns the exit code.
func (w *watcher) lost(by syscall.Signal) int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	how := fmt.Sprintf("was killed by signal %d (%v)", by, by)
	switch {
	case w.stopped:
		how = fmt.Sprintf("was stopped for %v", lostAfter)
	case w.ending: // The launcher ends what is left of its job.
		return 128 + int(by)
	}
	if w.checkpoints == "" {
		how += ", and wrote no checkpoints (--checkpoint DIR)"
	} else {
		how += "; --resume goes on from the last checkpoint in " + w.checkpoints
	}
	sayLost(how)
	if w.launcher != nil {
		// Such a launcher has the exit code from one of the ranks that it ends, unless it is told, and
		// passes on no more of what they have said.
		time.Sleep(lastWords)
		fmt.Fprintf(w.launcher, "cmd=abort exitcode=%d\n", contract.ExitLost)
	}
	return contract.ExitLost
}

// sayLost tells of the rank of this process, and returns contract.ExitLost.
func sayLost(how string) int {
	rank := "of this process"
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"} {
		if s := os.Getenv(name); s != "" {
			rank = s
			break
		}
	}
	newMessages(os.Stderr).write("rank " + rank + " " + how)
	return contract.ExitLost
}

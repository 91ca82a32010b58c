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

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/cluster/mpi"
)

// A process that a launcher of MPI has started runs its rank in a child and watches it. A rank that is killed,
// or that is stopped and does not go on, cannot report this itself. Launchers report it each in its own way,
// or wait without end. The watcher ends with contract.ExitLost and names the checkpoints, and its launcher
// then ends all other ranks. It does nothing else: the child has the streams, the signals and what the
// launcher left for it.

const (
	// watchedBy names the variable of a child with the descriptor on which it reports checkpoints.
	watchedBy = "BIGMKL_WATCHED_BY"

	// lostAfter is how long a rank may be stopped before it counts as lost. A rank that waits for a
	// device is not stopped in this sense, only one that got SIGSTOP.
	lostAfter = 6 * time.Second

	// lastWords is the time that a launcher has for the line that reports a lost rank.
	lastWords = 300 * time.Millisecond

	// endedBy is the time that a launcher has to end a rank whose library aborted it. The transport of MPICH aborts a rank
	// that reads from the memory of a lost one. The watcher of the lost rank reports the loss after lastWords at the latest.
	endedBy = 3 * lastWords
)

// watcher watches one rank.
// mutex guards the five fields below it.
type watcher struct {
	rank     int      // the process ID of the child
	launcher *os.File // what the launcher left open for it; nil for none
	line     *os.File // the rank's line to the launcher, which the watcher passes on; nil for none

	heard chan struct{} // closed at the end of the rank's reports
	asked chan struct{} // gets a value once a signal asks the watcher to end

	mutex       sync.Mutex
	checkpoints string // the folder of the training in progress, or noCheckpoints; "" before that is known
	ending      bool   // the watcher was asked to end, and the end of the rank is not a loss
	exits       bool   // the rank ends with an exit code of its own
	gaveUp      bool   // the library of MPI ended the rank
	stopped     bool   // the rank was stopped for too long
}

// watchLaunched runs the rank of a process that a launcher of MPI has started, and does not return then.
func watchLaunched() {
	if mpi.Launched() && os.Getenv(watchedBy) == "" {
		os.Exit(watchRank())
	}
}

// watchRank runs this program again as the rank of this process, and returns its exit code. The child
// is the same program with the same arguments. The variable watchedBy distinguishes it from the
// watcher.
func watchRank() int {
	// SIGHUP is passed on only if the process does not ignore it, as under nohup.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGABRT)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	// Pdeathsig sends the child a signal when the thread that started it ends, and not the
	// process. The thread must live as long as the watcher.
	runtime.LockOSThread()
	// The rank reports over this pipe. Its end shows that the rank has ended.
	out, in, err := os.Pipe()
	if err != nil {
		return sayLost("cannot be watched: " + err.Error())
	}
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	w := &watcher{heard: make(chan struct{}), asked: make(chan struct{}, 1)}
	// Launchers with the interface of MPICH (PMI-1) exchange messages with the rank over an open
	// descriptor. PMI_FD has its number. The child gets one end of a new line under this number,
	// and the watcher passes messages on in both directions.
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
	// The last file of the list is the pipe, and the variable has its number.
	child, err := os.StartProcess(program, os.Args, &os.ProcAttr{
		Env: append(rankEnvironment(), fmt.Sprintf("%s=%d", watchedBy, len(files)-1)), Files: files,
		Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return sayLost("cannot be started: " + err.Error())
	}
	in.Close()
	w.rank = child.Pid
	// The goroutines end with the process.
	go w.listen(out)
	if w.line != nil {
		go w.passUp()
		go io.Copy(w.line, w.launcher)
	}
	go w.passOn(signals)
	return w.wait()
}

// rankEnvironment is the environment of the rank. The transport of MPICH takes SIGHUP for itself, to show
// its state, unless it is told another signal.
func rankEnvironment() []string {
	const name = "UCX_DEBUG_SIGNO"
	list := os.Environ()
	if os.Getenv(name) == "" {
		list = append(list, name+"=SIGUSR2")
	}
	return list
}

// listen takes the rank's reports of its checkpoints, and of its own end.
func (w *watcher) listen(out *os.File) {
	// Each line is one report.
	for lines := bufio.NewScanner(out); lines.Scan(); {
		w.mutex.Lock()
		switch text := lines.Text(); text {
		case ownEnd:
			w.ending = true
		case ownExit:
			w.exits = true
		default:
			w.checkpoints = text
		}
		w.mutex.Unlock()
	}
	close(w.heard)
}

// passOn sends the signals of the watcher to the rank. A launcher may signal the rank as well.
// The rank counts two such signals as one.
func (w *watcher) passOn(signals <-chan os.Signal) {
	for s := range signals {
		w.mutex.Lock()
		w.ending = true
		w.mutex.Unlock()
		select {
		case w.asked <- struct{}{}:
		default: // It was asked before.
		}
		if s == syscall.SIGABRT {
			s = syscall.SIGTERM // The library of MPI handles SIGABRT in the rank.
		}
		_ = syscall.Kill(w.rank, s.(syscall.Signal)) // One that has ended needs no signal.
	}
}

// wait returns the exit code of the rank, or contract.ExitLost if it has none. A process can only wait
// for its own children, so the watcher has to be the parent of the rank.
func (w *watcher) wait() int {
	// The timer is made stopped. It runs only while the rank is stopped.
	late := time.AfterFunc(time.Hour, w.giveUp)
	late.Stop()
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(w.rank, &status, syscall.WUNTRACED|syscall.WCONTINUED, nil)
		switch {
		// A signal interrupted the wait.
		case err == syscall.EINTR:
		case err != nil:
			return sayLost("cannot be watched: " + err.Error())
		// The timer starts when the rank stops, and is stopped when it continues.
		case status.Stopped():
			late.Reset(lostAfter)
		case status.Continued():
			late.Stop()
		case status.Exited():
			return w.ended(status.ExitStatus())
		case status.Signal() == syscall.SIGABRT && w.followsAnother():
			return contract.ExitLost
		default:
			return w.lost(status.Signal())
		}
	}
}

// followsAnother returns true if the library aborted the rank because another rank was lost: the launcher then ends this rank, too.
func (w *watcher) followsAnother() bool {
	w.mutex.Lock()
	ending := w.ending
	w.mutex.Unlock()
	if ending {
		return false // The rank was asked to end before, and aborted.
	}
	select {
	case <-w.asked:
		return true
	case <-time.After(endedBy):
		return false
	}
}

// crashCode is the exit code of Go's runtime after a panic, whose stack it has printed.
const crashCode = 2

// ended returns the exit code for a rank that has ended with one.
func (w *watcher) ended(code int) int {
	if code == crashCode { // The line ownExit of the rank may not have arrived yet.
		select {
		case <-w.heard:
		case <-time.After(heardBy):
		}
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch {
	case w.gaveUp:
		return contract.ExitLost
	case code == crashCode && !w.exits:
		return w.sayLost("has crashed")
	}
	return code
}

// giveUp ends a rank that was stopped for too long.
// SIGKILL ends a stopped process, too. wait then sees its end.
func (w *watcher) giveUp() {
	w.mutex.Lock()
	w.stopped = true
	w.mutex.Unlock()
	_ = syscall.Kill(w.rank, syscall.SIGKILL)
}

// lost reports how the rank has ended, and returns the exit code.
func (w *watcher) lost(by syscall.Signal) int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch {
	case w.stopped:
		return w.sayLost(fmt.Sprintf("was stopped for %v", lostAfter))
	case w.ending && by == syscall.SIGKILL: // The launcher kills the ranks that its job still has.
		return 128 + int(by)
	case w.ending: // A signal that was passed on before the rank could take it.
		sayLost(fmt.Sprintf("was ended by signal %d (%v)", by, by))
		return contract.ExitInterrupted
	}
	return w.sayLost(fmt.Sprintf("was killed by signal %d (%v)", by, by))
}

// sayLost reports that the rank was lost, and where its checkpoints are. It sends a launcher of
// MPICH the message to abort the job, and returns contract.ExitLost.
func (w *watcher) sayLost(how string) int {
	switch w.checkpoints {
	case "": // They are not known before the rank has begun.
	case noCheckpoints:
		how += ", and wrote no checkpoints (--checkpoint DIR)"
	default:
		// The folder may be on the computer of rank 0 alone.
		how += "; --resume goes on from the last checkpoint in " + w.checkpoints
		if last, err := checkpoint.Latest(w.checkpoints); err != nil {
			how += ", or begins again if there is none yet"
		} else {
			last.Close()
		}
	}
	sayLost(how)
	if w.launcher != nil {
		// Without this message the launcher would end with the code of one of the ranks that it
		// kills. It passes on no output after the message, so the message waits until the line
		// above has arrived.
		time.Sleep(lastWords)
		fmt.Fprintf(w.launcher, "cmd=abort exitcode=%d\n", contract.ExitLost)
	}
	return contract.ExitLost
}

// sayLost reports the rank of this process, and returns contract.ExitLost.
func sayLost(how string) int {
	// Each launcher has a variable of its own for the number of a rank.
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

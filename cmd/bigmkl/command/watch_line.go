//go:build mpi && linux

package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// A library with the interface of MPICH informs its launcher over an open descriptor that it gives up, for
// example when another rank is gone while all join, where no error can be returned. The launcher then ends
// with the library's exit code and passes on no later message. The watcher therefore passes the lines
// between the two: it holds such a line back until the watcher of the lost rank has sent its own, and puts
// contract.ExitLost in it.

const (
	// heardBy is the time in which the rank's last report reaches its watcher. spokenBy is the time in
	// which the watcher of a lost rank has sent its message to the launcher.
	heardBy  = 100 * time.Millisecond
	spokenBy = 2 * time.Second
)

// abortLine is what ends all ranks, and abortCode the exit code in it.
var (
	abortLine = []byte("cmd=abort")
	abortCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`exitcode=-?\d+`) })
)

// openLine makes the line between the rank and its watcher, and returns the end of the rank. It is a
// pair of sockets and no pipe, since messages go both ways.
func (w *watcher) openLine() (rank *os.File, err error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	w.line = os.NewFile(uintptr(pair[0]), "line")
	return os.NewFile(uintptr(pair[1]), "line of the rank"), nil
}

// passUp passes on the messages of the rank's library to the launcher. A message is one write, and is read
// as one.
func (w *watcher) passUp() {
	buffer := make([]byte, 1<<16)
	for {
		n, err := w.line.Read(buffer)
		if err != nil {
			return
		}
		message := buffer[:n]
		if bytes.Contains(message, abortLine) {
			message = w.holdBack(message)
		}
		if _, err := w.launcher.Write(message); err != nil {
			return
		}
	}
}

// holdBack waits, and returns the message by which the library ends all ranks. The exit code in it is
// replaced if the rank was not asked to end.
func (w *watcher) holdBack(message []byte) []byte {
	time.Sleep(heardBy)
	w.mutex.Lock()
	own := w.ending
	w.gaveUp = !own
	w.mutex.Unlock()
	if own {
		return message
	}
	time.Sleep(spokenBy - heardBy)
	return abortCode().ReplaceAll(message, []byte("exitcode="+strconv.Itoa(contract.ExitLost)))
}

// tellWatcher sends a folder of checkpoints, or the notice of the process's own end, to the watcher of this
// process. Without a watcher it does nothing.
func tellWatcher(what string) {
	fd, err := strconv.Atoi(os.Getenv(watchedBy))
	if err != nil {
		return
	}
	// A watcher that has ended takes this process with it.
	_, _ = syscall.Write(fd, fmt.Appendln(nil, what))
}

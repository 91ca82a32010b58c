//go:build mpi && linux

package command

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/cluster/mpi"
)

// openRanks joins the processes that a launcher of MPI has started with this one. close has to be
// called in the end. Without a launcher it does nothing.
func openRanks(a *app) (close func(), err error) {
	if !mpi.Launched() {
		return func() {}, nil
	}
	// The library ends a process by SIGABRT where it finds that another rank is gone. That is not a
	// crash of this program, whose stack would be printed.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGABRT)
	// A launcher that ends a job does not request the stacks of all its ranks.
	signal.Notify(a.signals, syscall.SIGQUIT)
	ranks, err := mpi.Open(a.abort, a.askLeader)
	if err != nil {
		return nil, err
	}
	a.join(ranks)
	if team := a.team; !team.Leads() {
		// Launchers pass signals on to all processes. Rank 0 ends the training of all, and hears of a
		// signal to another rank with what that sends next.
		leave := func() bool {
			ranks.AskToEnd()
			return team.Begun()
		}
		a.leave.Store(&leave)
	}
	return ranks.Close, nil
}

// askLeader asks rank 0 to end, as a signal does.
func (i *interrupts) askLeader() {
	select {
	case i.asked <- struct{}{}:
	default: // It was asked before.
	}
}

// abort prints the error that ends all ranks to standard error, and returns the exit code. The library
// of MPI calls it and then ends the process, so no deferred function runs: scratch files are removed
// here.
func (a *app) abort(err error) (code int) {
	a.cleanup.removeAll()
	tellWatcher(ownEnd)
	newMessages(os.Stderr).write(fmt.Sprintf("rank %d: %s", a.team.Rank(), explainError(err)))
	if errors.Is(err, mpi.ErrLost) {
		return contract.ExitLost
	}
	return exitCode(err)
}

//go:build mpi && linux

package command

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"bigmkl/cluster/mpi"
	"bigmkl/cmd/bigmkl/contract"
)

// openRanks joins the processes that a launcher of MPI has started with this one. close has to be
// called in the end. Without a launcher it does nothing.
func openRanks(a *app) (close func(), err error) {
	if !mpi.Launched() {
		return func() {}, nil
	}
	// The library ends a process by SIGABRT where it finds that another rank is gone. That is no crash
	// of this program, whose stack would be told.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGABRT)
	ranks, err := mpi.Open(a.abort)
	if err != nil {
		return nil, err
	}
	a.join(ranks)
	if !a.team.Leads() {
		// Launchers pass signals on to all processes. Rank 0 ends the training of all.
		signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	}
	return ranks.Close, nil
}

// abort says on standard error what ends all ranks, and gives the exit code.
func (a *app) abort(err error) (code int) {
	a.cleanup.removeAll()
	tellWatcher(ownEnd)
	newMessages(os.Stderr).write(fmt.Sprintf("rank %d: %s", a.team.Rank(), explainError(err)))
	if errors.Is(err, mpi.ErrLost) {
		return contract.ExitLost
	}
	return exitCode(err)
}

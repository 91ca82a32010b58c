package command

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// interrupts has the signals that the process was sent, and their meaning for the command: to
// end, or to look at its files again.
type interrupts struct {
	// hangups gets a value for each SIGHUP once a command has set taking, to which that signal is a
	// wish to look at its files again and not to end.
	hangups chan struct{}
	taking  atomic.Bool
	// signals has the signals that reached the process, of the kinds that Main asks for.
	signals chan os.Signal
	// asked gets a value where another rank was asked to end. leave is set on a rank other than 0: it
	// asks rank 0 to end, and reports whether rank 0 ends this rank, too.
	asked chan struct{}
	leave atomic.Pointer[func() bool]
	// last is the time after the first signal at which the process ends, whatever it does.
	last atomic.Int64
}

// newInterrupts returns the interrupts of a process that no signal has reached. One place in a channel
// is enough for hangups: a second SIGHUP before the first one is served asks for the same.
func newInterrupts() *interrupts {
	i := &interrupts{hangups: make(chan struct{}, 1), signals: make(chan os.Signal, 2), asked: make(chan struct{}, 1)}
	i.last.Store(int64(lastMoment))
	return i
}

// takeHangups makes SIGHUP a wish to look at files again, also where it was ignored: what the end of
// a terminal then asks for does no harm.
func (i *interrupts) takeHangups() {
	i.taking.Store(true)
	signal.Notify(i.signals, syscall.SIGHUP)
}

// takeHangup hands a SIGHUP over to a command that takes it. It returns false for other signals and
// commands.
func (i *interrupts) takeHangup(s os.Signal) bool {
	if s != syscall.SIGHUP || !i.taking.Load() {
		return false
	}
	select {
	case i.hangups <- struct{}{}:
	default: // One that waits serves both.
	}
	return true
}

// Package contract has what scripts rely on: the exit codes of the command, and the version of the
// JSON that it prints.
package contract

// Version is the version of what --json prints. Keys may be added within a version; a key that is
// taken away or changes its meaning makes a new one. See docs/JSON.md.
const Version = 1

// Each exit code represents a class of outcomes.
const (
	ExitFine        = 0
	ExitBug         = 1
	ExitUsage       = 2
	ExitInput       = 3
	ExitStopped     = 4 // The gap was not reached, and the model is written.
	ExitCorrupt     = 5
	ExitBudget      = 6
	ExitLost        = 75 // One of several ranks was lost, and a resumed run goes on (EX_TEMPFAIL).
	ExitInterrupted = 130
	ExitPipe        = 141 // Nobody reads standard output any more; shells show SIGPIPE so.
)

// BestFile is the file, in the folder of a selection, with the model of the best cell.
const BestFile = "best.model"

package train

import (
	"slices"

	"bigmkl/chunking"
	"bigmkl/model"
)

// finished is how far the training of several machines has come. It is kept in checkpoints, so that
// the names of its fields there stay.
type finished struct {
	Machines   int             `json:"machines"`
	Status     chunking.Status `json:"status"` // of the run, see gravity
	Iterations int             `json:"iterations"`
	Kinds      []string        `json:"kinds"` // certificates of those that are done
	done       []model.Machine // whose support vectors are rows of the data as yet
}

// A run of several machines ends as the gravest of them does, and its checkpoint holds those that are
// finished beside the state of the one in hand.

// add takes a machine as done.
func (f *finished) addMachine(a *model.Machine, ended chunking.Status, iterations int) {
	if severity(ended) > severity(f.Status) {
		f.Status = ended
	}
	f.Iterations += iterations
	f.Kinds, f.done = append(f.Kinds, a.Certificate.Kind), append(f.done, *a)
}

// count is the number of machines that are done; 0 for nil, of a run that has no several.
func (f *finished) count() int {
	if f == nil {
		return 0
	}
	return len(f.Kinds)
}

// left is the number of machines that are not done; 1 for nil.
func (f *finished) countUnfinished() int {
	if f == nil {
		return 1
	}
	return f.Machines - len(f.done)
}

// place is that of the machine in hand.
func (f *finished) place() place {
	if f == nil {
		return place{}
	}
	return place{machine: len(f.done), machines: f.Machines}
}

// limited tells whether a limit ended the training of some machine: where it did, a checkpoint goes on.
func (f *finished) endedByLimit() bool {
	return f.Status != chunking.Converged && f.Status != chunking.Stalled
}

// gravity orders the ends of machines: a run ends as the gravest does. Those that come of the clock or the user are graver than
// those of a machine itself, as they leave other machines untrained.
func severity(s chunking.Status) int {
	return slices.Index([]chunking.Status{chunking.Converged, chunking.Stalled, chunking.IterationLimit, chunking.TimeLimit, chunking.Interrupted}, s)
}

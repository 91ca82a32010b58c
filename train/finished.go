package train

import (
	"slices"

	"bigmkl/chunking"
	"bigmkl/model"
)

// finished holds the finished machines of a run of several. It stands in checkpoints beside the
// state of the machine in progress, so that the JSON names of its fields must stay. nil stands for
// a run of one machine.
type finished struct {
	// Machines is the number of machines of the run.
	Machines int `json:"machines"`
	// Status is the most severe status of the finished machines.
	Status chunking.Status `json:"status"`
	// Iterations is the sum over the finished machines.
	Iterations int `json:"iterations"`
	// Each holds those of each. Checkpoints of earlier releases have none.
	Each []int `json:"each,omitempty"`
	// Kinds holds the kinds of the certificates of the finished machines.
	Kinds []string `json:"kinds"`
	// Roundings holds Rounding of these certificates.
	Roundings []float64 `json:"roundings,omitempty"`
	// done holds the finished machines. Their support vectors are rows of the data. In a checkpoint
	// they have sections of their own.
	done []model.Machine
	// gates are those that the finished machines have learned, nil if none are. In a checkpoint they
	// have sections of their own.
	gates []model.MachineGates
}

// addMachine adds a finished machine that ended with the given status.
func (f *finished) addMachine(a *model.Machine, ended chunking.Status, iterations int) {
	f.Status = moreSevere(f.Status, ended)
	f.Iterations += iterations
	f.Each = append(f.Each, iterations)
	f.Kinds, f.done = append(f.Kinds, a.Certificate.Kind), append(f.done, *a)
	f.Roundings = append(f.Roundings, a.Certificate.Rounding)
}

// count returns the number of finished machines, and 0 for nil.
func (f *finished) count() int {
	if f == nil {
		return 0
	}
	return len(f.Kinds)
}

// countUnfinished returns the number of machines that still have to be trained, and 1 for nil.
func (f *finished) countUnfinished() int {
	if f == nil {
		return 1
	}
	return f.Machines - len(f.done)
}

// place returns the place of the machine in progress.
func (f *finished) place() place {
	if f == nil {
		return place{}
	}
	return place{machine: len(f.done), machines: f.Machines}
}

// endedByLimit reports whether a limit has ended the training of some machine. The last checkpoint
// from before that is the one to resume from.
func (f *finished) endedByLimit() bool {
	return f.Status != chunking.Converged && f.Status != chunking.Stalled && f.Status != StepLimit
}

// moreSevere returns the more severe one of two statuses.
func moreSevere(a, b chunking.Status) chunking.Status {
	if severity(b) > severity(a) {
		return b
	}
	return a
}

// severity orders statuses: a run of several machines has the most severe status of any of them.
// Limits that depend on the clock or the user are more severe than what ends a single machine,
// because they leave other machines untrained.
func severity(s chunking.Status) int {
	order := []chunking.Status{
		chunking.Converged, StepLimit, chunking.Stalled, chunking.IterationLimit,
		chunking.TimeLimit, chunking.Interrupted,
	}
	return slices.Index(order, s)
}

package train

import (
	"bigmkl/chunking"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
	"bigmkl/model"
	"slices"
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

// add takes a machine as done.
func (f *finished) add(a *model.Machine, ended chunking.Status, iterations int) {
	if gravity(ended) > gravity(f.Status) {
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
func (f *finished) left() int {
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
func (f *finished) limited() bool {
	return f.Status != chunking.Converged && f.Status != chunking.Stalled
}

// gravity orders the ends of machines: a run ends as the gravest does. Those that come of the clock or the user are graver than
// those of a machine itself, as they leave other machines untrained.
func gravity(s chunking.Status) int {
	return slices.Index([]chunking.Status{chunking.Converged, chunking.Stalled, chunking.IterationLimit, chunking.TimeLimit, chunking.Interrupted}, s)
}

// Sections of a checkpoint that hold the machines that are done, one behind the other.
const (
	sectionMachineNumbers = "machine_numbers" // bias, primal, dual, relative gap of each
	sectionMachineCounts  = "machine_counts"  // 1 if it ended in double precision, and the number of its support vectors
	sectionMachineTheta   = "machine_theta"
	sectionMachineNorms   = "machine_norms"
	sectionMachineAlpha   = "machine_alpha"
	sectionMachineSupport = "machine_support"
)

// sections are what the machines that are done take in a checkpoint.
func (f *finished) sections() []checkpoint.Section {
	var numbers, theta, norms, alpha []float64
	var counts, support []int32
	for i := range f.done {
		a := &f.done[i]
		double := int32(0)
		if a.Double {
			double = 1
		}
		numbers = append(numbers, a.Bias, a.Certificate.Primal, a.Certificate.Dual, a.Certificate.RelativeGap)
		counts = append(counts, double, int32(len(a.Support)))
		theta, norms = append(theta, a.Theta...), append(norms, a.WNorms...)
		alpha, support = append(alpha, a.Alpha...), append(support, a.Support...)
	}
	return []checkpoint.Section{
		{Name: sectionMachineNumbers, Data: mmap.Bytes(numbers)}, {Name: sectionMachineCounts, Data: mmap.Bytes(counts)},
		{Name: sectionMachineTheta, Data: mmap.Bytes(theta)}, {Name: sectionMachineNorms, Data: mmap.Bytes(norms)},
		{Name: sectionMachineAlpha, Data: mmap.Bytes(alpha)}, {Name: sectionMachineSupport, Data: mmap.Bytes(support)},
	}
}

// recall brings back the machines that the last checkpoint has as done.
func (r *run) recall(d *decomposition) (*finished, error) {
	last, err := r.findCheckpoint() // the solver of the machine in hand takes it over
	if err != nil {
		return nil, err
	}
	if last == nil {
		return &finished{Machines: len(d.pairs), Status: chunking.Converged}, nil
	}
	var w saved
	if err := readJSON(last, sectionState, &w); err != nil {
		return nil, err
	}
	damaged := fail.New(fail.Corrupt, "the machines of the checkpoint do not fit together")
	if w.Finished == nil || w.Finished.Machines != len(d.pairs) || len(w.Finished.Kinds) >= len(d.pairs) {
		return nil, damaged
	}
	n := numbers{from: last}
	scalars, counts := n.floats(sectionMachineNumbers), n.integers(sectionMachineCounts)
	theta, norms := n.floats(sectionMachineTheta), n.floats(sectionMachineNorms)
	alpha, support := n.floats(sectionMachineAlpha), n.integers(sectionMachineSupport)
	if n.err != nil {
		return nil, n.err
	}
	done, kernels := len(w.Finished.Kinds), r.Kernels.Len()
	if len(scalars) != 4*done || len(counts) != 2*done || len(theta) != done*kernels || len(norms) != done*kernels || len(alpha) != len(support) {
		return nil, damaged
	}
	for k, kind := range w.Finished.Kinds {
		size := int(counts[2*k+1])
		if size < 0 || size > len(alpha) {
			return nil, damaged
		}
		x := scalars[4*k:]
		w.Finished.done = append(w.Finished.done, model.Machine{
			Positive: d.pairs[k][0], Negative: d.pairs[k][1], Double: counts[2*k] == 1, Theta: theta[k*kernels : (k+1)*kernels], WNorms: norms[k*kernels : (k+1)*kernels],
			Bias: x[0], Certificate: model.Certificate{Kind: kind, Primal: x[1], Dual: x[2], RelativeGap: x[3]}, Alpha: alpha[:size], Support: support[:size],
		})
		for _, i := range support[:size] {
			if i < 0 || int(i) >= r.Store.Len() {
				return nil, damaged
			}
		}
		alpha, support = alpha[size:], support[size:]
	}
	return w.Finished, nil
}

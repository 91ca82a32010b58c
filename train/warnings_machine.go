package train

import (
	"slices"

	"bigmkl/chunking"
	"bigmkl/model"
)

// neverTrained is the warning about a machine whose training the run did not come to.
const neverTrained = "never trained: the run ended before any step"

// warnMachine names what is doubtful about a machine that is done: that it was never trained, kernels that turned out indefinite, and
// those that are zero or constant on the data. name is that of one of several, else "".
func (r *run) warnMachine(s *solved, theta []float64, name string, untrained bool) {
	defer r.wordWarnings()
	if untrained { // of whose kernels nothing is known
		r.warnOfMachine(name, neverTrained)
		return
	}
	var negative, flat []int
	energies := s.solver.Energies()
	largest := slices.Max(energies)
	for id, v := range energies {
		switch {
		case chunking.Dropped(s.norm, id):
			negative = append(negative, id)
		case v == 0 && largest > 0 && r.Kernels.Factor(id) != 0: // Factor 0 has been named already
			flat = append(flat, id)
		}
	}
	warnOfKernels(r, name, "%s is indefinite here: weight 0", negative)
	warnOfKernels(r, name, "%s is zero or constant on these data: weight 0", flat)
	if !slices.ContainsFunc(theta, func(x float64) bool { return x > 0 }) {
		if r.Options.Problem.Task == model.TaskClass {
			r.warnOfMachine(name, "no kernel tells the classes apart: one class is predicted")
		} else {
			r.warnOfMachine(name, "no kernel tells the rows apart: the function is a constant")
		}
	}
}

// warnOfKernels keeps a warning about kernels of a machine.
func warnOfKernels(r *run, machine, format string, ids []int) {
	if len(ids) == 0 {
		return
	}
	k := r.warnOfMachine(machine, format, r.Kernels.List(ids))
	k.kernels = slices.Compact(slices.Sorted(slices.Values(append(k.kernels, ids...))))
}

package bigmkl

import (
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
	"bigmkl/model"
)

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
func (r *rivals) sections() []checkpoint.Section {
	var numbers, theta, norms, alpha []float64
	var counts, support []int32
	for i := range r.done {
		a := &r.done[i]
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
func (t *training) recall(c *contest) error {
	last, err := t.find() // the solver of the machine in hand takes it over
	if err != nil || last == nil {
		return err
	}
	var w saved
	if err := readJSON(last, sectionState, &w); err != nil {
		return err
	}
	damaged := fail.New(fail.Corrupt, "the machines of the checkpoint do not fit together")
	if w.Rivals == nil || w.Rivals.Machines != len(c.pairs) || len(w.Rivals.Kinds) >= len(c.pairs) {
		return damaged
	}
	r := numbers{from: last}
	scalars, counts := r.floats(sectionMachineNumbers), r.integers(sectionMachineCounts)
	theta, norms := r.floats(sectionMachineTheta), r.floats(sectionMachineNorms)
	alpha, support := r.floats(sectionMachineAlpha), r.integers(sectionMachineSupport)
	if r.err != nil {
		return r.err
	}
	done, kernels := len(w.Rivals.Kinds), t.kernels.Len()
	if len(scalars) != 4*done || len(counts) != 2*done || len(theta) != done*kernels || len(norms) != done*kernels || len(alpha) != len(support) {
		return damaged
	}
	for k, kind := range w.Rivals.Kinds {
		n := int(counts[2*k+1])
		if n < 0 || n > len(alpha) {
			return damaged
		}
		x := scalars[4*k:]
		w.Rivals.done = append(w.Rivals.done, model.Machine{
			Positive: c.pairs[k][0], Negative: c.pairs[k][1], Double: counts[2*k] == 1, Theta: theta[k*kernels : (k+1)*kernels], WNorms: norms[k*kernels : (k+1)*kernels],
			Bias: x[0], Certificate: model.Certificate{Kind: kind, Primal: x[1], Dual: x[2], RelativeGap: x[3]}, Alpha: alpha[:n], Support: support[:n],
		})
		for _, i := range support[:n] {
			if i < 0 || int(i) >= t.store.Len() {
				return damaged
			}
		}
		alpha, support = alpha[n:], support[n:]
	}
	t.rivals = w.Rivals
	return nil
}

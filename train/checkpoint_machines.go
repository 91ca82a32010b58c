package train

import (
	"bigmkl/internal/checkpoint"
	"bigmkl/mmap"
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

package train

import (
	"bigmkl/internal/checkpoint"
	"bigmkl/mmap"
)

// These sections of a checkpoint hold the finished machines, one behind the other in each section.
// The names and the order of the numbers stand in files, and must stay.
const (
	// sectionMachineNumbers has four numbers for each machine: bias, primal value, dual value and
	// relative gap.
	sectionMachineNumbers = "machine_numbers"
	// sectionMachineCounts has two numbers for each machine: 1 if it ended in double precision and
	// 0 otherwise, and the number of its support vectors.
	sectionMachineCounts = "machine_counts"
	// sectionMachineTheta and sectionMachineNorms have theta_m and ||w_m|| of each kernel.
	sectionMachineTheta = "machine_theta"
	sectionMachineNorms = "machine_norms"
	// sectionMachineAlpha and sectionMachineSupport have the dual variable and the row of each
	// support vector. They are as long as the counts say.
	sectionMachineAlpha   = "machine_alpha"
	sectionMachineSupport = "machine_support"
	// sectionMachineGates has the parameters of the gates that each machine has learned.
	sectionMachineGates = "machine_gates"
	// sectionMachineDescents has the numbers of these gates as model.MachineGates.Numbers has them.
	sectionMachineDescents = "machine_descents"
)

// sections returns the finished machines as sections of a checkpoint. restoreMachines reads them.
func (f *finished) sections() []checkpoint.Section {
	var numbers, theta, norms, alpha []float64
	var counts, support []int32
	for i := range f.done {
		a := &f.done[i]
		double := int32(0)
		if a.Double {
			double = 1
		}
		c := &a.Certificate
		numbers = append(numbers, a.Bias, c.Primal, c.Dual, c.RelativeGap)
		counts = append(counts, double, int32(len(a.Support)))
		theta, norms = append(theta, a.Theta...), append(norms, a.WNorms...)
		alpha, support = append(alpha, a.Alpha...), append(support, a.Support...)
	}
	list := []checkpoint.Section{
		{Name: sectionMachineNumbers, Data: mmap.Bytes(numbers)},
		{Name: sectionMachineCounts, Data: mmap.Bytes(counts)},
		{Name: sectionMachineTheta, Data: mmap.Bytes(theta)},
		{Name: sectionMachineNorms, Data: mmap.Bytes(norms)},
		{Name: sectionMachineAlpha, Data: mmap.Bytes(alpha)},
		{Name: sectionMachineSupport, Data: mmap.Bytes(support)},
	}
	if f.gates != nil {
		var parameters, descents []float64
		for i := range f.gates {
			parameters = append(parameters, f.gates[i].Parameters...)
			descents = append(descents, f.gates[i].Numbers()...)
		}
		list = append(list, checkpoint.Section{Name: sectionMachineGates, Data: mmap.Bytes(parameters)},
			checkpoint.Section{Name: sectionMachineDescents, Data: mmap.Bytes(descents)})
	}
	return list
}

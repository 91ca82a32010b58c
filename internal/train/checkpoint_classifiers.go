package train

import (
	"bigmkl/internal/checkpoint"
	"bigmkl/mmap"
)

// These sections of a checkpoint hold the finished classifiers, one behind the other in each
// section. The names and the order of the numbers are part of files, and must stay.
const (
	// sectionClassifierNumbers has four numbers for each classifier: bias, primal value, dual value
	// and relative gap.
	sectionClassifierNumbers = "machine_numbers"
	// sectionClassifierCounts has two numbers for each classifier: 1 if it ended in double
	// precision and 0 otherwise, and the number of its support vectors.
	sectionClassifierCounts = "machine_counts"
	// sectionClassifierTheta and sectionClassifierNorms have theta_m and ||w_m|| of each kernel.
	sectionClassifierTheta = "machine_theta"
	sectionClassifierNorms = "machine_norms"
	// sectionClassifierAlpha and sectionClassifierSupport have the dual variable and the row of
	// each support vector. Their lengths are the counts.
	sectionClassifierAlpha   = "machine_alpha"
	sectionClassifierSupport = "machine_support"
	// sectionClassifierGates has the parameters of the gates that each classifier has learned.
	sectionClassifierGates = "machine_gates"
	// sectionClassifierDescents has the numbers of these gates as model.ClassifierGates.Numbers has
	// them.
	sectionClassifierDescents = "machine_descents"
)

// sections returns the finished classifiers as sections of a checkpoint. restoreClassifiers reads
// them.
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
		{Name: sectionClassifierNumbers, Data: mmap.Bytes(numbers)},
		{Name: sectionClassifierCounts, Data: mmap.Bytes(counts)},
		{Name: sectionClassifierTheta, Data: mmap.Bytes(theta)},
		{Name: sectionClassifierNorms, Data: mmap.Bytes(norms)},
		{Name: sectionClassifierAlpha, Data: mmap.Bytes(alpha)},
		{Name: sectionClassifierSupport, Data: mmap.Bytes(support)},
	}
	if f.gates != nil {
		var parameters, descents []float64
		for i := range f.gates {
			parameters = append(parameters, f.gates[i].Parameters...)
			descents = append(descents, f.gates[i].Numbers()...)
		}
		list = append(list, checkpoint.Section{Name: sectionClassifierGates, Data: mmap.Bytes(parameters)},
			checkpoint.Section{Name: sectionClassifierDescents, Data: mmap.Bytes(descents)})
	}
	return list
}

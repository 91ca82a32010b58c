package train

import (
	"bigmkl/chunking"
	"bigmkl/internal/simd"
)

// Trainings without some rows that leave points out start near an optimum as a rule, where all support vectors move a
// little. A working set that holds them takes about half as many iterations as one of the usual size. In problems with few support
// vectors a larger set costs more than it saves, so the size follows from the dual variables that a training starts from.

// settings are the choices of the solver that trainings were opened with.
type settings struct{ asked chunking.Tuning }

// mostHeld bounds these working sets. Of 8,000 rows of MNIST with ten kernels, whose classifiers have 300 to 900 support
// vectors, sets of 768 points took less time than sets of 640 and of 1,024 points.
const mostHeld = 768

// most returns the choices for n points, with the largest working set that a training has: memory is planned for it. As many
// trainings share the gradients, passes are their largest part, and they leave out points down to one working set.
func (s settings) most(n int) chunking.Tuning {
	t := s.asked
	if t.NoShrink {
		return t
	}
	if t.WorkingSet == 0 {
		t.WorkingSet = max(t.Size(n), min(n/setShare, mostHeld)/simd.Width*simd.Width)
	}
	if t.Floor == 0 {
		t.Floor = 1
	}
	return t
}

// setShare is the number of points for each point of the largest working set.
const setShare = 8

// setFor returns the size of the working sets of a training with the choices t of most, from dual variables; nil means
// zeros.
func (s settings) setFor(t chunking.Tuning, start []float64) int {
	if t.NoShrink || s.asked.WorkingSet != 0 || start == nil {
		return t.WorkingSet
	}
	vectors := 0
	for _, a := range start {
		if a != 0 {
			vectors++
		}
	}
	// A quarter is for points that become support vectors.
	return min(max(s.asked.Size(len(start)), (vectors+vectors/4)/simd.Width*simd.Width), t.WorkingSet)
}

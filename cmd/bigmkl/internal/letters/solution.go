package letters

import (
	"math"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/internal/libsvm"
	"bigmkl/internal/model"
)

// solution is a model and the report of its training.
type solution struct {
	model *libsvm.Model
	// functions has one report for each decision function.
	functions []function
	// gap is the largest relative gap of all functions, and asked the gap that the training had to
	// reach. room is the largest difference of primal and dual value, in units of obj.
	gap, asked, room float64
	status           chunking.Status
}

// function is what svm-train prints of a decision function. obj is the negative dual value, as LIBSVM
// minimises. nSV counts dual variables that are not 0, and nBSV counts dual variables at their bound C.
type function struct {
	iterations     int
	nu             float64 // NaN if it is not printed
	objective, rho float64
	support, bound int
}

// newSolution returns a solution with the gap, the status and the head of the model. Functions
// and support vectors are added one by one.
func newSolution(o *options, m *model.Model, r *bigmkl.Result) *solution {
	worst, _ := m.Convergence().Worst()
	s := &solution{gap: worst.RelativeGap, asked: m.Gap, status: r.Status, model: &libsvm.Model{
		Head:  libsvm.Head{Type: o.kind, Kernel: o.kernel},
		Start: []int64{0}, Coefs: make([][]float64, 1)}}
	s.room = worst.Primal - worst.Dual
	for k := range m.Classifiers {
		c := &m.Classifiers[k].Certificate
		s.room = max(s.room, c.Primal-c.Dual)
	}
	return s
}

// count counts a dual variable that is not 0 as a support vector, and as bounded if it is at its
// bound except for rounding. svm-train prints both numbers.
func (f *function) count(alpha, most float64) {
	const rounding = 1e-12
	f.support++
	if math.Abs(alpha) >= most*(1-rounding) {
		f.bound++
	}
}

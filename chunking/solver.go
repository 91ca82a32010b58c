package chunking

import "bigmkl/internal/cholesky"

// Solver holds the state of one problem: an iterate with the gradient that evaluates it, and what
// moves it. Every part sees those before it and none behind it.
type Solver struct {
	evaluation
	schedule
	*workingModel
	*line

	// delta is the change on the working set while its pass has not ended; nil means that no pass
	// is under way.
	delta     []float64
	rank      []float64    // of the quadratic model: how the weights answer to a step
	columns   int          // of dual variables with points in common; 0 where every variable is a point
	expansion *expansion   // of the next step's model; nil where that is expanded at the state in hand
	overall   *overallStep // takes the place of working sets; nil if there are working sets
}

// workingModel is the quadratic model of the dual on the working set. Nothing of it is left from one
// step to the next but memory.
type workingModel struct {
	inner         subproblem
	hessian       []float64 // q x q, row-major
	filled        []bool    // the rows of it that have been computed
	diagonal      []float64 // of it
	mixed, formed []float64 // scratch of a coupling
	system        []float64 // of a Differentiable loss, q x q

	most  int              // points of which a step of all may be taken; see Memory
	whole *cholesky.Factor // of steps of all points; nil before the first
}

// Memory holds quadratic models, which several solvers may share. The zero value can be used.
// While one of them takes a step no other may.
type Memory struct{ model workingModel }

// Hold states the number of points up to which steps of all points may take the place of working sets. They take
// WholeBytes. Without it no step does.
func (m *Memory) Hold(points int) { m.model.most = points }

// Lend makes a solver use the memory from its next step on.
func (m *Memory) Lend(s *Solver) { s.workingModel = &m.model }

// Double reports whether the solver works in double precision.
func (s *Solver) Double() bool { return s.double }

// Refine sets the relative gap that the solver is to reach.
func (s *Solver) Refine(gap float64) { s.gap = gap }

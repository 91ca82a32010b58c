package letters

import (
	"math"

	"bigmkl"
)

// At a large cost nearly all dual variables of the solution can be free, that is off their bounds. If they are many more than
// a working set holds, the iterations undo each other's work: 5,000 rows of a9a at a cost of 32,768 have 1,240 free
// variables, and working sets of 512 took 300 iterations for each fold, sets of 1,280 a dozen. Large sets take
// longer where few variables are free. The number of free variables is unknown before a training, so the
// first training of a chain stops after a few iterations, and they are counted.

const (
	// countAfter is the number of iterations after which free variables are counted. Trainings with few
	// free variables have usually converged by then.
	countAfter = 48
	// wideSet is the size of a large working set, and manyFree the number of free variables that asks for it.
	wideSet  = 1280
	manyFree = 800
	// wideInner is the inner tolerance of a large working set, whose problem takes longest.
	wideInner = 0.1
	// freshFold is the share of new violators. Without a bundle of kernels hardly any row comes back from a cache.
	freshFold = 0.9
)

// width has the options by which trainings without a fold are opened.
type width struct {
	asked bigmkl.Options
	label labeller
}

// first sets the options of the trainings before free variables were counted.
func (w *width) first() {
	w.asked.Tuning.Fresh, w.asked.MaxIterations = freshFold, countAfter
}

// widen sets the options of the trainings after that. alpha has the dual variables of each classifier, infinite at
// a bound.
func (w *width) widen(alpha [][]float64) {
	w.asked.MaxIterations = 0
	if mostFree(alpha) >= manyFree {
		w.asked.Tuning.WorkingSet, w.asked.Tuning.Inner = wideSet, wideInner
	}
}

// mostFree returns the largest number of free variables of a classifier.
func mostFree(alpha [][]float64) (most int) {
	for _, list := range alpha {
		free := 0
		for _, a := range list {
			if a != 0 && !math.IsInf(a, 0) {
				free++
			}
		}
		most = max(most, free)
	}
	return most
}

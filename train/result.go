package train

import (
	"time"

	"bigmkl/chunking"
	"bigmkl/gradient"
)

// Result is what is worth knowing of a run beside its model.
type Result struct {
	Status     chunking.Status
	Iterations int
	Moves      int // of weights that stay in between, for solvers other than chunking
	Resumed    int // the iteration of the checkpoint that the run went on from
	Gradient   gradient.Stats
	Read       time.Duration // reading and packing the data
	Train      time.Duration // everything after
	Times      Times         // its parts
	Sides      [][2]int      // of each of several machines, how many rows are of either class
	Folding    Folding       // what of it went to probabilities; Iterations and Gradient leave it out
	Warnings   []string      // a line for each kind, however often it was met
}

// Folding is what the trainings without the folds took, over all machines.
type Folding struct {
	Trainings, Iterations int
	Gradient              gradient.Stats
	Time                  time.Duration
}

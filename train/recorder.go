package train

import (
	"time"

	"bigmkl/cache"
)

// Recorder is told about each iteration.
type Recorder interface {
	// Record is called by the goroutine of the run, between iterations: as long as it takes, the
	// run waits. Its error ends the run, which returns it.
	Record(Event) error
}

// Event describes one iteration. Its counts are those of the present training: a run of several
// machines has one for each of them, and one for each fold.
type Event struct {
	Iteration     int           // number of iterations so far
	Primal, Dual  float64       // primal and dual value
	Gap, Target   float64       // relative duality gap, and the one to reach
	Active        int           // number of kernels with a weight that counts
	Kernels       int           // number of kernels
	Rows          int64         // number of kernel rows used so far
	Passes        int64         // number of passes over the points so far
	Cache         cache.Stats   // counts and sizes of the row cache
	Elapsed       time.Duration // time since the data were read
	DoublePrecise bool          // kernel values are float64

	Machine  int // machine in training, counted from 0
	Machines int // number of machines; 0 for a model of one
	Fold     int // fold that this training leaves out, counted from 1; 0 for the machine itself

	// Warning is what has gone wrong since the last event without ending the run, or "". Only the
	// first few of a kind are told here; Result.Warnings counts all of them.
	Warning string
}

// place says where a training stands among those of the run, in the terms of Event.
type place struct {
	machine, machines int
	fold              int
}

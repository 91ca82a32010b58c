package train

import (
	"time"

	"bigmkl/cache"
)

// Recorder is told what happens. An error ends the run.
type Recorder interface {
	Record(Event) error
}

// Event is one iteration.
type Event struct {
	Iteration     int
	Primal, Dual  float64
	Gap, Target   float64
	Active        int // kernels with a weight that counts
	Kernels       int
	Rows          int64 // base rows used so far
	Passes        int64
	Cache         cache.Stats
	Elapsed       time.Duration // since training began
	DoublePrecise bool
	Machine       int    // of several, the one in hand, from 0
	Machines      int    // how many there are; 0 for a model of one
	Fold          int    // held out by the training in hand, from 1; 0 for that of the machine
	Warning       string // what has gone wrong since the last event, without ending the run: the first few of a kind, which Result.Warnings counts
}

// place is where a training stands among those of the run, for whoever watches it.
type place struct {
	machine, machines int // of several, from 0; machines is 0 for a model of one
	fold              int // that is held out, from 1; 0 if none is
}

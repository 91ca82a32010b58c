package train

import (
	"time"

	"bigmkl/chunking"
	"bigmkl/gradient"
)

// Result describes a run: how it ended, what it took, and its warnings.
type Result struct {
	Status     chunking.Status // why the run ended
	Iterations int             // number of iterations, of all machines together
	Moves      int             // number of moves of held weights; 0 with solver chunking
	Resumed    int             // iteration of the checkpoint that the run resumed from; 0 if none
	Gradient   gradient.Stats  // passes, kernel rows and cache, of all machines together
	Read       time.Duration   // time to read and pack the data
	Train      time.Duration   // time of everything after that
	Times      Times           // parts of Train
	Sides      [][2]int        // for each of several machines, its positive and its negative points
	Folding    Folding         // what probabilities took; Iterations and Gradient do not contain it
	Warnings   []string        // one line for each kind of warning, however often it occurred
}

// Folding counts what the trainings without one fold took, over all machines.
type Folding struct {
	Trainings  int            // number of trainings
	Iterations int            // sum of their iterations
	Gradient   gradient.Stats // passes, kernel rows and cache
	Time       time.Duration  // time of the trainings and of fitting the sigmoids
}

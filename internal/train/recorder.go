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

// Event describes one iteration. Its counts belong to the present training: a run of several
// classifiers has a training for each of them, and one for each fold. Classifiers with one set of
// weights are one training; an event then describes a round of all of them.
type Event struct {
	// Iteration is the number of iterations so far.
	Iteration int
	// Primal and Dual are the two sides of the certificate.
	Primal, Dual float64
	// Gap is the relative duality gap, and Target the one to reach.
	Gap, Target float64
	// Active is the number of kernels with a weight that counts, of Kernels.
	Active  int
	Kernels int
	// Theta holds the present weight of each kernel. It is valid until Record returns, which must
	// not change it.
	Theta []float64
	// Rows is the number of kernel rows that were used so far, in Passes over the points.
	Rows   int64
	Passes int64
	// Cache has the counts and the sizes of the row cache.
	Cache cache.Stats
	// Elapsed is the time since the data were read.
	Elapsed time.Duration
	// DoublePrecise is set if kernel values are float64.
	DoublePrecise bool

	// Classifier is the classifier in training, counted from 0.
	Classifier int
	// Classifiers is the number of classifiers that are trained one after the other. It is 0 for a
	// model of one classifier, and for one set of weights.
	Classifiers int
	// Fold is the fold that this training leaves out, counted from 1. It is 0 for the training of
	// the classifier itself.
	Fold int

	// Warning is what has gone wrong since the last event without ending the run, or "". Only the
	// first few of a kind are told here; Result.Warnings counts all of them.
	Warning string
}

// place is the position of a training among the trainings of the run, in the terms of Event.
type place struct {
	classifier, classifiers int
	fold                    int
}

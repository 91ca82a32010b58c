package train

import (
	"time"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/evaluate"
	"bigmkl/predict"
)

// Result describes a run: how it ended, what it took, and its warnings.
type Result struct {
	// TargetUnit is the deviation of the targets that C and epsilon of task svr are counted in by default. It is
	// zero if both were given.
	TargetUnit float64
	// Status is the reason why the run ended.
	Status chunking.Status
	// Iterations is the number of iterations of all classifiers together.
	Iterations int
	// Each is the number of iterations of each of several classifiers that were trained in turn. It is
	// nil for others, and after a checkpoint of an earlier release.
	Each []int
	// Moves is the number of moves of weights that stay in between. It is 0 with solver chunking.
	Moves int
	// Resumed is the iteration of the checkpoint that the run resumed from, or 0.
	Resumed int
	// Gradient counts passes, kernel rows and the cache, of all classifiers together.
	Gradient gradient.Stats
	// Read is the time to read and pack the data.
	Read time.Duration
	// Train is the time of everything after that, and Times has its parts.
	Train time.Duration
	Times Times
	// Sides counts the positive and the negative points of each of several classifiers.
	Sides [][2]int
	// Ranks is what each rank of a team took. One process alone has none.
	Ranks []shards.Figures
	// Folding is what probabilities took. Iterations and Gradient do not contain it.
	Folding Folding
	// gateSlope is the slope of the optima of all classifiers by the parameters of gates that are
	// given.
	gateSlope []float64
	// lower and upper bound the sum of the optima of all classifiers, with the loss that they were
	// trained with, which a trial of a descent smooths.
	lower, upper float64
	// Warnings has one line for each kind of warning, however often it occurred.
	Warnings []string
}

// Folding counts what the trainings without one fold took, over all classifiers.
type Folding struct {
	Trainings  int            // number of trainings
	Iterations int            // sum of their iterations
	Gradient   gradient.Stats // passes, kernel rows and cache
	Time       time.Duration  // time of the trainings and of fitting the sigmoids
	// Posteriors has the probability of the positive class of each row, by the training without its
	// fold. It is nil for several classifiers, and if the run ended before it was complete.
	Posteriors []float64
	// LogLoss and Brier compare Posteriors with the labels. The sigmoid is fitted to the same held-out rows, and has two numbers. They
	// are zero where Posteriors is nil.
	LogLoss, Brier float64
}

// keep takes the probabilities of the rows while they were held out. positive lists in the same order whether a row is of the
// positive class.
func (f *Folding) keep(posteriors []float64, positive []bool) {
	var l evaluate.Likelihood
	for i, p := range posteriors {
		l.AddLabel(p, positive[i])
	}
	f.Posteriors, f.LogLoss, f.Brier = posteriors, l.LogLoss(), l.Brier()
}

// conclude sets the status of a model that was to come to a gap, which may be nil. No other function does. A run
// has therefore converged only if every certificate in the model proves it, whatever the solver returned.
func (r *Result) conclude(m *predict.Model, status chunking.Status, gap float64) {
	if m == nil {
		return
	}
	worst, _ := m.Convergence().Worst()
	r.Status = chunking.Conclude(status, worst.RelativeGap, gap)
}

package train

import "bigmkl/chunking"

// These are the names of the sections of a checkpoint. They are part of files, and must stay.
// Sections with more than one instance have a number behind their name, counted from 0.
const (
	sectionRun       = "run"           // facts that the bits of the run depend on, as JSON
	sectionState     = "state"         // saved, as JSON
	sectionAlpha     = "alpha"         // dual variable of each point
	sectionCombined  = "combined"      // sum_m theta_m g_m on each point
	sectionTheta     = "theta"         // weight of each kernel
	sectionFinest    = "finest"        // weights of the least gap so far, if the norm has a state
	sectionEnergies  = "energies"      // V_m = alpha'K_m alpha of each kernel
	sectionSet       = "set"           // points of the working set
	sectionColumns   = "columns"       // V_m of each of several columns of dual variables
	sectionActive    = "active"        // points that are not left out; no section if all are active
	sectionSum       = "sum"           // sum_i alpha_i (x_i - shift), which linear kernels need
	sectionGradients = "gradients"     // g_m of every kernel on each point
	sectionSleepers  = "sleepers"      // a generation of points that were left out together
	sectionAsleep    = "asleep"        // alpha at which the gradients of a generation are valid
	sectionSteps     = "steps"         // vectors that a quasi-Newton method remembers
	sectionDelta     = "delta"         // change of alpha that a pass was adding when it was cut
	sectionDone      = "pass_done"     // 1 for each unit and block of groups that are done
	sectionSums      = "pass_sums"     // alpha'g_m over each unit of points
	sectionParts     = "pass_combined" // their part of the new combined gradient
	sectionDescent   = "descent"       // vectors of the descent of gates
	sectionBest      = "best_gates"    // parameters of the lowest value of the starts before

	// These are of tasks of components: q and l of each row and e of each component, and vectors of the best
	// solution of the starts before.
	sectionMixtureQ      = "mixture_q"
	sectionMixtureL      = "mixture_l"
	sectionMixtureE      = "mixture_e"
	sectionMixtureBestQ  = "mixture_best_q"
	sectionMixtureBestW  = "mixture_best_w"
	sectionMixtureBestE  = "mixture_best_e"
	sectionMixtureNorms  = "mixture_best_norms"
	sectionMixtureTotals = "mixture_best_l"

	// These are of projections: the lowest point of the starts before, and the support vectors and dual
	// variables of each classifier of the trial before.
	sectionProjection   = "best_projection"
	sectionTrialSupport = "trial_support"
	sectionTrialAlpha   = "trial_alpha"
)

// saved is the section of the state. It has single numbers as JSON, and vectors have sections of
// their own.
type saved struct {
	*chunking.State
	// Sleepers is the number of sections sleepers, and of sections asleep.
	Sleepers int `json:"sleepers,omitempty"`
	// Steps is the number of sections steps.
	Steps int `json:"steps,omitempty"`
	// Hollow is set if the gradients have no values, and have to be computed from alpha.
	Hollow bool `json:"hollow,omitempty"`
	// Finished is nil for a run of one classifier. It has the name that old checkpoints gave it.
	Finished *finished `json:"rivals,omitempty"`
	// Learning is nil for a run without gates that are learned. The solver is then the solver of
	// the trial.
	Learning *learningState `json:"learning,omitempty"`
	// Projection is nil for runs without one, and those with one have no State.
	Projection *projectingState `json:"projection,omitempty"`
	// Mixture is nil for other tasks than med and mixture, which have no State.
	Mixture *mixtureState `json:"mixture,omitempty"`
}

// isFinished reports whether the run has come to its end: the solver has, and of several
// classifiers this was the last one.
func (s *saved) isFinished() bool {
	if s.Mixture != nil {
		return s.Mixture.Ended != ""
	}
	if s.Projection != nil {
		return s.Projection.Ended != ""
	}
	last := s.Finished == nil || len(s.Finished.Kinds)+1 == s.Finished.Classifiers
	last = last && (s.Learning == nil || s.Learning.Final)
	return s.State != nil && s.Ended != "" && last
}

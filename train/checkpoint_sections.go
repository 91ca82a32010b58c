package train

import "bigmkl/chunking"

// Names of the sections of a checkpoint.
const (
	sectionRun       = "run"
	sectionState     = "state"
	sectionAlpha     = "alpha"
	sectionCombined  = "combined"
	sectionTheta     = "theta"
	sectionEnergies  = "energies"
	sectionSet       = "set"
	sectionActive    = "active"
	sectionSum       = "sum"
	sectionGradients = "gradients"
	sectionSleepers  = "sleepers" // their index
	sectionAsleep    = "asleep"   // their dual variables
	sectionSteps     = "steps"    // of quasi-Newton
	sectionDelta     = "delta"    // of the dual variables, in a pass that was cut
	sectionDone      = "pass_done"
	sectionSums      = "pass_sums"
	sectionParts     = "pass_combined"
)

// saved is what a checkpoint says in JSON.
type saved struct {
	*chunking.State
	Sleepers int       `json:"sleepers,omitempty"` // generations of them
	Steps    int       `json:"steps,omitempty"`    // of quasi-Newton
	Hollow   bool      `json:"hollow,omitempty"`   // there are no gradients: the next thing is to compute them from alpha
	Finished *finished `json:"rivals,omitempty"`   // nil for one machine; the name in the file is that of old checkpoints
}

// over tells whether the run has come to its end.
func (s *saved) isFinished() bool {
	return s.State != nil && s.Ended != "" && (s.Finished == nil || len(s.Finished.Kinds)+1 == s.Finished.Machines)
}

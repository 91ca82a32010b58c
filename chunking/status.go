package chunking

// Status states why a run ended.
type Status string

// The ends of a run.
const (
	Converged      Status = "converged"
	IterationLimit Status = "iteration_limit"
	TimeLimit      Status = "time_limit"
	Interrupted    Status = "interrupted"
	Stalled        Status = "stalled" // no step improves the dual any more
)

// Conclude gives the status of a run that ended with a relative gap where another was asked for. It
// is the only way to Converged: whatever the reason a solver gives for its end, a result whose own
// certificate misses the gap has not converged.
func Conclude(end Status, gap, asked float64) Status {
	if end == Converged && !(gap <= asked) {
		return Stalled
	}
	return end
}

// Precision chooses the arithmetic of kernels and gradients.
type Precision string

// Auto starts in single precision. It goes on in double once the gap asked for, or rounding,
// demands it. With a delicate norm a run is in double precision from the start, whatever is asked.
const (
	Auto   Precision = "auto"
	Single Precision = "32"
	Double Precision = "64"
)

// WidenBelow is the relative gap that single precision cannot certify.
const WidenBelow = 1e-4

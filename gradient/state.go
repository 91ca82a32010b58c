package gradient

// State is what a Gradient needs beside Values to continue with the same bits. It is written to
// checkpoints.
type State struct {
	Double   bool      // arithmetic is float64
	Active   []int32   // the active points, ascending; nil: all
	Sleepers []Sleeper // the points that are not active
	Sum      []float64 // sum_i alpha_i (x_i - shift) if there are linear kernels
	Pending  *Pending  // a Pass that was cut and is to go on; nil: there is none
	Hollow   bool      // a Rebuild was cut and is to be called again: Values must not be used
}

// Sleeper is a set of points that became inactive together, with the dual variables of that moment.
// Their gradients belong to these dual variables.
type Sleeper struct {
	Index []int32
	Alpha []float64
}

// Pending is a pass that the end of its context has cut: which of its parts are done, and what
// these have given. Gradients of the parts that are done have the change of the working set in them
// and the others do not, so the pass can only go on: the same call of Pass, with the pending part
// in the state, does the rest and gives the same bits as a pass that was not cut.
type Pending struct {
	Done     []byte    // 1 for each unit and block of groups that is done, [unit][block]
	Sums     []float64 // alpha'g_m of each unit in storage order, [unit][kernel]
	Combined []float64 // the combined gradient that each block has given, [block][point]
}

// fits reports whether the pass is one over a field of this layout.
//
// Lengths are all that is compared: the contents are guarded by the checksums of the checkpoint.
func (p *Pending) fits(l *layout, kernels, columns int) bool {
	units, blocks := len(l.units), len(l.blocks)
	return len(p.Done) == units*blocks && len(p.Sums) == units*kernels*columns &&
		len(p.Combined) == blocks*l.lanes()*columns
}

// ascending reports whether a list holds numbers of n points in ascending order, each once.
func ascending(list []int32, n int) bool {
	// A list that is not in order would make binary search return wrong places.
	for k, i := range list {
		if i < 0 || int(i) >= n || k > 0 && i <= list[k-1] {
			return false
		}
	}
	return true
}

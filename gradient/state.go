package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/fail"
)

// State is what a Gradient needs, beside Values, to go on with the same bits.
type State struct {
	Double   bool
	Active   []int32 // the active points, ascending; nil: all
	Sleepers []Sleeper
	Sum      []float64 // sum_i alpha_i (x_i - shift), if there are linear kernels
}

// Sleeper is a set of points that were left together, with the dual variables of that moment.
type Sleeper struct {
	Index []int32
	Alpha []float64
}

// State is the state in hand; it brings Values up to date. Its slices are the gradient's own and not to be written to.
func (gr *Gradient) State(ctx context.Context) (*State, error) {
	if gr.now != gr.all {
		if err := gr.writeBack(ctx, gr.now); err != nil {
			return nil, err
		}
	}
	return &State{Double: gr.double, Active: gr.now.index, Sleepers: gr.sleepers, Sum: gr.sum}, nil
}

// Values is g_m of all kernels on all points, [panel][kernel][32], in the order in which the bank stores kernels: as of State,
// or to be filled for Resume.
func (gr *Gradient) Values() []float64 { return gr.all.g }

// Resume goes on from the state of another Gradient of the same points and kernels, whose Values have been filled in. A state
// that fits none such is fail.Corrupt.
func (gr *Gradient) Resume(ctx context.Context, s *State) error {
	if !gr.fits(s) {
		return fail.New(fail.Corrupt, "the gradients are those of another run")
	}
	if err := gr.use(s.Double); err != nil {
		return err
	}
	copy(gr.sum, s.Sum)
	if s.Active == nil {
		return nil
	}
	f, err := gr.part(ctx, slices.Clone(s.Active))
	if err != nil {
		return err
	}
	gr.now, gr.sleepers = f, s.Sleepers
	return gr.arith.narrow(f, f.index)
}

// fits tells whether a state is one of these points and kernels.
func (gr *Gradient) fits(s *State) bool {
	n := gr.points.Len()
	ok := len(s.Sum) == len(gr.sum) && gr.now == gr.all && (s.Active == nil) == (len(s.Sleepers) == 0)
	asleep := 0
	for _, l := range s.Sleepers {
		ok = ok && len(l.Alpha) == n && ascending(l.Index, n)
		asleep += len(l.Index)
	}
	return ok && ascending(s.Active, n) && (s.Active == nil || len(s.Active) > 0 && len(s.Active)+asleep == n)
}

// ascending tells whether a list holds points in order.
func ascending(list []int32, n int) bool {
	for k, i := range list {
		if i < 0 || int(i) >= n || k > 0 && i <= list[k-1] {
			return false
		}
	}
	return true
}

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
	Pending  *Pending  // a Pass that was cut and is to go on; nil: there is none
	Hollow   bool      // Rebuild was cut and is to be called: Values are of no use
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
	active := gr.now.index
	if gr.waking != nil {
		active = gr.waking
	}
	return &State{Double: gr.double, Active: active, Sleepers: gr.sleepers, Sum: gr.sum, Pending: gr.pending, Hollow: gr.hollow}, nil
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
	gr.hollow = s.Hollow
	if s.Active != nil {
		f, err := gr.part(ctx, slices.Clone(s.Active))
		if err != nil {
			return err
		}
		gr.now, gr.sleepers = f, s.Sleepers
		if err := gr.arith.narrow(f, f.index); err != nil {
			return err
		}
	}
	if s.Pending != nil && !s.Pending.fits(&gr.now.layout, gr.bank.Len()) {
		return fail.New(fail.Corrupt, "the pass in the midst of which the checkpoint was written is one over other points")
	}
	gr.pending = s.Pending
	return nil
}

// fits tells whether a state is one of these points and kernels.
func (gr *Gradient) fits(s *State) bool {
	n := gr.points.Len()
	ok := len(s.Sum) == len(gr.sum) && gr.now == gr.all && (s.Active == nil) == (len(s.Sleepers) == 0) && !(s.Hollow && (s.Active != nil || s.Pending != nil))
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

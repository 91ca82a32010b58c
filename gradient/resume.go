package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/fail"
)

// State returns the present state and brings Values up to date. The slices of the state are the
// gradient's own and must not be written to.
//
// While points are asleep the active gradients are written back to the field of all points, which
// is what a checkpoint keeps.
func (gr *stored) State(ctx context.Context) (*State, error) {
	if gr.now != gr.all {
		if err := gr.writeBack(ctx, gr.now); err != nil {
			return nil, err
		}
	}
	if err := gr.archive.gather(); err != nil {
		return nil, err
	}
	active := gr.now.index
	// A Wake was cut: the points that were active when it began are the active ones of the state,
	// and the rest are sleepers, some of them of this very moment.
	if gr.waking != nil {
		active = gr.waking
	}
	return &State{
		Double: gr.double, Active: active, Sleepers: gr.sleepers,
		Sum: gr.sum, Pending: gr.pending, Hollow: gr.hollow,
	}, nil
}

// Resume continues from the state of another Gradient of the same points and kernels, whose
// Values have been filled in before. A state that cannot be one of these points and kernels is an
// error of class corrupt.
func (gr *stored) Resume(ctx context.Context, s *State) error {
	if !gr.fits(s) {
		return fail.New(fail.Corrupt, "the gradients are those of another run")
	}
	if err := gr.use(s.Double); err != nil {
		return err
	}
	if !s.Hollow {
		if err := gr.archive.deal(); err != nil {
			return err
		}
	}
	copy(gr.sum, s.Sum)
	gr.hollow = s.Hollow
	if s.Active != nil {
		// The copies of the active points are made from the Values that have been filled in.
		f, err := gr.part(ctx, slices.Clone(s.Active))
		if err != nil {
			return err
		}
		gr.now, gr.sleepers = f, s.Sleepers
		if err := gr.arith.narrow(f, f.index); err != nil {
			return err
		}
	}
	if s.Pending != nil && !s.Pending.fits(&gr.now.layout, gr.bank.Len(), gr.opt.columns()) {
		return fail.New(fail.Corrupt,
			"the pass in the midst of which the checkpoint was written is one over other points")
	}
	gr.pending = s.Pending
	return nil
}

// fits reports whether a state can be one of these points and kernels.
func (gr *stored) fits(s *State) bool {
	n := gr.points.Len()
	ok := len(s.Sum) == len(gr.sum) && gr.now == gr.all &&
		(s.Active == nil) == (len(s.Sleepers) == 0)
	ok = ok && !(s.Hollow && (s.Active != nil || s.Pending != nil))
	asleep := 0
	for _, l := range s.Sleepers {
		ok = ok && len(l.Alpha) == n && ascending(l.Index, n)
		// Every point is either active or in one list of sleepers.
		asleep += len(l.Index)
	}
	return ok && ascending(s.Active, n) &&
		(s.Active == nil || len(s.Active) > 0 && len(s.Active)+asleep == n)
}

package gradient

import "bigmkl/kernels"

// holding is the gradients of the kernels that are kept in the precision in use. To go over to a precision that keeps
// others gives them up and makes new ones, of alpha = 0.
type holding struct {
	*stored
	reduction
	whole   *kernels.Bank
	columns *columns // nil: there is one
	// past is the counts of gradients that have been given up for the gradients of the other
	// skeleton.
	past Stats
}

// hold makes the gradients of alpha = 0 for the kernels that are kept in a precision. Where that
// fails what was held before stays, so it can be closed once more.
func (gr *holding) hold(points kernels.Points, o Options, double bool) error {
	bank, s := gr.whole, o.skeleton(double)
	if s != nil {
		bank = s.Kept
	}
	held, err := newStored(points, bank, o, double)
	if err != nil {
		return err
	}
	gr.stored, gr.columns = held, newColumns(held)
	gr.reduction = newReduction(s, bank.Len())
	return nil
}

// change goes over to the kernels that are kept in a precision, if these are others.
//
// Whatever was held is given up first, so there is never memory for both.
func (gr *holding) change(double bool) error {
	if gr.double == double || gr.opt.skeleton(false) == gr.opt.skeleton(true) {
		return nil
	}
	err := gr.stored.Close()
	gr.past = gr.past.And(gr.stored.Stats())
	if err != nil {
		return err
	}
	return gr.hold(gr.points, gr.opt, double)
}

// Prepare gives Values the sizes of a state that is to be resumed.
func (gr *holding) Prepare(s *State) error {
	if err := gr.change(s.Double); err != nil {
		return err
	}
	return gr.archive.reserve()
}

// Stats returns the counts so far.
func (gr *holding) Stats() Stats { return gr.past.And(gr.stored.Stats()) }

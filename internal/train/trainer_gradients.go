package train

import (
	"context"

	"bigmkl/dataset"
	"bigmkl/gradient"
)

// changeRows puts the rows of the stores without the first few in the place of those in hand.
func (f *fitted) changeRows(ctx context.Context, stores []*dataset.Store, without int,
	used *gradient.Stats) error {
	w := f.workspace
	// The first batch is taken as it is: data which are packed already stay mapped.
	if len(stores) == 1 && without == 0 {
		w.Store = stores[0]
		return nil
	}
	// The order matters: rows leave the gradients while their points are still there, and gradients
	// refer to the store and to the kernels until they are kept.
	if err := f.keepGradients(ctx, without, used); err != nil {
		return err
	}
	next, err := stores[0].Extend(ctx, w.Options.Budget.Scratch, without, stores[1:]...)
	if err != nil {
		f.drop()
		return err
	}
	w.Close() // the kernels and the rows before, which nobody refers to any more
	w.Store, w.Kernels, f.plan, f.vectors = next, nil, nil, max(0, f.vectors-without)
	f.without = without
	for _, l := range f.each {
		alpha := make([]float64, next.Len())
		if without < len(l.alpha) {
			copy(alpha, l.alpha[without:])
		}
		l.alpha = alpha
	}
	return nil
}

// keepGradients moves the gradients in hand to scratch files, for gradients of other rows to continue from, and
// takes the rows that are forgotten out of them. The sums of dual variables are evened out when the next training
// starts, on the rows that stay. The memory never has the gradients of both.
func (f *fitted) keepGradients(ctx context.Context, without int, used *gradient.Stats) error {
	rows := 0
	if len(f.each) > 0 {
		rows = len(f.each[0].alpha)
	}
	if f.grad == nil || f.grad.Gradient == nil || without >= rows {
		return f.drop()
	}
	err := f.put(ctx, f.workspace.Options.Budget.Scratch)
	before := f.grad.Stats()
	for _, double := range []bool{false, true} {
		if held := f.held(double); err == nil && without > 0 && held != nil {
			err = f.grad.Forget(ctx, without, held)
		}
	}
	if err != nil {
		f.drop()
		return err
	}
	*used = used.And(f.grad.Stats().Since(before))
	err = f.grad.Close()
	f.grad, f.inHand = nil, nil
	return err
}

// carry makes gradients of the rows in hand out of the gradients of the rows before. Kernel values between new rows and
// support vectors are computed once for all classifiers.
func (f *fitted) carry(ctx context.Context, r *run) error {
	for _, double := range []bool{false, true} {
		var from []*gradient.Held
		var of []*learner
		for _, l := range f.each {
			if l.held == nil || l.held.kernel == r.Kernels || l.held.State.Double != double {
				continue
			}
			// Sums of other values serve nobody.
			if !l.held.kernel.SharesSums(r.Kernels) {
				l.drop()
				continue
			}
			from, of = append(from, &l.held.Held), append(of, l)
		}
		if from == nil {
			continue
		}
		if !double {
			r.limitTo(0)
		}
		err := f.grad.Carry(ctx, f.without, from, func(k int, fill func([]float64)) error {
			l, state := of[k], from[k].State
			if len(f.each) > 1 {
				h, err := hold(r.Options.Budget.Scratch, len(f.grad.Values()), state, l.alpha, r.Kernels)
				if err != nil {
					return err
				}
				fill(h.Values)
				l.drop()
				l.held = h
				return nil
			}
			// The gradients of one classifier go where they are needed next.
			fill(f.grad.Values())
			l.drop()
			f.grad.used, f.inHand = true, l
			return f.grad.Resume(ctx, &state)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

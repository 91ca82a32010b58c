package train

import (
	"context"
	"slices"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// Several classifiers of a stream are over the same rows, and each has dual variables and gradients of its own
// that stay from fit to fit. One gradient.Gradient serves them in turn, with one cache of kernel rows: the
// gradients of the others lie in scratch files meanwhile.

// learner is what a fit leaves of one classifier or regressor to the next.
type learner struct {
	name  string              // the class, label or quantile that it is for; "" for the only one
	alpha []float64           // dual variables of the rows in hand, 0 for those not trained on
	norm  *chunking.NormState // how sharp the norm has become; nil if it has no such state
	fits  int                 // trainings that have come to an end
	held  *heldGradients      // of alpha and the rows in hand; nil if there are none in a file
}

// heldGradients are gradients in a scratch file, which takes no anonymous memory.
type heldGradients struct {
	gradient.Held
	file   *mmap.Map
	kernel *kernels.Prepared // what they are gradients of
}

// hold makes room for gradients of the given size.
func hold(scratch string, size int, state gradient.State, alpha []float64, k *kernels.Prepared) (*heldGradients, error) {
	file, err := mmap.Create(scratch, "gradient-*", int64(size)*8)
	if err != nil {
		return nil, err
	}
	state.Sum = slices.Clone(state.Sum)
	held := gradient.Held{State: state, Values: mmap.View[float64](file), Alpha: slices.Clone(alpha)}
	return &heldGradients{held, file, k}, nil
}

// close frees the file. It may be called for nil.
func (h *heldGradients) close() {
	if h != nil {
		h.file.Close()
	}
}

// drop gives up the gradients.
func (l *learner) drop() {
	l.held.close()
	l.held = nil
}

// learners are the classifiers of a stream, with the gradients that serve them in turn.
type learners struct {
	each   []*learner
	grad   *gradients        // of the rows in hand; nil if there are none in memory
	kernel *kernels.Prepared // what grad was made with
	inHand *learner          // whose gradients grad has; nil if they are nobody's
}

// learnerNames names the classifiers of a decomposition, which may be nil: the class, the label or the quantile of
// each. The one classifier of two classes has the name of the second, which it has as one of several, too.
func (r labelledRows) learnerNames(d *decomposition) (names []string) {
	switch {
	case d == nil && r.problem.Multiclass != "":
		return r.store.Classes()[1:]
	case d == nil:
		return []string{""}
	}
	for _, pair := range d.pairs {
		if d.taus != nil {
			names = append(names, formatTau(d.taus[pair[0]]))
		} else {
			names = append(names, d.classes[pair[0]])
		}
	}
	return names
}

// match leaves one learner for each name. A name without one gets a new one, at alpha = 0 of n rows. Learners of
// other names are given up.
func (f *learners) match(names []string, n int) {
	before := f.each
	f.each = nil
	for _, name := range names {
		k := slices.IndexFunc(before, func(l *learner) bool { return l.name == name })
		if k < 0 {
			f.each = append(f.each, &learner{name: name, alpha: make([]float64, n)})
			continue
		}
		f.each = append(f.each, before[k])
		before = slices.Delete(before, k, k+1)
	}
	for _, l := range before {
		l.drop()
		if f.inHand == l {
			f.inHand = nil
		}
	}
}

// gradientsOf returns the gradients of a learner for the rows in hand, or nil if there are none. They refer to the
// memory that they are in.
func (f *learners) gradientsOf(ctx context.Context, l *learner) (*gradient.Held, error) {
	switch {
	case f.inHand == l:
		state, err := f.grad.State(ctx)
		if err != nil {
			return nil, err
		}
		return &gradient.Held{State: *state, Values: f.grad.Values()}, nil
	case l.held != nil && l.held.kernel == f.kernel:
		return &l.held.Held, nil
	}
	return nil, nil
}

// put moves the gradients in hand to the file of their learner.
func (f *learners) put(ctx context.Context, scratch string) error {
	l := f.inHand
	if l == nil {
		return nil
	}
	now, err := f.gradientsOf(ctx, l)
	if err != nil {
		return err
	}
	// The file serves on, unless another precision has kernels of another number.
	if l.held == nil || len(l.held.Values) != len(now.Values) {
		l.drop()
		if l.held, err = hold(scratch, len(now.Values), now.State, nil, f.kernel); err != nil {
			return err
		}
	}
	copy(l.held.Values, now.Values)
	l.held.State.Double, l.held.State.Sum = now.State.Double, slices.Clone(now.State.Sum)
	l.held.Alpha, l.held.kernel = slices.Clone(l.alpha), f.kernel
	return nil
}

// take brings the gradients of a learner into hand, and reports whether there are any.
func (f *learners) take(ctx context.Context, l *learner) (bool, error) {
	if f.inHand == l {
		return true, nil
	}
	f.inHand = nil
	if l.held == nil {
		return false, nil
	}
	if err := f.grad.Prepare(&l.held.State); err != nil {
		return false, err
	}
	copy(f.grad.Values(), l.held.Values)
	f.grad.used = true
	if err := f.grad.Resume(ctx, &l.held.State); err != nil {
		return false, err
	}
	f.inHand = l
	return true, nil
}

// drop gives up all gradients: the next training computes them from alpha.
func (f *learners) drop() error {
	err := f.grad.Close()
	f.grad, f.inHand = nil, nil
	for _, l := range f.each {
		l.drop()
	}
	return err
}

// held lists the gradients in files of one precision.
func (f *learners) held(double bool) (list []*gradient.Held) {
	for _, l := range f.each {
		if l.held != nil && l.held.State.Double == double {
			list = append(list, &l.held.Held)
		}
	}
	return list
}

package gradient

import (
	"context"

	"bigmkl/kernels"
)

// Gradient holds g_m = K_m alpha for every kernel of a bank on every point, or the gradients of a
// skeleton of which they are sums (kernels.Skeleton). It takes and gives numbers of all kernels;
// passes, memory and checkpoints hold the gradients of the kept ones. One method may run at a
// time.
type Gradient struct {
	*stored
	whole   *kernels.Bank
	columns *columns // nil: there is one

	// constants is what sums leave out of wide kernels of the whole bank; nil: none is wide.
	constants []float64

	// past is the counts of gradients that have been given up for the gradients of the other
	// skeleton.
	past Stats

	// weight, first and second are numbers of the kept kernels.
	weight, first, second []float64
}

// New returns the gradients of alpha = 0, in float32 arithmetic. Close has to be called in the
// end. An error comes from a scratch file or from the cache.
//
// It takes 8 n M bytes, in memory as far as Options.Memory goes and in a mapped file beyond. With
// skeletons of R kernels it takes 8 n R.
func New(points kernels.Points, bank *kernels.Bank, o Options) (*Gradient, error) {
	gr := &Gradient{whole: bank, constants: bank.Constants()}
	room, err := o.Starts.takeRoom(o.Cache.Memory)
	if err != nil {
		return nil, err
	}
	o.Cache.Memory, o.DoubleRows = o.Cache.Memory-room, max(0, o.DoubleRows-room)
	if err := gr.hold(points, o, false); err != nil {
		return nil, err
	}
	return gr, nil
}

// skeleton is the one in use, or nil.
func (gr *Gradient) skeleton() *kernels.Skeleton { return gr.opt.skeleton(gr.double) }

// skeleton is the one for a precision, or nil.
func (o *Options) skeleton(double bool) *kernels.Skeleton {
	if o.columns() > 1 {
		return nil
	}
	if double {
		return o.Skeletons[1]
	}
	return o.Skeletons[0]
}

// hold makes the gradients of alpha = 0 for the kernels that are kept in a precision. Where that
// fails what was held before stays, so it can be closed once more.
func (gr *Gradient) hold(points kernels.Points, o Options, double bool) error {
	bank := gr.whole
	if s := o.skeleton(double); s != nil {
		bank = s.Kept
	}
	held, err := newStored(points, bank, o, double)
	if err != nil {
		return err
	}
	gr.stored, gr.columns = held, newColumns(held)
	n := bank.Len()
	gr.weight, gr.first, gr.second = make([]float64, n), make([]float64, n), make([]float64, n)
	return nil
}

// change goes over to the kernels that are kept in a precision, if these are others.
//
// Whatever was held is given up first, so there is never memory for both.
func (gr *Gradient) change(double bool) error {
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

// lower returns the weights of the kept kernels that represent the weights of all.
func (gr *Gradient) lower(weight []float64) []float64 {
	s := gr.skeleton()
	if s == nil {
		return weight
	}
	s.Lower(gr.weight, weight)
	return gr.weight
}

// into returns memory for numbers of the kept kernels, which raise turns into numbers of all.
func (gr *Gradient) into(all, kept []float64) []float64 {
	if gr.skeleton() == nil {
		return all
	}
	return kept
}

// raise sets all to the numbers of all kernels, where kept is what into has returned.
func (gr *Gradient) raise(all, kept []float64, one float64) {
	if s := gr.skeleton(); s != nil {
		s.Raise(all, kept, one)
	}
}

// Pass is the pass for all kernels.
func (gr *Gradient) Pass(ctx context.Context, set []int,
	delta, alpha, theta, combined, v []float64) error {
	if gr.columns != nil {
		return gr.columns.pass(ctx, set, delta, alpha, theta, combined, v)
	}
	kept := gr.into(v, gr.first)
	if err := gr.stored.Pass(ctx, set, delta, alpha, gr.lower(theta), combined, kept); err != nil {
		return err
	}
	// While points sleep the sums may stay as they are.
	if gr.complete(set, alpha) {
		gr.raise(v, kept, 0)
	}
	return nil
}

// fullHessian is Hessian before it is centred.
func (gr *Gradient) fullHessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	s := gr.skeleton()
	if s == nil {
		return gr.stored.Hessian(ctx, set, theta, rank, h)
	}
	if rank != nil {
		gr.promise(gr.now, gr.gather(set).index)
	}
	constant := s.Constant(theta)
	return gr.stored.hessian(ctx, set, gr.lower(theta), func(sq *square) error {
		// No step sees the constant, as it sums to 0, but the size of the diagonal is the size of
		// kernel values.
		for i := range sq.at {
			sq.at[i] += constant
		}
		if rank == nil {
			return nil
		}
		t, err := newRankTerm(&gr.fields, set)
		if err != nil {
			return err
		}
		return t.addForms(ctx, s, rank, sq)
	}, h)
}

// Directions computes for all kernels. Where d does not sum to 0 the constants count.
func (gr *Gradient) Directions(ctx context.Context, set []int, d, b, c []float64) error {
	if gr.columns != nil {
		return gr.columns.directions(ctx, set, d, b, c)
	}
	first, second := gr.into(b, gr.first), gr.into(c, gr.second)
	if err := gr.stored.Directions(ctx, set, d, first, second); err != nil {
		return err
	}
	total := sum(d)
	gr.raise(b, first, 0)
	gr.raise(c, second, total*total)
	return nil
}

// Along computes for all kernels.
func (gr *Gradient) Along(ctx context.Context, d, theta, b, c, image []float64) error {
	first, second := gr.into(b, gr.first), gr.into(c, gr.second)
	if err := gr.stored.Along(ctx, d, gr.lower(theta), first, second, image); err != nil {
		return err
	}
	gr.raise(b, first, 0)
	gr.raise(c, second, 0)
	return nil
}

// Advance moves the gradients of all kernels.
func (gr *Gradient) Advance(ctx context.Context, t float64,
	alpha, theta, combined, v []float64) error {
	kept := gr.into(v, gr.first)
	if err := gr.stored.Advance(ctx, t, alpha, gr.lower(theta), combined, kept); err != nil {
		return err
	}
	gr.raise(v, kept, 0)
	return nil
}

// Mix sums over all kernels. Rows are made one after the other.
func (gr *Gradient) Mix(ctx context.Context, set []int, row []int32,
	factor, mixed []float64) error {
	if gr.columns != nil {
		return gr.columns.mix(ctx, set, row, factor, mixed)
	}
	s := gr.skeleton()
	if s == nil {
		return gr.stored.Mix(ctx, set, row, factor, mixed)
	}
	clear(mixed)
	q, rows := len(set), 0
	for _, r := range row {
		rows = max(rows, int(r)+1)
	}
	own, one := make([]float64, len(factor)), make([]int32, len(gr.weight))
	for r := range rows {
		clear(own)
		for m, at := range row {
			if int(at) == r {
				own[m] = factor[m]
			}
		}
		s.Lower(gr.weight, own)
		if err := gr.stored.Mix(ctx, set, one, gr.weight, mixed[r*q:(r+1)*q]); err != nil {
			return err
		}
	}
	return nil
}

// Rebuild computes the gradients of alpha, in float64 arithmetic if double is set.
func (gr *Gradient) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	if gr.columns != nil {
		return gr.columns.rebuild(ctx, alpha, double)
	}
	if err := gr.change(double); err != nil {
		return err
	}
	return gr.stored.Rebuild(ctx, alpha, double)
}

// RebuildActive computes for all kernels.
func (gr *Gradient) RebuildActive(ctx context.Context, active []int, alpha []float64,
	double bool) error {
	if err := gr.change(double); err != nil {
		return err
	}
	return gr.stored.RebuildActive(ctx, active, alpha, double)
}

// checking returns the skeleton by which values are computed again, or nil if they are computed
// for all kernels. In single precision it is the one that is exact to float64: beside what it is
// to measure it is exact. In double precision nothing is but the kernels themselves.
func (gr *Gradient) checking() *kernels.Skeleton {
	if gr.double {
		return nil
	}
	return gr.opt.skeleton(true)
}

// Afresh computes for all kernels.
func (gr *Gradient) Afresh(ctx context.Context, sample []int,
	alpha, theta []float64) ([]float64, error) {
	if gr.columns != nil {
		return gr.columns.decide(ctx, sample, alpha, theta)
	}
	s := gr.checking()
	if s == nil {
		return exact{&gr.fields}.decide(ctx, gr.whole, sample, alpha, theta)
	}
	own := make([]float64, s.Kept.Len())
	s.Lower(own, theta)
	values, err := exact{&gr.fields}.decide(ctx, s.Kept, sample, alpha, own)
	if err != nil {
		return nil, err
	}
	constant := s.Constant(theta) * sum(alpha)
	for i := range values {
		values[i] += constant
	}
	return values, nil
}

// Deviations sets e to how far the gradients that are held are off at a few points, for every
// kernel, weighted by d:
//
//	e_m = sum_s d_s ( (K_m alpha)_s - g_m,s ).
//
// K_m alpha is computed again in float64. With d = alpha on all support vectors that is the
// rounding of V_m = alpha'g_m. It covers kernels without a weight, of which the combined gradient
// reports nothing. Linear kernels have 0, as their V_m is not made of gradients.
//
// What the skeleton in use is off by is in them.
func (gr *Gradient) Deviations(ctx context.Context, sample []int, d, alpha, e []float64) error {
	if gr.columns != nil {
		return gr.columns.deviations(ctx, sample, d, alpha, e)
	}
	ex := exact{&gr.fields}
	if s := gr.checking(); s == nil {
		if err := ex.weigh(ctx, gr.whole, sample, d, alpha, e); err != nil {
			return err
		}
	} else {
		own := make([]float64, s.Kept.Len())
		if err := ex.weigh(ctx, s.Kept, sample, d, alpha, own); err != nil {
			return err
		}
		s.Raise(e, own, sum(d)*sum(alpha))
	}
	held := make([]float64, len(e))
	kept := gr.into(held, gr.first)
	clear(kept)
	if err := ex.weighHeld(sample, d, kept); err != nil {
		return err
	}
	gr.raise(held, kept, 0)
	for m, x := range held {
		e[m] -= x
	}
	return nil
}

// Prepare gives Values the sizes of a state that is to be resumed.
func (gr *Gradient) Prepare(s *State) error {
	if err := gr.change(s.Double); err != nil {
		return err
	}
	return gr.archive.reserve()
}

// Stats returns the counts so far.
func (gr *Gradient) Stats() Stats { return gr.past.And(gr.stored.Stats()) }

// sum adds numbers up in their order.
func sum(numbers []float64) float64 {
	s := 0.0
	for _, x := range numbers {
		s += x
	}
	return s
}

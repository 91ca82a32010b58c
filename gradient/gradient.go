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
	*holding
	checks
	transfer

	// constants is what sums leave out of wide kernels of the whole bank; nil: none is wide.
	constants []float64
}

// New returns the gradients of alpha = 0, in float32 arithmetic. Close has to be called in the
// end. An error comes from a scratch file or from the cache.
//
// It takes 8 n M bytes, in memory as far as Options.Memory goes and in a mapped file beyond. With
// skeletons of R kernels it takes 8 n R.
func New(points kernels.Points, bank *kernels.Bank, o Options) (*Gradient, error) {
	h := &holding{whole: bank}
	room, err := o.Starts.takeRoom(o.Cache.Memory)
	if err != nil {
		return nil, err
	}
	o.Cache.Memory, o.DoubleRows = o.Cache.Memory-room, max(0, o.DoubleRows-room)
	if err := h.hold(points, o, false); err != nil {
		return nil, err
	}
	return &Gradient{h, checks{h}, transfer{h}, bank.Constants()}, nil
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

// Hessian is the Hessian of all kernels. If one that is wide has a weight the model is centred,
// which no step that sums to 0 sees.
func (gr *Gradient) Hessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	if gr.columns != nil {
		return gr.columns.hessian(ctx, set, theta, rank, h)
	}
	if err := gr.fullHessian(ctx, set, theta, rank, h); err != nil || !gr.team.leads() {
		return err
	}
	return centreWide(ctx, gr.opt.Threads, gr.constants, theta, h, len(set))
}

// fullHessian is Hessian before it is centred.
func (gr *Gradient) fullHessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	s := gr.skeleton
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
	s := gr.skeleton
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

// At writes g_m of some active points to g, points x kernels, row-major, by the numbers of the kernels.
// It must be used without a skeleton and without a centred linear kernel, so it is for kernels with
// gates.
func (gr *Gradient) At(points []int, g []float64) error {
	if gr.columns == nil {
		return gr.at(points, nil, g)
	}
	for _, p := range gr.columns.byColumn(points) {
		if err := gr.columns.views[p.column].at(p.points, p.at, g); err != nil {
			return err
		}
	}
	return nil
}

// Look sets combined to sum_m theta_m g_m at the points that sleep, for the dual variables alpha.
// It changes no gradient, and leaves the rest of combined as it is. It returns false if it would
// take about as many kernel values as Wake, and has done nothing then. After an error combined must
// not be used at the points that sleep.
func (gr *Gradient) Look(ctx context.Context, alpha, theta, combined []float64) (bool, error) {
	// Points of a Wake that was cut are nobody's: it has to be ended.
	if gr.now == gr.all {
		return false, nil
	}
	// A profile is made of all kernels, whose weights are not negative. Weights of the kept kernels,
	// which the gradients belong to, may be.
	own, kept := gr.lower(theta), gr.bank.Len()
	l := &look{
		alpha: alpha, theta: make([]float64, kept),
		whole: scaled{gr.whole, make([]float64, len(theta))},
		kept:  scaled{gr.bank, make([]float64, kept)},
	}
	for id, at := range gr.whole.Places() {
		l.whole.factor[at] = theta[id] * gr.whole.Factor(id)
	}
	for id, at := range gr.bank.Places() {
		l.theta[at], l.kept.factor[at] = own[id], own[id]*gr.bank.Factor(id)
	}
	return gr.look(ctx, l, combined)
}

// ColumnEnergies gives V_m of each column, [column][kernel], after the last Pass. It is nil of one
// column. The slice is the gradient's own.
func (gr *Gradient) ColumnEnergies() []float64 {
	if gr.columns == nil {
		return nil
	}
	return gr.columns.energies
}

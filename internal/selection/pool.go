package selection

import (
	"context"
	"slices"

	"bigmkl"
	"bigmkl/dataset"
)

// loaded is data that are open for trainings, with the kernels that the next training has.
type loaded struct {
	*bigmkl.HeldOut
	hands string // their specifications
}

// use prepares kernels for the next trainings, unless they are prepared already.
func (l *loaded) use(ctx context.Context, specs string) error {
	if specs == l.hands {
		return nil
	}
	l.hands = specs
	return l.UseKernels(ctx, specs)
}

// pool is all rows, or the rows of a trial, open for trainings on parts of them.
//
// shape is a model without weights. It turns decision values into labels as every model of the
// selection would.
type pool struct {
	data  *loaded       // nil before a trial is open
	shape *bigmkl.Model // has the meaning of decision values
	apart *apart        // holds rows out of everything; nil if the preparation is shared
	// narrow is true once a part of the memory or of the disk was too small for a lane.
	narrow bool
	// shared is the reason why the preparation is shared without a request.
	shared string
}

// opener opens rows for trainings.
type opener func(context.Context, dataset.Source, bigmkl.Options) (*bigmkl.HeldOut, error)

// openPool opens the rows of a source, and keeps them as they are read if they are to be held out of everything.
func openPool(ctx context.Context, src dataset.Source, o *Options, open opener) (*pool, error) {
	p := &pool{shared: o.sharedBecause()}
	if !o.SharedPreparation && p.shared == "" {
		spool, err := dataset.NewSpool(o.Training.Scratch)
		if err != nil {
			return nil, err
		}
		p.apart = &apart{spool: spool, open: open, training: o.Training, counts: o.CostBase != "", lists: slices.Clone(o.Banks)}
		// The spool copies the rows as they are read, so src is read once.
		src = &recorded{src, spool}
	}
	first := o.Training
	first.Kernels = o.Banks[0]
	h, err := open(ctx, src, first)
	if err != nil {
		p.apart.Close()
		return nil, err
	}
	p.hold(h, o.Banks[0])
	if p.apart != nil {
		p.apart.store = h.Store()
	}
	return p, nil
}

// hold takes data in the place of those that are open. Its caller has closed the data before.
func (p *pool) hold(h *bigmkl.HeldOut, specs string) { p.data, p.shape = &loaded{h, specs}, h.Shape() }

// closeFold frees the data without a fold, if they are open.
func (p *pool) closeFold() {
	if p.apart != nil && p.apart.data != nil {
		p.apart.data.Close()
		p.apart.data = nil
	}
}

// Close frees the data.
func (p *pool) Close() error {
	if p.data != nil {
		p.data.Close()
		p.data = nil
	}
	p.closeFold()
	return p.apart.Close()
}

// preparation names the rows from which scaling, widths and the like are prepared.
func (p *pool) preparation() Preparation {
	if p.apart != nil {
		return PreparedApart
	}
	return PreparedShared
}

// figures returns the figures of a training on the listed rows among the rows left out, both
// ascending.
func (p *pool) figures(held *bigmkl.Held, rows []int32, kept *keptValues) map[string]float64 {
	return figuresAt(p.shape, p.data.Store(), held, rows, kept)
}

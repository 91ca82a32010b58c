package dataset

import (
	"context"
	"errors"
)

// Build reads src up to StoreOptions.Limit rows or its end and packs the rows into a store. It does
// not close src. Rows of a Spool are read from it as often as need be, and rows of other sources
// once. If src is a PointSource and nothing is to be changed in its points, they are mapped in
// place of that. Faults of the options are of class fail.Usage and faults of the rows of class
// fail.Input. If memory or disk do not suffice, the error is a TooLarge or another one of class
// fail.Budget. The error of ctx is returned if it ends first.
func Build(ctx context.Context, src Source, o StoreOptions) (*Store, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	kind, _ := ParseScale(o.Scale)
	if kind == ScaleAuto && o.Sequences != Numbers {
		kind = ScaleNone
	}
	if o.Like != nil {
		o.Features, kind = o.Like.d, o.Like.scaling.Kind
		o.Layout = LayoutDense
		if o.Like.sparse {
			o.Layout = LayoutSparse
		}
	} else if p, err := pointsOf(ctx, src, o); err != nil {
		return nil, err
	} else if p != nil {
		b := &builder{ctx: ctx, memory: o.Memory}
		if err := b.adopt(p, o); err != nil {
			p.Close()
			return nil, err
		}
		return &b.store, nil
	}
	// Rows that can be read again are not copied.
	sp, from := &Spool{}, (*Spool)(nil)
	if again, ok := src.(*Spool); ok {
		if err := again.Rewind(); err != nil {
			return nil, err
		}
		from = again
	} else {
		var err error
		if sp, err = newSpool(o.Dir, o.Disk); err != nil {
			return nil, err
		}
		defer sp.Close()
		from = sp
	}
	b := &builder{ctx: ctx, spool: sp, from: from, memory: o.Memory, disk: o.Disk, flags: o.Flags}
	if o.Like != nil {
		b.impute = o.Like.scaling.Impute
	} else if Imputes(o.Impute) {
		b.impute = o.Impute
	}
	if err := b.collect(Limit(src, o.Limit), o); err != nil {
		return nil, err
	}
	if p, ok := src.(PointSource); ok {
		sp.width = max(sp.width, p.Width(sp.rows))
	}
	b.store.n, b.store.d, b.store.given = sp.rows, max(sp.width, o.Features), sp.width
	b.store.size = Size{Rows: b.store.n, Features: b.store.d, Nonzeros: sp.values,
		Spool: sp.size}
	if from != sp {
		b.store.size.Spool = 0
	}
	if o.Compact && o.Like == nil && o.Features == 0 {
		if err := b.findOccurring(); err != nil {
			return nil, err
		}
	}
	if need := readingBytes(b.store.n, b.store.d); b.memory > 0 && need > b.memory {
		err := b.tooLarge(kind, o.Layout)
		if large := (*TooLarge)(nil); errors.As(err, &large) {
			large.Memory, large.Limit = need, b.memory
		}
		return nil, err
	}
	if sp.dropped {
		return nil, b.tooLarge(kind, o.Layout)
	}
	if o.Like != nil {
		b.store.scaling = o.Like.scaling
		b.scaler = newScaler(&b.store.scaling, b.store.d)
	} else if err := b.learn(kind, o.Views); err != nil {
		return nil, err
	}
	if err := b.reserve(o.Dir, o.Layout); err != nil {
		return nil, err
	}
	if err := b.pack(); err != nil {
		b.store.Close()
		return nil, err
	}
	return &b.store, nil
}

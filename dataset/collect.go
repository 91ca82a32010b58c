package dataset

import (
	"bigmkl/internal/fail"
	"context"
	"io"
	"math"
)

const (
	interval = 2048 // rows between two looks at what they take
	few      = 32   // and between two at the context: a row may have a million numbers
)

// builder goes over the rows up to four times: from the source to the spool, where d becomes known; from the spool to learn
// the scaling, to count the non-zeros, and to write the points.
type builder struct {
	ctx    context.Context
	spool  *spool
	scaler *scaler
	store  Store
	memory int64 // see StoreOptions
	disk   int64 // bytes of scratch files, 0 is no limit
	short  bool  // of memory: rows are only counted
}

// collect reads the source into the spool, and labels and weights into the store. Weights are kept from the first that
// is not 1 on, which makes Weights nil if there is none.
func (b *builder) collect(src Source, o StoreOptions) error {
	classes, err := newClassTable(o.Positive, o.Labels)
	if err != nil {
		return err
	}
	s := &b.store
	for {
		n := b.spool.rows
		if err := b.cancelled(n); err != nil {
			return err
		}
		if n%interval == 0 && !b.short && b.memory > 0 && reading(n, 0) > b.memory {
			if err := b.drop(); err != nil {
				return err
			}
		}
		if b.short && reading(n, 0)/bomb > b.memory { // a stream may have no end
			return fail.New(fail.Budget, "%d points, of which there are more, take 12 bytes of memory each to be read, more than %d times the %d bytes that are allowed",
				n, bomb, b.memory).WithHint("count the rows, or take some by --limit")
		}
		r, err := src.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := r.check(); err != nil {
			return err
		}
		if err := o.Sequences.Check(&r); err != nil {
			return err
		}
		if n == math.MaxInt32 {
			return fail.New(fail.Budget, "more than %d rows", math.MaxInt32)
		}
		if err := b.label(&r, o.Labels, classes); err != nil {
			return err
		}
		if r.Weight == 0 {
			r.Weight = 1
		}
		if r.Weight != 1 && s.weights == nil && !b.short {
			s.weights = make([]float64, n, max(1024, 2*n))
			for i := range s.weights {
				s.weights[i] = 1
			}
		}
		if s.weights != nil {
			s.weights = append(s.weights, r.Weight)
		}
		if err := b.spool.write(&r); err != nil {
			return err
		}
	}
	if b.spool.rows == 0 {
		return fail.New(fail.Input, "no rows")
	}
	if s.labels != nil || len(classes.names) > 0 {
		s.classes, err = classes.finish(s.labels)
	}
	return err
}

// bomb is how many times more rows are counted than there is memory for.
const bomb = 64

// drop gives back what the rows take. From here on they are counted, so that it can be said what they would take.
func (b *builder) drop() error {
	b.short, b.store.labels, b.store.targets, b.store.weights = true, nil, nil, nil
	return b.spool.drop()
}

// label keeps what a row says beside its features.
func (b *builder) label(r *Row, labels Labeling, classes *classTable) error {
	s := &b.store
	switch labels {
	case Ignored:
		return nil
	case Targets:
		if math.IsNaN(r.Target) {
			return r.fault("the row has no target")
		}
		if !finite(r.Target) {
			return r.fault("the target is %v", r.Target)
		}
		if !b.short {
			s.targets = append(s.targets, r.Target)
		}
		return nil
	}
	if r.Label == "" {
		return r.fault("the row has no label")
	}
	id, err := classes.id(r.Label)
	if err != nil {
		return place(err, r)
	}
	if !b.short {
		s.labels = append(s.labels, id)
	}
	return nil
}

// reading is the memory that so many points and features take while they are read.
func reading(n, d int) int64 {
	// Per feature: the learner's count and two tables, mean and its sum, scaled zeros, a row. Per point: label and weight.
	return int64(d)*(4+2*8+4+8+8+8) + int64(n)*(4+8)
}

// each calls f for every row of the spool.
func (b *builder) each(f func(i int, r *Row) error) error {
	if err := b.spool.rewind(); err != nil {
		return err
	}
	for i := range b.store.n {
		if err := b.cancelled(i); err != nil {
			return err
		}
		r, err := b.spool.next()
		if err != nil {
			return err
		}
		if err := f(i, r); err != nil {
			return err
		}
	}
	return nil
}

// cancelled looks at the context every so many rows.
func (b *builder) cancelled(row int) error {
	if row%few != 0 {
		return nil
	}
	return b.ctx.Err()
}

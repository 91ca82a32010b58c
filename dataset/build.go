package dataset

import (
	"context"
	"errors"
	"io"
	"math"

	"bigmkl/internal/fail"
)

// StoreOptions say how rows become a store. The zero value stores all rows unscaled, with scratch files in the system's
// temporary folder.
type StoreOptions struct {
	Dir       string   // folder of the scratch files
	Scale     string   // kind of scaling to learn; "" is none
	Layout    Layout   // form of the points; "" is auto
	Features  int      // at least that many features, for views beyond the last non-zero
	Limit     int      // number of rows to take from the front; 0 is all
	Sequences Alphabet // of rows that are sequences, whose features have to be codes of it; not scaled
	Labels    Labeling // what labels are; "" is classes
	Positive  []string // labels that become class "1"; all others become "-1"
	Memory    int64    // refuse data that need more bytes of anonymous memory than this; 0 is no limit
	Disk      int64    // refuse data whose scratch files need more bytes than this with a TooLarge; 0 is no limit
}

// Validate lists every fault of the options.
func (o StoreOptions) Validate() error {
	var errs []error
	if _, err := ParseScale(o.Scale); err != nil {
		errs = append(errs, err)
	}
	if _, err := ParseLayout(string(o.Layout)); err != nil {
		errs = append(errs, err)
	}
	if _, err := ParseAlphabet(string(o.Sequences)); err != nil {
		errs = append(errs, err)
	}
	if kind, err := ParseScale(o.Scale); err == nil && kind != ScaleNone && o.Sequences != Numbers {
		errs = append(errs, fail.New(fail.Usage, "scaling %s of sequences: letters are not numbers", kind))
	}
	if o.Features < 0 || o.Features > math.MaxInt32 {
		errs = append(errs, fail.New(fail.Usage, "number of features %d is not between 0 and %d", o.Features, math.MaxInt32))
	}
	if o.Limit < 0 {
		errs = append(errs, fail.New(fail.Usage, "limit of %d rows is negative", o.Limit))
	}
	if o.Memory < 0 {
		errs = append(errs, fail.New(fail.Usage, "memory limit of %d bytes is negative", o.Memory))
	}
	if o.Disk < 0 {
		errs = append(errs, fail.New(fail.Usage, "disk limit of %d bytes is negative", o.Disk))
	}
	if err := o.Labels.validate(); err != nil {
		errs = append(errs, err)
	}
	if _, err := newClassTable(o.Positive, o.Labels); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

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

// Build reads src to its end (or to the limit) and packs it. It does not close src.
func Build(ctx context.Context, src Source, o StoreOptions) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	kind, _ := ParseScale(o.Scale)
	sp, err := newSpool(o.Dir, o.Disk)
	if err != nil {
		return nil, err
	}
	defer sp.close()
	b := &builder{ctx: ctx, spool: sp, memory: o.Memory, disk: o.Disk}
	if err := b.collect(Limit(src, o.Limit), o); err != nil {
		return nil, err
	}
	b.store.n, b.store.d = sp.rows, max(sp.width, o.Features)
	b.store.size = Size{Rows: b.store.n, Features: b.store.d, Nonzeros: sp.values, Spool: sp.bytes()}
	if need := reading(b.store.n, b.store.d); b.memory > 0 && need > b.memory {
		err := b.tooLarge(kind, o.Layout)
		if large := (*TooLarge)(nil); errors.As(err, &large) {
			large.Memory, large.Limit = need, b.memory
		}
		return nil, err
	}
	if sp.dropped {
		return nil, b.tooLarge(kind, o.Layout)
	}
	if err := b.learn(kind); err != nil {
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

// learn finds the scaling, in one pass over the spool.
func (b *builder) learn(kind string) error {
	s := &b.store
	s.scaling.Kind = kind
	if kind != ScaleNone {
		l := newLearner(kind, s.d)
		err := b.each(func(i int, r *Row) error {
			l.add(r.Index, r.Value)
			return nil
		})
		if err != nil {
			return err
		}
		if s.scaling, err = l.finish(s.n); err != nil {
			return err
		}
	}
	b.scaler = newScaler(&s.scaling, s.d)
	return nil
}

// pack writes the points and takes means and fingerprint on the way.
func (b *builder) pack() error {
	s, c := &b.store, b.scaler
	h := NewHasher(s.n, s.d)
	s.size.Nonzeros = 0
	err := b.each(func(i int, r *Row) error {
		if err := c.row(r); err != nil {
			return err
		}
		s.size.Nonzeros += int64(len(c.index))
		h.Row(c.index, c.value)
		if s.sparse {
			s.rows.put(i, c.index, c.value)
			return nil
		}
		panel, lane := s.Panel(i/PanelWidth), i%PanelWidth
		if lane == 0 {
			c.fill(panel, min(PanelWidth, s.n-i))
		}
		for k, j := range r.Index {
			panel[int(j)*PanelWidth+lane] = c.given[k]
		}
		return nil
	})
	if err != nil {
		return err
	}
	h.Targets(s.targets)
	s.mean, s.fingerprint = c.mean(s.n), h.Sum(s.labels, s.classes, s.weights)
	return nil
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

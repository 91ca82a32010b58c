package dataset

import (
	"context"
	"errors"
	"io"
	"math"

	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// StoreOptions say how rows become a store. The zero value stores all rows unscaled, with scratch files in the system's
// temporary folder.
type StoreOptions struct {
	Dir      string   // folder of the scratch files
	Scale    string   // kind of scaling to learn; "" is none
	Features int      // at least that many features, for views beyond the last non-zero
	Limit    int      // number of rows to take from the front; 0 is all
	Positive []string // labels that become class "1"; all others become "-1"
	Memory   int64    // refuse data that need more bytes of anonymous memory than this; 0 is no limit
}

// Validate lists every fault of the options.
func (o StoreOptions) Validate() error {
	var errs []error
	if _, err := ParseScale(o.Scale); err != nil {
		errs = append(errs, err)
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
	if _, err := newClassTable(o.Positive); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// interval is the number of rows between two looks at the context.
const interval = 2048

// builder goes over the rows three times: from the source to the spool, where d becomes known; from the spool to learn
// the scaling; from the spool to the panels. Only the second needs tables of d numbers, which therefore come after the
// disk has been reserved: data too wide for this machine are refused before they are allocated.
type builder struct {
	ctx   context.Context
	spool *spool
	store Store
}

// Build reads src to its end (or to the limit) and packs it. It does not close src.
func Build(ctx context.Context, src Source, o StoreOptions) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	kind, _ := ParseScale(o.Scale)
	sp, err := newSpool(o.Dir)
	if err != nil {
		return nil, err
	}
	defer sp.close()
	b := &builder{ctx: ctx, spool: sp}
	if err := b.collect(Limit(src, o.Limit), o.Positive); err != nil {
		return nil, err
	}
	b.store.n, b.store.d = sp.rows, max(sp.width, o.Features)
	if err := b.reserve(o.Dir, o.Memory); err != nil {
		return nil, err
	}
	if err = b.learn(kind); err == nil {
		err = b.pack()
	}
	if err != nil {
		b.store.Close()
		return nil, err
	}
	return &b.store, nil
}

// collect reads the source into the spool, and labels and weights into the store. Weights are kept from the first that
// is not 1 on, which makes Weights nil if there is none.
func (b *builder) collect(src Source, positive []string) error {
	classes, err := newClassTable(positive)
	if err != nil {
		return err
	}
	s := &b.store
	for {
		if err := b.cancelled(len(s.labels)); err != nil {
			return err
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
		if len(s.labels) == math.MaxInt32 {
			return fail.New(fail.Budget, "more than %d rows", math.MaxInt32)
		}
		if r.Label == "" {
			return r.fault("the row has no label")
		}
		id, err := classes.id(r.Label)
		if err != nil {
			return place(err, &r)
		}
		if r.Weight == 0 {
			r.Weight = 1
		}
		if r.Weight != 1 && s.weights == nil {
			s.weights = make([]float64, len(s.labels), max(1024, 2*len(s.labels)))
			for i := range s.weights {
				s.weights[i] = 1
			}
		}
		if s.weights != nil {
			s.weights = append(s.weights, r.Weight)
		}
		s.labels = append(s.labels, id)
		if err := b.spool.write(&r); err != nil {
			return err
		}
	}
	if len(s.labels) == 0 {
		return fail.New(fail.Input, "no rows")
	}
	s.classes, err = classes.finish(s.labels)
	return err
}

// reserve creates the scratch file of the panels.
func (b *builder) reserve(dir string, memory int64) error {
	s := &b.store
	// Per feature: the panel, the learner's count and two tables, mean and its sum, a row. Per point: label and weight.
	need := int64(s.d)*(PanelWidth*4+4+2*8+4+8+4) + int64(s.n)*(4+8)
	if memory > 0 && need > memory {
		return fail.New(fail.Budget, "%d points of %d features need %d bytes of memory, more than the %d allowed", s.n, s.d, need, memory)
	}
	size, err := panelBytes(s.n, s.d)
	if err != nil {
		return err
	}
	s.data, err = mmap.Create(dir, "bigmkl-points-*", size)
	if err != nil {
		return err
	}
	s.panels = mmap.View[float32](s.data)
	return nil
}

// learn finds the scaling, in one pass over the spool.
func (b *builder) learn(kind string) error {
	s := &b.store
	s.scaling.Kind = kind
	if kind == ScaleNone {
		return nil
	}
	l := newLearner(kind, s.d)
	err := b.each(func(i int, r *Row) error {
		l.add(r.Index, r.Value)
		return nil
	})
	if err == nil {
		s.scaling, err = l.finish(s.n)
	}
	return err
}

// pack writes the panels, one at a time, and takes means and fingerprint on the way.
func (b *builder) pack() error {
	s := &b.store
	size := s.d * PanelWidth
	// Outside the heap, where a size beyond this machine is an error and not the end of the process.
	buffer, err := mmap.Anonymous(int64(size) * 4)
	if err != nil {
		return err
	}
	defer buffer.Close()
	panel := mmap.View[float32](buffer)
	h := newHasher(s)
	// The mean is that of the rounded values, which is what centring subtracts it from. Rows add to sum only where they
	// differ from a scaled zero, which panel holds before they do.
	sum := make([]float64, s.d)
	err = b.each(func(i int, r *Row) error {
		lane := i % PanelWidth
		if lane == 0 {
			s.fillZero(panel, min(PanelWidth, s.n-i))
		}
		for k, j := range r.Index {
			v, ok := s.scaling.apply(int(j), r.Value[k])
			if !ok {
				return s.scaling.overflow(r, k)
			}
			at := int(j)*PanelWidth + lane
			sum[j] += float64(v) - float64(panel[at])
			panel[at] = v
		}
		h.row(panel, lane)
		if lane == PanelWidth-1 || i == s.n-1 {
			copy(s.Panel(i/PanelWidth), panel)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.mean = make([]float32, s.d)
	for j := range s.mean {
		s.mean[j] = float32(float64(s.scaling.zero(j)) + sum[j]/float64(s.n))
	}
	s.fingerprint = h.finish(s)
	return nil
}

// fillZero makes the first lanes of a panel rows of zeros, scaled, and the others plain zeros.
func (s *Store) fillZero(panel []float32, lanes int) {
	clear(panel)
	if len(s.scaling.Offset) == 0 {
		return
	}
	for j := range s.d {
		if z := s.scaling.zero(j); z != 0 {
			row := panel[j*PanelWidth:][:lanes]
			for i := range row {
				row[i] = z
			}
		}
	}
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
	if row%interval != 0 {
		return nil
	}
	return b.ctx.Err()
}

package dataset

import (
	"context"
	"io"
	"math"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

const (
	// memoryEvery is the number of rows between two checks of the memory that they take.
	memoryEvery = 2048
	// contextEvery is the number of rows between two checks of the context. It is small, because a
	// row may have a million numbers.
	contextEvery = 32
)

// builder goes over the rows up to four times: from the source to the spool, after which the number
// of features is known; and from the spool to learn the scaling, to count the non-zeros, and to
// write the points.
type builder struct {
	ctx context.Context
	// spool counts the rows, and from is what keeps them, which is another spool if the source is
	// one.
	spool, from *Spool
	// row is the row in hand of a pass.
	row    Row
	scaler *scaler
	store  Store
	// memory is StoreOptions.Memory.
	memory int64
	// disk is StoreOptions.Disk.
	disk int64
	// numbering is nil unless few of many features occur.
	numbering *numbering
	// short is true once the memory does not suffice. From then on rows are only counted.
	short bool
	// flags is StoreOptions.Flags.
	flags int
	// impute is the kind of imputation, empty if no value may be missing.
	impute string
}

// collect reads the source into the spool, and labels and weights into the store. It keeps weights
// only from the first one that is not 1, so weights stay nil if all are 1.
func (b *builder) collect(src Source, o StoreOptions) error {
	classes, err := newClassTable(o.Positive, o.Labels)
	if err != nil {
		return err
	}
	features := math.MaxInt
	if o.Like != nil {
		features = o.Like.d
	}
	if o.Like != nil && !o.NewClasses {
		classes.fix(o.Like.classes)
	}
	s := &b.store
	for {
		n := b.spool.rows
		if err := b.checkContext(n); err != nil {
			return err
		}
		if n%memoryEvery == 0 && !b.short && b.memory > 0 && readingBytes(n, 0) > b.memory {
			if err := b.drop(); err != nil {
				return err
			}
		}
		if b.short && readingBytes(n, 0)/countedBeyond > b.memory { // A stream may have no end.
			return fail.New(fail.Budget, "%d points, of which there are more, take 12 bytes of "+
				"memory each to be read, more than %d times the %d bytes that are allowed",
				n, countedBeyond, b.memory).WithHint("count the rows, or take some by --limit")
		}
		r, err := src.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := r.check(b.impute != ""); err != nil {
			return err
		}
		if last := len(r.Index); last > 0 && int(r.Index[last-1]) >= features {
			return r.fault("feature %d, but the rows before have only %d features",
				int64(r.Index[last-1])+1, features).
				WithHint("a view that ends at a feature declares it beforehand")
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
		if err := b.spool.Add(&r); err != nil {
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

// countedBeyond is how many times more rows are counted than there is memory for.
const countedBeyond = 64

// drop frees the memory and the disk space of the rows. From then on they are only counted, so the
// error can state how much memory they need.
func (b *builder) drop() error {
	b.short, b.store.responses = true, responses{}
	return b.spool.drop()
}

// label adds label or target of a row to the store.
func (b *builder) label(r *Row, labels Labeling, classes *classTable) error {
	s := &b.store
	switch labels {
	case Ignored:
		return nil
	case Targets, Times:
		what := map[Labeling]string{Targets: "target", Times: "time"}[labels]
		if math.IsNaN(r.Target) {
			return r.fault("the row has no %s", what).WithHint("%s", labeltext.MissingHint(labels == Times))
		}
		if !float.Finite(r.Target) || labels == Times && r.Target == 0 && r.Upper == 0 {
			return r.fault("the %s is %v", what, r.Target)
		}
		if r.Upper != 0 && (labels != Times || !(r.Target <= 0 && r.Upper > -r.Target) || !float.Finite(r.Upper)) {
			return r.fault("the %s is %v, with the upper bound %v", what, r.Target, r.Upper)
		}
		if !b.short {
			s.addTarget(r.Target, r.Upper)
		}
		return nil
	case Relevances:
		if err := r.checkRelevance(); err != nil {
			return err
		}
		if !b.short {
			s.targets = append(s.targets, r.Target)
		}
	}
	if r.Label == "" {
		return r.fault("the row has no label").WithHint("%s; --labels FILE has the label of each row", labeltext.MissingHint(false))
	}
	id, err := classes.id(r.Label)
	if err != nil {
		return setPlace(err, r)
	}
	if !b.short {
		s.labels = append(s.labels, id)
	}
	return nil
}

// readingBytes returns the bytes of memory that n points of d features take while they are read.
func readingBytes(n, d int) int64 {
	// A feature takes the count of the learner and its two tables, the mean and its sum, the scaled
	// zeros, and a row. A point takes label and weight.
	return int64(d)*(4+2*8+4+8+8+8) + int64(n)*(4+8)
}

// eachRow calls f for every row of the spool, in order.
func (b *builder) eachRow(f func(i int, r *Row) error) error {
	if err := b.from.Rewind(); err != nil {
		return err
	}
	for i := range b.store.n {
		if err := b.checkContext(i); err != nil {
			return err
		}
		var err error
		if b.row, err = b.from.Next(); err != nil {
			return err
		}
		if b.numbering != nil {
			if b.row, err = b.numbering.row(b.row); err != nil {
				return err
			}
		}
		if err := f(i, &b.row); err != nil {
			return err
		}
	}
	return nil
}

// checkContext returns the error of the context every few rows.
func (b *builder) checkContext(row int) error {
	if row%contextEvery != 0 {
		return nil
	}
	return b.ctx.Err()
}

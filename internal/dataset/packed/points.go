package packed

import (
	"context"
	"encoding/binary"
	"os"

	"bigmkl/dataset"
)

// Points maps the points of the file, or returns nil if it has none. It reads the labels, the means
// and, of points that are stored as their non-zeros, where the entries begin and their features.
// The rest is checked by Points.Check while it is in use.
func (s *Source) Points(ctx context.Context) (_ *dataset.Points, err error) {
	f := s.file
	if f.sections[meanSection] == nil || s.row > 0 {
		return nil, nil
	}
	p := &dataset.Points{Rows: f.meta.Rows, Features: f.meta.Features, Nonzeros: f.meta.Nonzeros,
		Digest: f.meta.Digest}
	if p.Map, err = f.mapped(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.Map.Close()
		}
	}()
	mean, err := f.readAll(f.sections[meanSection])
	if err != nil {
		return nil, err
	}
	p.Mean = make([]float32, p.Features)
	for j := range p.Mean {
		if p.Mean[j] = float32At(mean, j); p.Mean[j]-p.Mean[j] != 0 {
			return nil, f.damaged("the mean of feature %d is %v", j+1, p.Mean[j])
		}
	}
	if f.sections[panelsSection] != nil {
		p.Panels = viewOf[float32](f.container, p.Map, panelsSection)
	} else {
		if err := f.checkEntries(ctx); err != nil {
			return nil, err
		}
		p.Sparse = true
		p.Offset = viewOf[int64](f.container, p.Map, offsetSection)
		p.Index = viewOf[int32](f.container, p.Map, indexSection)
		p.Value = viewOf[float32](f.container, p.Map, valueSection)
	}
	if p.Label, err = s.labelsOf(); err != nil {
		return nil, err
	}
	// The source may be closed before the check ends, which therefore has a file of its own.
	again, err := openFile(f.path)
	if err != nil {
		return nil, err
	}
	again.info = f.info
	p.Check, p.Unchanged, p.File = again.check, again.end, again.f
	if now, err := again.f.Stat(); err != nil || !os.SameFile(now, f.info) {
		again.f.Close()
		return nil, f.damaged("another file has taken its name")
	}
	return p, nil
}

// labelsOf returns a function that gives the rows their labels, in order.
func (s *Source) labelsOf() (func(i int, row *dataset.Row) error, error) {
	f, column := s.file, (*stream)(nil)
	switch {
	case s.targets:
		column = f.stream(targetsSection)
	case f.sections[labelsSection] != nil:
		column = f.stream(labelsSection)
	}
	return func(i int, row *dataset.Row) error {
		*row = dataset.Row{File: f.path, Line: i + 1}
		s.labeler.Clear(row)
		if column == nil {
			return nil
		}
		if s.targets {
			b, err := column.bytes(8)
			if err != nil {
				return err
			}
			return s.setTarget(row, float64At(b, 0))
		}
		b, err := column.bytes(4)
		if err != nil {
			return err
		}
		return s.setLabel(row, int32(binary.LittleEndian.Uint32(b)))
	}, nil
}

// checkEntries reads offsets and indices, and checks that they stay within their arrays.
func (f *file) checkEntries(ctx context.Context) error {
	e := &entryRows{file: f, offset: f.stream(offsetSection), index: f.stream(indexSection)}
	return e.readAll(ctx)
}

// readAll reads all rows, which checks them.
func (r *entryRows) readAll(ctx context.Context) error {
	var row dataset.Row
	for i := range r.meta.Rows {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.next(i, &row); err != nil {
			return err
		}
	}
	return nil
}

// check compares the checksums of a part of the blocks of each section, and checks that values are finite and that the file is as
// it was. The order of the entries belongs to the whole file, and checked with it alone: of points that are mapped it is known.
func (f *file) check(ctx context.Context, share dataset.Share) error {
	for name, s := range f.sections {
		in := f.stream(name)
		var end int64
		for in.next, end = share.Of(int64(len(s.sums))); in.next < end; {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := in.readBlock(); err != nil {
				return err
			}
			if (name == panelsSection || name == valueSection) && !finite(in.left) {
				return f.damaged("a value of section %s is not finite", name)
			}
		}
	}
	if e, ok := f.newRows().(*entryRows); ok && share.Whole() {
		if err := e.readAll(ctx); err != nil {
			return err
		}
	}
	return f.end()
}

// finite reports whether bytes hold float32 numbers that are neither infinite nor NaN: such have an
// exponent of ones.
func finite(b []byte) bool {
	const exponent = 0x7f800000
	for ; len(b) >= 4; b = b[4:] {
		if binary.LittleEndian.Uint32(b)&exponent == exponent {
			return false
		}
	}
	return true
}

// Verify reads a packed store from its beginning to its end and compares it with its checksums.
func Verify(ctx context.Context, path string) error {
	f, err := openFile(path)
	if err != nil {
		return err
	}
	defer f.f.Close()
	return f.check(ctx, dataset.Share{})
}

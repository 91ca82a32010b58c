package convert

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/packed"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// pack writes a packed store. Its points are those that a training would make of the rows.
func (c *converter) pack(ctx context.Context) error {
	s := c.spool
	if s.rows.Rows() == 0 {
		return fail.New(fail.Input, "no rows")
	}
	content := &packed.Content{Rows: s.rows.Rows(), Features: s.width,
		Nonzeros: s.rows.Values(), Sequences: c.Sequences, Columns: c.Columns, Views: c.Views,
		Exact: s.exact, Offset: s.writeOffsets, Index: s.writeIndices, Value: s.writeValues}
	if s.labelled && c.isNumeric() && !s.intervals {
		content.Targets = s.writeTargets
	} else if s.labelled {
		places, err := s.places(ctx)
		if err != nil {
			return err
		}
		content.Words = make([]string, len(places))
		for word, place := range places {
			content.Words[place] = word
		}
		content.Labels = func(w io.Writer) error { return s.writePlaces(w, places) }
	}
	// A value that is too large or too small for a float32 makes no point, and a training has to
	// look at the rows, which it rejects or scales.
	if s.fits {
		points, err := dataset.Build(ctx, s.rows, dataset.StoreOptions{Dir: c.Dir,
			Features: s.width, Labels: dataset.Ignored})
		if err != nil {
			return err
		}
		defer points.Close()
		content.Points = points
	}
	return packed.Write(ctx, c.out, content)
}

// places returns the place of each label among the different ones.
func (s *spool) places(ctx context.Context) (map[string]int32, error) {
	in, err := s.words()
	if err != nil {
		return nil, err
	}
	places := map[string]int32{}
	for i := range s.rows.Rows() {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		word := in.next()
		if _, ok := places[word]; ok || word == "" {
			continue
		}
		if len(places) == dataset.MaxClasses {
			return nil, fail.New(fail.Input, "more than %d different labels", dataset.MaxClasses).
				WithHint("--kind-of-labels targets if they are numbers to predict; csv and npz hold any number of intervals")
		}
		places[word] = int32(len(places))
	}
	return places, in.err
}

// writePlaces writes the place of the label of each row, or -1 for a row without one.
func (s *spool) writePlaces(w io.Writer, places map[string]int32) error {
	in, err := s.words()
	if err != nil {
		return err
	}
	for range s.rows.Rows() {
		place := int32(-1)
		if word := in.next(); word != "" {
			place = places[word]
		}
		if in.err != nil {
			return in.err
		}
		if err := put(w, uint64(uint32(place)), 4); err != nil {
			return err
		}
	}
	return nil
}

// writeTargets writes the target of each row, or NaN for a row without one.
func (s *spool) writeTargets(w io.Writer) error {
	in, err := s.words()
	if err != nil {
		return err
	}
	for range s.rows.Rows() {
		target, err := strconv.ParseFloat(in.next(), 64)
		if err != nil { // The row has none.
			target = math.NaN()
		}
		if in.err != nil {
			return in.err
		}
		if err := put(w, math.Float64bits(target), 8); err != nil {
			return err
		}
	}
	return nil
}

// writeOffsets writes where the entries of each row begin, and where the last ones end.
func (s *spool) writeOffsets(w io.Writer) error {
	at := uint64(0)
	if err := put(w, at, 8); err != nil {
		return err
	}
	return s.eachRow(func(r *dataset.Row) error {
		at += uint64(len(r.Index))
		return put(w, at, 8)
	})
}

// writeIndices writes the features of all entries.
func (s *spool) writeIndices(w io.Writer) error {
	return s.eachRow(func(r *dataset.Row) error {
		_, err := w.Write(mmap.Bytes(r.Index))
		return err
	})
}

// writeValues writes the values of all entries.
func (s *spool) writeValues(w io.Writer) error {
	return s.eachRow(func(r *dataset.Row) error {
		_, err := w.Write(mmap.Bytes(r.Value))
		return err
	})
}

// put writes the low bytes of a number.
func put(w io.Writer, x uint64, bytes int) error {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	_, err := w.Write(b[:bytes])
	return err
}

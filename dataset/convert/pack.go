package convert

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/dataset/packed"
	"bigmkl/internal/fail"
)

// pack writes a packed store. Its points are those that a training would make of the rows, so that
// they go through another scratch file.
func (c *converter) pack(ctx context.Context) error {
	s := c.spool
	if s.rows == 0 {
		return fail.New(fail.Input, "no rows")
	}
	content := &packed.Content{Rows: s.rows, Features: s.width, Nonzeros: s.total,
		Sequences: c.Sequences, Columns: c.Columns, Views: c.Views, Exact: s.exact,
		Offset: s.writeOffsets, Index: s.copy(indices), Value: s.copy(values)}
	if s.labelled && c.Labels == dataset.Targets {
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
	// look at the rows, which it refuses or scales.
	if s.fits {
		src, err := s.source()
		if err != nil {
			return err
		}
		points, err := dataset.Build(ctx, src, dataset.StoreOptions{Dir: c.Dir,
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
	in, err := s.read(labels)
	if err != nil {
		return nil, err
	}
	places := map[string]int32{}
	for i := range s.rows {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		word := in.word()
		if _, ok := places[word]; ok || word == "" {
			continue
		}
		if len(places) == dataset.MaxClasses {
			return nil, fail.New(fail.Input, "more than %d different labels", dataset.MaxClasses).
				WithHint("--kind-of-labels targets if they are numbers to predict")
		}
		places[word] = int32(len(places))
	}
	return places, in.err
}

// writePlaces writes the place of the label of each row, or -1 for a row without one.
func (s *spool) writePlaces(w io.Writer, places map[string]int32) error {
	in, err := s.read(labels)
	if err != nil {
		return err
	}
	for range s.rows {
		place := int32(-1)
		if word := in.word(); word != "" {
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
	in, err := s.read(labels)
	if err != nil {
		return err
	}
	for range s.rows {
		target, err := strconv.ParseFloat(in.word(), 64)
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
	in, err := s.read(counts)
	if err != nil {
		return err
	}
	at := uint64(0)
	for i := 0; ; i++ {
		if err := put(w, at, 8); err != nil || i == s.rows {
			return err
		}
		if at += in.number(8); in.err != nil {
			return in.err
		}
	}
}

// copy returns what copies a column.
func (s *spool) copy(column int) func(w io.Writer) error {
	return func(w io.Writer) error {
		in, err := s.read(column)
		if err == nil {
			_, err = io.Copy(w, in)
		}
		return err
	}
}

// put writes the low bytes of a number.
func put(w io.Writer, x uint64, bytes int) error {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	_, err := w.Write(b[:bytes])
	return err
}

// source returns a source of the rows of a spool without their labels.
func (s *spool) source() (dataset.Source, error) {
	r := &spoolSource{spool: s}
	for column, to := range map[int]**column{counts: &r.counts, indices: &r.indices,
		values: &r.values} {
		var err error
		if *to, err = s.read(column); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// spoolSource yields the rows of a spool.
type spoolSource struct {
	spool                   *spool
	counts, indices, values *column
	row                     int
	index                   []int32
	value                   []float64
}

// Next returns the next row, or io.EOF.
func (r *spoolSource) Next() (dataset.Row, error) {
	if r.row == r.spool.rows {
		return dataset.Row{}, io.EOF
	}
	r.row++
	r.index, r.value = r.index[:0], r.value[:0]
	for range r.counts.number(8) {
		r.index = append(r.index, int32(r.indices.number(4)))
		r.value = append(r.value, math.Float64frombits(r.values.number(8)))
		if r.values.err != nil {
			break
		}
	}
	for _, c := range []*column{r.counts, r.indices, r.values} {
		if c.err != nil {
			return dataset.Row{}, c.err
		}
	}
	return dataset.Row{Index: r.index, Value: r.value, Line: r.row}, nil
}

package table

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

const (
	// headSize is the number of bytes that are looked at for the separator.
	headSize = 64 << 10
	// readAhead is the number of bytes that are read at once.
	readAhead = 64 << 10
)

// records cuts a stream into records.
type records struct {
	*cutter
	stream *dataset.Stream
	guard  *guard
}

// newRecords returns the records of a stream. A separator of 0 is told by the first line.
func newRecords(s *dataset.Stream, separator byte) (*records, error) {
	head := make([]byte, headSize)
	n, err := io.ReadFull(s, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	// Spreadsheets begin text with a mark of its encoding, which is not part of the first name.
	head = bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf"))
	if separator == 0 {
		separator = cmp.Or(dataset.SeparatorOf(head), ',')
	}
	g := &guard{from: io.MultiReader(bytes.NewReader(head), s), stream: s, separator: separator}
	return cutRecords(g), nil
}

func cutRecords(g *guard) *records {
	return &records{newCutter(g, g.separator), g.stream, g}
}

// again returns the records of other bytes that begin as the bytes of r did.
func (r *records) again(from io.Reader) *records {
	return cutRecords(&guard{from: from, stream: r.stream, separator: r.guard.separator})
}

// next returns the next record, which is valid until the following call, or io.EOF.
func (r *records) next() ([]string, error) {
	record, err := r.read()
	if r.guard.err != nil && err != nil {
		line, _ := r.place(0)
		if e := (*fail.Error)(nil); errors.As(r.guard.err, &e) && e.File == "" {
			return nil, e.At(r.stream.Name(), line, 0)
		}
		return nil, r.guard.err
	}
	// What was read ahead of this record counts for none, which is why the guard allows for it.
	r.guard.since, r.guard.separators = 0, 0
	var fault *csv.ParseError
	if errors.As(err, &fault) {
		e := fail.New(fail.Input, "%v", fault.Err).At(r.stream.Name(), fault.Line, fault.Column)
		if errors.Is(err, csv.ErrBareQuote) || errors.Is(err, csv.ErrQuote) {
			return nil, e.WithHint(`a quote within quotes is written twice, as in "a ""b"""`)
		}
		return nil, e
	}
	return record, err
}

// fault returns an error at a field of the latest record.
func (r *records) fault(field int, format string, args ...any) *fail.Error {
	line, column := r.place(field)
	return fail.New(fail.Input, format, args...).At(r.stream.Name(), line, column)
}

// guard passes a stream on. It fails where a record is too long or has too many fields, before they
// take memory, and at a NUL byte.
type guard struct {
	from      io.Reader
	stream    *dataset.Stream
	separator byte
	// since and separators count the bytes and the separators since the latest record. Both include
	// what was read ahead.
	since, separators int
	// err is the error that ended the stream, unless it was io.EOF.
	err error
}

var _ io.Reader = (*guard)(nil)

// Read reads from the stream.
func (g *guard) Read(p []byte) (int, error) {
	n, err := g.from.Read(p)
	g.since += n
	g.separators += bytes.Count(p[:n], []byte{g.separator})
	switch most := g.stream.MostAtOnce(); {
	case bytes.IndexByte(p[:n], 0) >= 0:
		err = fail.New(fail.Input, "NUL byte").
			WithHint("the data are text, plain or compressed by gzip or zstd")
	case g.since > most+readAhead:
		err = fail.New(fail.Input, "row longer than %d bytes", most).
			WithHint("a quote that is not closed?")
	case g.separators > dataset.MaxColumns+readAhead:
		err = fail.New(fail.Input, "more than %d columns", dataset.MaxColumns)
	}
	if err != nil && err != io.EOF {
		g.err = err
		return 0, err
	}
	return n, err
}

package convert

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/internal/files"
)

// These are the columns of a spool.
const (
	counts = iota // a row's number of values, in 8 bytes
	indices
	values
	labels // a label's length, in 4 bytes, and its bytes
	spools
)

// spool keeps rows in scratch files, one for each column.
type spool struct {
	file [spools]*files.File
	out  [spools]*bufio.Writer
	rows int
	// width is the number of columns, and total that of all values.
	width int
	total int64
	// labelled is true once a row had a label. As long as integers is true, all labels are
	// integers.
	labelled, integers bool
	// As long as exact is true, all values are float32. As long as fits is true, none is beyond the
	// range of a float32 or becomes zero as one.
	exact, fits bool
	// longest is the largest number of letters of a label.
	longest int
	// err is the first error of a write.
	err error
}

func newSpool(dir string) (*spool, error) {
	s := &spool{integers: true, exact: true, fits: true}
	for k := range s.file {
		f, err := files.CreateScratch(dir, "bigmkl-rows-*")
		if err != nil {
			s.close()
			return nil, err
		}
		s.file[k], s.out[k] = f, bufio.NewWriterSize(f, 64<<10)
	}
	return s, nil
}

// add appends a row. A value of zero is no entry.
func (s *spool) add(row *dataset.Row, label string) error {
	s.rows++
	if n := len(row.Index); n > 0 {
		s.width = max(s.width, int(row.Index[n-1])+1)
	}
	s.labelled = s.labelled || label != ""
	s.longest = max(s.longest, len([]rune(label)))
	if s.integers {
		_, err := strconv.ParseInt(label, 10, 64)
		s.integers = err == nil
	}
	entries := uint64(0)
	for k, j := range row.Index {
		v := row.Value[k]
		if v == 0 {
			continue
		}
		entries++
		s.exact = s.exact && dataset.Exact(v)
		s.fits = s.fits && float32(v) != 0 && !math.IsInf(float64(float32(v)), 0)
		s.put(indices, uint64(j), 4)
		s.put(values, math.Float64bits(v), 8)
	}
	s.total += int64(entries)
	s.put(counts, entries, 8)
	s.put(labels, uint64(len(label)), 4)
	if _, err := s.out[labels].WriteString(label); err != nil && s.err == nil {
		s.err = err
	}
	if s.err != nil {
		return files.OwnFault("cannot write the scratch file", s.file[0].Name(), s.err)
	}
	return nil
}

// put appends the low bytes of a number to a column.
func (s *spool) put(column int, x uint64, bytes int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	if _, err := s.out[column].Write(b[:bytes]); err != nil && s.err == nil {
		s.err = err
	}
}

// read returns a column from its beginning.
func (s *spool) read(column int) (*column, error) {
	f := s.file[column]
	err := s.out[column].Flush()
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, files.OwnFault("cannot read the scratch file", f.Name(), err)
	}
	return newColumn(f), nil
}

func (s *spool) close() {
	for _, f := range s.file {
		if f != nil {
			f.Close()
		}
	}
}

// column reads a column of a spool.
type column struct {
	*bufio.Reader
	name string
	err  error
}

func newColumn(f *files.File) *column {
	return &column{Reader: bufio.NewReaderSize(f, 64<<10), name: f.Name()}
}

// number returns the next number of so many bytes. Err has the error that there may have been.
func (c *column) number(bytes int) uint64 {
	var b [8]byte
	if _, err := io.ReadFull(c, b[:bytes]); err != nil && c.err == nil {
		c.err = files.OwnFault("cannot read the scratch file", c.name, err)
	}
	return binary.LittleEndian.Uint64(b[:])
}

// word returns the next label.
func (c *column) word() string {
	b := make([]byte, c.number(4))
	if _, err := io.ReadFull(c, b); err != nil && c.err == nil {
		c.err = files.OwnFault("cannot read the scratch file", c.name, err)
	}
	return string(b)
}

package convert

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"strconv"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/files"
	"bigmkl/internal/float"
)

// spool keeps rows and their labels in scratch files.
type spool struct {
	rows *dataset.Spool
	// labels has the labels, each with its length in 4 bytes before it.
	labels *files.File
	out    *bufio.Writer
	// width is the number of columns, of which the last ones may have no entry.
	width int
	// labelled is true once a row had a label. As long as integers is true, all labels are
	// integers.
	labelled, integers bool
	// intervals is true once a label may be an interval and no number.
	intervals bool
	// As long as exact is true, all values are float32. As long as fits is true, none is beyond the
	// range of a float32 or becomes zero as one.
	exact, fits bool
	// longest is the largest number of letters of a label.
	longest int
	// index and value hold the entries of a row.
	index []int32
	value []float64
}

func newSpool(dir string) (*spool, error) {
	s := &spool{integers: true, exact: true, fits: true}
	var err error
	if s.rows, err = dataset.NewSpool(dir); err != nil {
		return nil, err
	}
	if s.labels, err = files.CreateScratch(dir, "bigmkl-labels-*"); err != nil {
		s.rows.Close()
		return nil, err
	}
	s.out = bufio.NewWriterSize(s.labels, 64<<10)
	return s, nil
}

// add appends a row. A value of zero is not an entry.
func (s *spool) add(row *dataset.Row, label string) error {
	if n := len(row.Index); n > 0 {
		s.width = max(s.width, int(row.Index[n-1])+1)
	}
	s.labelled = s.labelled || label != ""
	s.longest = max(s.longest, len([]rune(label)))
	s.intervals = s.intervals || strings.Contains(label, "..")
	if s.integers {
		_, err := strconv.ParseInt(label, 10, 64)
		s.integers = err == nil
	}
	s.index, s.value = s.index[:0], s.value[:0]
	for k, v := range row.Value {
		if v == 0 {
			continue
		}
		s.exact = s.exact && float.Single(v)
		s.fits = s.fits && float32(v) != 0 && !math.IsInf(float64(float32(v)), 0)
		s.index, s.value = append(s.index, row.Index[k]), append(s.value, v)
	}
	if err := s.rows.Add(&dataset.Row{Index: s.index, Value: s.value,
		Line: s.rows.Rows() + 1}); err != nil {
		return err
	}
	var length [4]byte
	binary.LittleEndian.PutUint32(length[:], uint32(len(label)))
	s.out.Write(length[:]) // A bufio.Writer keeps its first error.
	if _, err := s.out.WriteString(label); err != nil {
		return files.OwnFault("cannot write the scratch file", s.labels.Name(), err)
	}
	return nil
}

// eachRow calls f for each row, in order. The error of f ends it.
func (s *spool) eachRow(f func(r *dataset.Row) error) error {
	if err := s.rows.Rewind(); err != nil {
		return err
	}
	for range s.rows.Rows() {
		r, err := s.rows.Next()
		if err != nil {
			return err
		}
		if err := f(&r); err != nil {
			return err
		}
	}
	return nil
}

// words returns the labels from the first one.
func (s *spool) words() (*words, error) {
	err := s.out.Flush()
	if err == nil {
		_, err = s.labels.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, files.OwnFault("cannot read the scratch file", s.labels.Name(), err)
	}
	return &words{in: bufio.NewReaderSize(s.labels, 64<<10), name: s.labels.Name()}, nil
}

func (s *spool) close() {
	s.rows.Close()
	s.labels.Close()
}

// words reads the labels of a spool.
type words struct {
	in   *bufio.Reader
	name string
	err  error
}

// next returns the next label. Err has the error that there may have been.
func (w *words) next() string {
	var length [4]byte
	_, err := io.ReadFull(w.in, length[:])
	b := []byte(nil)
	if err == nil {
		b = make([]byte, binary.LittleEndian.Uint32(length[:]))
		_, err = io.ReadFull(w.in, b)
	}
	if err != nil && w.err == nil {
		w.err = files.OwnFault("cannot read the scratch file", w.name, err)
	}
	return string(b)
}

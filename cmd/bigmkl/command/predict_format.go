package command

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"bigmkl/dataset"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/model"
)

// predictionFormat writes predicted rows in their order.
type predictionFormat interface {
	write(c *cells) error
	flush() error
}

// newFormat returns the format that the flags ask for, and the rows whose predictions it writes.
func (p *predictCommand) newFormat(m *model.Model, src dataset.Source, to io.Writer) (predictionFormat, dataset.Source) {
	if p.csv {
		rows := &namedSource{Source: src}
		return &csvFormat{out: csv.NewWriter(to), columns: p.nameColumns(m), rows: rows}, rows
	}
	out := bufio.NewWriterSize(to, 1<<16)
	// The line names the order of the probabilities, as the program of LIBSVM does.
	if p.options.Probability && m.Sigmoids != nil {
		fmt.Fprintf(out, "labels %s\n", strings.Join(score.ClassNames(m), " "))
	}
	return textFormat{out}, src
}

// textFormat writes a line for each row, whose cells are separated by blanks.
type textFormat struct{ *bufio.Writer }

func (f textFormat) write(c *cells) error {
	c.text[len(c.text)-1] = '\n' // Each cell ends with a blank, the last one too.
	_, err := f.Write(c.text)
	return err
}

func (f textFormat) flush() error { return f.Flush() }

// csvFormat writes a table with a header. Its first columns have the names of the rows, as far as
// their first row has such columns.
type csvFormat struct {
	out     *csv.Writer
	columns []string
	rows    *namedSource
	// naming lists the columns with names. It is nil before the header is written.
	naming []string
	record []string
}

func (f *csvFormat) write(c *cells) error {
	if err := f.begin(); err != nil {
		return err
	}
	words := f.rows.take()
	f.record = f.record[:0]
	// A further file may have these columns in another order, or may lack one.
	for _, column := range f.naming {
		k := slices.IndexFunc(words, func(name [2]string) bool { return name[0] == column })
		word := ""
		if k >= 0 {
			word = words[k][1]
		}
		f.record = append(f.record, word)
	}
	f.record = c.appendTo(f.record)
	return f.out.Write(f.record)
}

// begin writes the header before the first row.
func (f *csvFormat) begin() error {
	if f.naming != nil {
		return nil
	}
	f.naming = f.rows.columns()
	return f.out.Write(slices.Concat(f.naming, f.columns))
}

func (f *csvFormat) flush() error {
	if err := f.begin(); err != nil {
		return err
	}
	f.out.Flush()
	return f.out.Error()
}

// namedSource keeps the names of rows until their predictions are written. Predictions come in the order of
// the rows, some batches later, so it has the names of a few batches. Rows and predictions may be of
// different goroutines.
type namedSource struct {
	dataset.Source
	mu    sync.Mutex
	names [][][2]string
	first [][2]string
	rows  int
}

// Next returns the next row.
func (s *namedSource) Next() (dataset.Row, error) {
	row, err := s.Source.Next()
	if err != nil {
		return row, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	named := dataset.Row{Names: row.Names} // The features of a row are not kept.
	copied := named.Clone().Names
	if s.rows++; s.rows == 1 {
		s.first = copied
	}
	s.names = append(s.names, copied)
	return row, nil
}

// take removes the names of the row whose prediction is written next.
func (s *namedSource) take() [][2]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.names[0]
	s.names = s.names[1:]
	return next
}

// columns returns the columns that the first row has names in. The list is not nil.
func (s *namedSource) columns() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	columns := []string{}
	for _, n := range s.first {
		columns = append(columns, n[0])
	}
	return columns
}

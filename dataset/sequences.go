package dataset

import (
	"bytes"
	"io"
)

// sequences turns text into rows of letters, one file after the other. A file whose first line
// begins with > is FASTA:
//
//	>name label=1 anything
//	GATTACA
//	GATTACA
//
// The sequence of a record is all lines up to the next header without their blanks. Its label is a
// word label=.. of the header, which may be missing. Other files have a label and a sequence in
// each line, or a sequence alone:
//
//	1 GATTACAGATTACA
//
// Empty lines are skipped. So are lines that begin with # in files that are not FASTA.
type sequences struct {
	alphabet Alphabet
	index    []int32 // index holds the positions of the row, and value the codes of its letters.
	value    []float64
	parser   *parser // parser parses the labels.
	started  bool    // started is true once a line of this file has been read.
	fasta    bool    // fasta is true if the first line of this file was a header.
	open     bool    // open is true while a record is being read.
	record   Row     // record holds place and label of the record that is open.
	err      error   // err is the fault of a header, which is returned after the record before it.
}

// next sets row to the next sequence of a file, or returns io.EOF after the last one.
func (s *sequences) next(t *text, row *Row) error {
	s.index, s.value = s.index[:0], s.value[:0]
	if s.err != nil {
		return s.err
	}
	for {
		line, err := t.next()
		if err == io.EOF && s.open {
			return s.finish(row)
		}
		if err != nil {
			s.started, s.fasta = false, false
			return err
		}
		start := skipBlanks(line, 0)
		if start == len(line) {
			continue
		}
		if !s.started {
			s.started, s.fasta = true, line[start] == '>'
		}
		switch {
		case !s.fasta && line[start] == '#':
		case !s.fasta:
			row.File, row.Line = t.name, t.number
			return setPlace(s.column(line, start, row), row)
		case line[start] == '>':
			if !s.open {
				if err := s.header(t, line); err != nil {
					return err
				}
				continue
			}
			err := s.finish(row)
			// A fault belongs to the next record, because this one is whole.
			s.err = s.header(t, line)
			return err
		default:
			if err := s.add(line); err != nil {
				return setPlace(err, &Row{File: t.name, Line: t.number})
			}
		}
	}
}

// header begins a record with its header.
func (s *sequences) header(t *text, line []byte) error {
	s.open, s.record.File, s.record.Line = true, t.name, t.number
	s.parser.clearLabel(&s.record)
	for i := 0; i < len(line); {
		i = skipBlanks(line, i)
		end := tokenEnd(line, i)
		if bytes.HasPrefix(line[i:end], []byte("label=")) {
			return setPlace(s.parser.label(line, i+len("label="), end, &s.record), &s.record)
		}
		i = end
	}
	return nil
}

// finish copies the record that is open to row.
func (s *sequences) finish(row *Row) error {
	row.File, row.Line, row.Label, row.Target, row.Upper = s.record.File, s.record.Line, s.record.Label,
		s.record.Target, s.record.Upper
	row.Index, row.Value = s.index, s.value
	s.open = false
	if len(s.index) == 0 {
		return row.fault("a record without a sequence")
	}
	return nil
}

// column reads a line of a label and a sequence.
func (s *sequences) column(line []byte, start int, row *Row) (err error) {
	end := tokenEnd(line, start)
	from := skipBlanks(line, end)
	s.parser.clearLabel(row)
	if from < len(line) {
		if err := s.parser.label(line, start, end, row); err != nil {
			return err
		}
		start, end = from, tokenEnd(line, from)
		if more := skipBlanks(line, end); more < len(line) {
			return badToken(line, more, "%s after the sequence: a line is a label and a sequence",
				clip(line[more:tokenEnd(line, more)]))
		}
	}
	s.index, s.value, err = s.alphabet.Sequence(line[start:end], s.index, s.value)
	row.Index, row.Value = s.index, s.value
	return shiftColumn(err, start)
}

// add appends a line of a record to its sequence. The line may contain blanks.
func (s *sequences) add(line []byte) (err error) {
	for i := skipBlanks(line, 0); i < len(line) && err == nil; {
		end := tokenEnd(line, i)
		s.index, s.value, err = s.alphabet.Sequence(line[i:end], s.index, s.value)
		err = shiftColumn(err, i)
		i = skipBlanks(line, end)
	}
	return err
}

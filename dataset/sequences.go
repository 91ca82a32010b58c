package dataset

import (
	"bytes"
	"io"
)

// sequences turns text into rows of letters, one file after the other. A file whose first line begins with > is FASTA:
//
//	>name label=1 anything
//	GATTACA
//	GATTACA
//
// where a record's sequence is all lines up to the next header, less blanks, and its label a word label=.. of the header, which
// may be missing. Other files have a label and a sequence in each line, or a sequence alone:
//
//	1 GATTACAGATTACA
//
// Lines that are empty, or there begin with #, do not count.
type sequences struct {
	alphabet Alphabet
	index    []int32 // of the row: positions and codes
	value    []float64
	parser   *parser // of labels
	started  bool    // a line of this file has been seen
	fasta    bool    // it was a header
	open     bool    // a record has begun
	record   Row     // with its place and its label
	err      error   // of a header, to be returned after the record before it
}

// next gives the next row of a file, io.EOF after the last one.
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
			return place(s.column(line, start, row), row)
		case line[start] == '>':
			if !s.open {
				if err := s.header(t, line); err != nil {
					return err
				}
				continue
			}
			err := s.finish(row)
			s.err = s.header(t, line) // of the next record: this one is whole
			return err
		default:
			if err := s.add(line); err != nil {
				return place(err, &Row{File: t.name, Line: t.number})
			}
		}
	}
}

// header begins a record.
func (s *sequences) header(t *text, line []byte) error {
	s.open, s.record.File, s.record.Line = true, t.name, t.number
	s.parser.unlabel(&s.record)
	for i := 0; i < len(line); {
		i = skipBlanks(line, i)
		end := tokenEnd(line, i)
		if bytes.HasPrefix(line[i:end], []byte("label=")) {
			return place(s.parser.label(line, i+len("label="), end, &s.record), &s.record)
		}
		i = end
	}
	return nil
}

// finish ends the record that is open.
func (s *sequences) finish(row *Row) error {
	row.File, row.Line, row.Label, row.Target = s.record.File, s.record.Line, s.record.Label, s.record.Target
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
	s.parser.unlabel(row)
	if from < len(line) {
		if err := s.parser.label(line, start, end, row); err != nil {
			return err
		}
		start, end = from, tokenEnd(line, from)
		if more := skipBlanks(line, end); more < len(line) {
			return badToken(line, more, "%s after the sequence: a line is a label and a sequence", clip(line[more:tokenEnd(line, more)]))
		}
	}
	s.index, s.value, err = s.alphabet.Sequence(line[start:end], s.index, s.value)
	row.Index, row.Value = s.index, s.value
	return moved(err, start)
}

// add takes a line of a record, whose words are one sequence.
func (s *sequences) add(line []byte) (err error) {
	for i := skipBlanks(line, 0); i < len(line) && err == nil; {
		end := tokenEnd(line, i)
		s.index, s.value, err = s.alphabet.Sequence(line[i:end], s.index, s.value)
		err = moved(err, i)
		i = skipBlanks(line, end)
	}
	return err
}

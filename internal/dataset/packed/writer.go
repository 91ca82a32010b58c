package packed

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"

	"github.com/cespare/xxhash/v2"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/datahash"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// Content is what a packed store holds.
type Content struct {
	Rows, Features int
	Nonzeros       int64
	Sequences      dataset.Alphabet
	Columns        *dataset.Columns
	Views          []dataset.View
	// Words are the different labels, and Labels writes the place of each row's among them as an
	// int32, or -1. Targets writes a float64 for each row in their place. Without labels both are
	// nil.
	Words           []string
	Labels, Targets func(w io.Writer) error
	// Points are the rows as they are stored if nothing scales them. They are nil if a value does
	// not fit a float32.
	Points *dataset.Store
	// Exact is true if all values are float32, so the points hold all about the rows. Offset, Index
	// and Value write the entries of the rows otherwise: the int64 of where a row begins, for all
	// rows and their end, and an int32 and a float64 for each entry.
	Exact                bool
	Offset, Index, Value func(w io.Writer) error
}

// Write writes a packed store to w, from its first byte to its last. It ends when ctx is done.
func Write(ctx context.Context, w io.Writer, c *Content) error {
	p := &writer{ctx: ctx, to: w}
	p.Write(head())
	m := meta{Rows: c.Rows, Features: c.Features, Nonzeros: c.Nonzeros, Words: len(c.Words),
		Sequences: c.Sequences, Columns: c.Columns, Views: c.Views}
	h := datahash.New(c.Rows, c.Features)
	if c.Points != nil {
		eachPoint(c.Points, h.Row)
	}
	m.Digest = h.State()
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(text) > maxMeta {
		return fail.New(fail.Input, "names of columns and views take more than %d bytes", maxMeta)
	}
	p.section(metaSection, bytesOf(text))
	if c.Targets != nil {
		p.section(targetsSection, c.Targets)
	} else if c.Labels != nil {
		p.section(wordsSection, wordsOf(c.Words))
		p.section(labelsSection, c.Labels)
	}
	entries := !c.Exact || c.Points == nil
	if s := c.Points; s != nil {
		p.section(meanSection, bytesOf(mmap.Bytes(s.Mean())))
		if s.Sparse() {
			entries = true
			p.section(valueSection, func(w io.Writer) error {
				for i := range s.Len() {
					_, value := s.Nonzeros(i)
					if _, err := w.Write(mmap.Bytes(value)); err != nil {
						return err
					}
				}
				return nil
			})
		} else {
			entries = entries || !readable(c.Features)
			p.section(panelsSection, func(w io.Writer) error {
				for k := range s.Panels() {
					if _, err := w.Write(mmap.Bytes(s.Panel(k))); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	if entries {
		p.section(offsetSection, c.Offset)
		p.section(indexSection, c.Index)
		if !c.Exact || c.Points == nil || !c.Points.Sparse() {
			p.section(exactSection, c.Value)
		}
	}
	offset := p.at
	table := appendTable(nil, p.sections)
	p.Write(table)
	p.Write(foot(table, offset))
	return p.err
}

// eachPoint gives the features of each point that are not zero, and their values.
func eachPoint(s *dataset.Store, f func(index []int32, value []float32)) {
	var index []int32
	var value []float32
	row := make([]float32, 0)
	for i := range s.Len() {
		if s.Sparse() {
			f(s.Nonzeros(i))
			continue
		}
		if len(row) != s.Dim() {
			row = make([]float32, s.Dim())
		}
		s.Row(i, row)
		index, value = index[:0], value[:0]
		for j, v := range row {
			if v != 0 {
				index, value = append(index, int32(j)), append(value, v)
			}
		}
		f(index, value)
	}
}

// bytesOf returns what writes some bytes.
func bytesOf(b []byte) func(w io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

// wordsOf returns what writes words with their lengths.
func wordsOf(words []string) func(w io.Writer) error {
	return func(w io.Writer) error {
		for _, word := range words {
			b := binary.LittleEndian.AppendUint32(nil, uint32(len(word)))
			if _, err := w.Write(append(b, word...)); err != nil {
				return err
			}
		}
		return nil
	}
}

// writer writes sections and sums up their blocks. It keeps its first error.
type writer struct {
	ctx context.Context
	to  io.Writer
	// at is the number of bytes written, and start where the section in hand begins.
	at, start int64
	sections  []section
	digest    *xxhash.Digest
	err       error
}

var _ io.Writer = (*writer)(nil)

// section writes a section.
func (p *writer) section(name string, write func(w io.Writer) error) {
	if gap := p.at % align; gap > 0 {
		p.Write(make([]byte, align-gap))
	}
	p.start, p.digest = p.at, xxhash.New()
	p.sections = append(p.sections, section{name: name, offset: p.at})
	if err := write(p); err != nil && p.err == nil {
		p.err = err
	}
	s := &p.sections[len(p.sections)-1]
	if s.length = p.at - p.start; s.length%blockBytes != 0 {
		s.sums = append(s.sums, p.digest.Sum64())
	}
	p.digest = nil
}

// Write writes bytes of the section in hand, or between sections. A block that is full gets its
// sum.
func (p *writer) Write(b []byte) (int, error) {
	all := len(b)
	for len(b) > 0 && p.err == nil {
		if p.err = p.ctx.Err(); p.err != nil {
			break
		}
		n := len(b)
		if p.digest != nil {
			n = int(min(int64(n), blockBytes-(p.at-p.start)%blockBytes))
			p.digest.Write(b[:n])
		}
		if _, p.err = p.to.Write(b[:n]); p.err != nil {
			break
		}
		p.at += int64(n)
		b = b[n:]
		if p.digest != nil && (p.at-p.start)%blockBytes == 0 {
			s := &p.sections[len(p.sections)-1]
			s.sums = append(s.sums, p.digest.Sum64())
			p.digest.Reset()
		}
	}
	return all - len(b), p.err
}

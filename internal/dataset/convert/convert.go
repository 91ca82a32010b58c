// Package convert writes rows in another format than that in which they came: as libsvm text, as
// comma-separated values, as the archive of a sparse matrix that SciPy and package arrays read, or
// as a packed store (see package packed).
//
// Rows are read once. Libsvm text is written as they come. The other formats begin with how many
// rows and columns there are, so the rows go through an unlinked scratch file, of 4 to 12 bytes
// for each value (see dataset.Spool), and memory does not depend on their number; the points of a
// packed store go through a scratch file of their own, and take the memory that a training takes
// to read them. The numbers that are written are those that were read, to the bit.
package convert

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// Formats lists the formats that Write writes.
var Formats = []string{"libsvm", "csv", "npz", "pack"}

// Options set how rows are written.
type Options struct {
	// Format is one of Formats.
	Format string
	// Labels sets what labels mean, as it did when the rows were read.
	Labels dataset.Labeling
	// Label is the name of the column of labels of comma-separated values.
	Label string
	// Names are the names of the columns of comma-separated values. Columns beyond them are called
	// x and their number.
	Names []string
	// Columns and Views are the columns and views of the data, and Sequences is their alphabet. A
	// packed store keeps them.
	Columns   *dataset.Columns
	Views     []dataset.View
	Sequences dataset.Alphabet
	// Dir is the folder of scratch files.
	Dir string
}

// Write writes the rows of src to w until its end or until ctx is done, and returns their number.
func Write(ctx context.Context, src dataset.Source, w io.Writer, o Options) (rows int, err error) {
	if !slices.Contains(Formats, o.Format) {
		return 0, fail.New(fail.Usage, "unknown format %s", fail.Quote(o.Format)).
			WithHint("%s", strings.Join(Formats, ", "))
	}
	out := bufio.NewWriterSize(w, 1<<18)
	c := &converter{Options: o, out: out}
	if o.Format != Formats[0] {
		s, err := newSpool(o.Dir)
		if err != nil {
			return 0, err
		}
		defer s.close()
		c.spool = s
	}
	const interval = 256
	for ; ; rows++ {
		if rows%interval == 0 && ctx.Err() != nil {
			return rows, ctx.Err()
		}
		row, err := src.Next()
		if err == io.EOF {
			break
		}
		if err == nil && c.spool != nil {
			err = c.spool.add(&row, c.label(&row))
		} else if err == nil {
			err = c.line(&row)
		}
		if err != nil {
			return rows, err
		}
	}
	switch o.Format {
	case "csv":
		err = c.table(ctx)
	case "npz":
		err = c.archive(ctx)
	case "pack":
		err = c.pack(ctx)
	}
	if err != nil {
		return rows, err
	}
	return rows, out.Flush()
}

// converter writes rows.
type converter struct {
	Options
	out *bufio.Writer
	// spool keeps the rows. It is nil for libsvm text.
	spool *spool
	text  []byte
}

// label returns the label or the target of a row as text, or nothing.
func (c *converter) label(row *dataset.Row) string {
	switch {
	case !c.Labels.Numeric():
		return row.Label
	case row.Target != row.Target: // There is no target.
		return ""
	case row.Label != "": // the group of a relevance
		return strconv.FormatFloat(row.Target, 'g', -1, 64) + ":" + row.Label
	}
	return labeltext.FormatTime(row.Target, row.Upper)
}

// isNumeric reports whether labels are numbers and nothing else.
func (c *converter) isNumeric() bool { return c.Labels.Numeric() && c.Labels != dataset.Relevances }

// query returns a label of libsvm text: with the group of a relevance behind it, whose name is a number.
func query(row *dataset.Row, label string) (string, error) {
	relevance, group, _ := strings.Cut(label, ":")
	if strings.Trim(group, "0123456789") != "" {
		return "", fail.New(fail.Input, "group %s cannot stand in libsvm text, whose groups are numbers", fail.Word(group)).
			At(row.File, row.Line, 0).WithHint("csv and npz hold it")
	}
	if group == "" {
		return relevance, nil
	}
	return relevance + " qid:" + group, nil
}

// line writes a row as libsvm text.
func (c *converter) line(row *dataset.Row) error {
	label := c.label(row)
	if c.Labels == dataset.Relevances {
		var err error
		if label, err = query(row, label); err != nil {
			return err
		}
	} else if strings.ContainsFunc(label, func(r rune) bool { return unicode.IsSpace(r) || r == '#' }) ||
		strings.HasPrefix(label, ">") || c.Labels != dataset.Sets && strings.Contains(label, ":") {
		return fail.New(fail.Input, "label %s cannot stand in libsvm text", fail.Word(label)).
			At(row.File, row.Line, 0).WithHint("csv and npz hold it")
	}
	if label == "" && len(row.Index) == 0 {
		return fail.New(fail.Input, "a row without label and values cannot stand in libsvm text").
			At(row.File, row.Line, 0)
	}
	b := append(c.text[:0], label...)
	for k, j := range row.Index {
		if len(b) > 0 {
			b = append(b, ' ')
		}
		b = append(strconv.AppendInt(b, int64(j)+1, 10), ':')
		b = strconv.AppendFloat(b, row.Value[k], 'g', -1, 64)
	}
	c.text = append(b, '\n')
	_, err := c.out.Write(c.text)
	return err
}

package convert

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/binary"
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// columns opens all columns of the spool.
func (c *converter) columns() (all [spools]*column, err error) {
	for k := range all {
		if all[k], err = c.spool.read(k); err != nil {
			return all, err
		}
	}
	return all, nil
}

// errorOf returns the first error that reading a column met.
func errorOf(all [spools]*column) error {
	for _, c := range all {
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

// table writes comma-separated values with a header. Labels come first, if there are any.
func (c *converter) table(ctx context.Context) error {
	s := c.spool
	if s.width >= dataset.MaxColumns {
		return fail.New(fail.Input, "%d columns are more than a table holds, which is %d", s.width,
			dataset.MaxColumns-1).WithHint("npz holds them")
	}
	all, err := c.columns()
	if err != nil {
		return err
	}
	w := csv.NewWriter(c.out)
	first := 0
	if s.labelled {
		first = 1
	}
	width := max(s.width, len(c.Names))
	record := make([]string, first+width)
	if s.labelled {
		record[0] = c.Label
	}
	for j := range width {
		record[first+j] = "x" + strconv.Itoa(j+1)
		if j < len(c.Names) {
			record[first+j] = c.Names[j]
		}
	}
	w.Write(record) // The writer keeps its error until Flush.
	for i := range s.rows {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for j := range record {
			record[j] = "0"
		}
		if label := all[labels].word(); s.labelled {
			record[0] = label
		}
		for range all[counts].number(8) {
			j, v := all[indices].number(4), math.Float64frombits(all[values].number(8))
			if all[indices].err != nil {
				break
			}
			record[first+int(j)] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		if err := errorOf(all); err != nil {
			return err
		}
		w.Write(record)
	}
	w.Flush()
	return w.Error()
}

// archive writes a matrix in compressed sparse rows as scipy.sparse.save_npz does, without
// compression, and the labels as an array y.
func (c *converter) archive(ctx context.Context) error {
	s := c.spool
	all, err := c.columns()
	if err != nil {
		return err
	}
	z := zip.NewWriter(c.out)
	member := func(name, descr string, n int64, write func(w *bufio.Writer)) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(files.Until(ctx, f), 64<<10)
		w.Write(npy.FormatHeader(descr, n)) // The writer keeps its error until Flush.
		write(w)
		if err := w.Flush(); err != nil {
			return err
		}
		return errorOf(all)
	}
	// A writer to a bufio.Writer need not look at errors, which Flush returns.
	long := func(w io.Writer, x int64) { binary.Write(w, binary.LittleEndian, x) }
	copyOf := func(k int) func(w *bufio.Writer) {
		return func(w *bufio.Writer) {
			if _, err := io.Copy(w, all[k]); err != nil && all[k].err == nil {
				all[k].err = err
			}
		}
	}
	// Arrays with more elements in one dimension could not be read again.
	if s.total > math.MaxInt32 || s.rows == math.MaxInt32 {
		return fail.New(fail.Input, "%d values are more than an array of one dimension holds that "+
			"is read again, which is %d", s.total, math.MaxInt32)
	}
	for _, m := range []struct {
		name, descr string
		n           int64
		write       func(w *bufio.Writer)
	}{
		{"indices", "<i4", s.total, copyOf(indices)},
		{"indptr", "<i8", int64(s.rows) + 1, func(w *bufio.Writer) {
			at := int64(0)
			long(w, at)
			for range s.rows {
				at += int64(all[counts].number(8))
				long(w, at)
			}
		}},
		{"format", "|S3", -1, func(w *bufio.Writer) { w.WriteString("csr") }},
		{"shape", "<i8", 2, func(w *bufio.Writer) {
			long(w, int64(s.rows))
			long(w, int64(max(s.width, len(c.Names))))
		}},
		{"data", "<f8", s.total, copyOf(values)},
	} {
		if err := member(m.name, m.descr, m.n, m.write); err != nil {
			return err
		}
	}
	if s.labelled {
		descr, write := c.labels(all[labels])
		if err := member("y", descr, int64(s.rows), write); err != nil {
			return err
		}
	}
	return z.Close()
}

// labels returns the type of the array of labels, and what writes its elements: integers, targets,
// or text.
func (c *converter) labels(from *column) (descr string, write func(w *bufio.Writer)) {
	s := c.spool
	each := func(write func(w *bufio.Writer, word string)) func(w *bufio.Writer) {
		return func(w *bufio.Writer) {
			for range s.rows {
				write(w, from.word())
			}
		}
	}
	switch {
	case c.Labels == dataset.Targets:
		return "<f8", each(func(w *bufio.Writer, word string) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil { // Other rows have targets.
				v = math.NaN()
			}
			binary.Write(w, binary.LittleEndian, v)
		})
	case s.integers:
		return "<i8", each(func(w *bufio.Writer, word string) {
			v, _ := strconv.ParseInt(word, 10, 64)
			binary.Write(w, binary.LittleEndian, v)
		})
	}
	return "<U" + strconv.Itoa(s.longest), each(func(w *bufio.Writer, word string) {
		letters := make([]int32, s.longest)
		copy(letters, []rune(word))
		binary.Write(w, binary.LittleEndian, letters)
	})
}

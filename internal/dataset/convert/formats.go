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
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// table writes comma-separated values with a header. Labels come first, if there are any.
func (c *converter) table(ctx context.Context) error {
	s := c.spool
	if s.width >= dataset.MaxColumns {
		return fail.New(fail.Input, "%d columns are more than a table holds, which is %d", s.width,
			dataset.MaxColumns-1).WithHint("npz holds them")
	}
	labels, err := s.words()
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
	i := 0
	err = s.eachRow(func(r *dataset.Row) error {
		if i++; i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for j := range record {
			record[j] = "0"
		}
		if label := labels.next(); s.labelled {
			record[0] = label
		}
		for k, j := range r.Index {
			record[first+int(j)] = strconv.FormatFloat(r.Value[k], 'g', -1, 64)
		}
		w.Write(record)
		return labels.err
	})
	if err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

// archive writes a matrix in compressed sparse rows as scipy.sparse.save_npz does, without
// compression, and the labels as an array y.
func (c *converter) archive(ctx context.Context) error {
	s := c.spool
	labels, err := s.words()
	if err != nil {
		return err
	}
	z := zip.NewWriter(c.out)
	member := func(name, descr string, n int64, write func(w io.Writer) error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(files.Until(ctx, f), 64<<10)
		w.Write(npy.FormatHeader(descr, n)) // The writer keeps its error until Flush.
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	// Arrays with more elements in one dimension could not be read again.
	rows, total := s.rows.Rows(), s.rows.Values()
	if total > math.MaxInt32 || rows == math.MaxInt32 {
		return fail.New(fail.Input, "%d values are more than an array of one dimension holds that "+
			"is read again, which is %d", total, math.MaxInt32)
	}
	for _, m := range []struct {
		name, descr string
		n           int64
		write       func(w io.Writer) error
	}{
		{"indices", "<i4", total, s.writeIndices},
		{"indptr", "<i8", int64(rows) + 1, s.writeOffsets},
		{"format", "|S3", -1, func(w io.Writer) error {
			_, err := io.WriteString(w, "csr")
			return err
		}},
		{"shape", "<i8", 2, func(w io.Writer) error {
			width := max(s.width, len(c.Names))
			return binary.Write(w, binary.LittleEndian, []int64{int64(rows), int64(width)})
		}},
		{"data", "<f8", total, s.writeValues},
	} {
		if err := member(m.name, m.descr, m.n, m.write); err != nil {
			return err
		}
	}
	if s.labelled {
		descr, write := c.labels(labels)
		if err := member("y", descr, int64(rows), write); err != nil {
			return err
		}
	}
	return z.Close()
}

// labels returns the type of the array of labels, and what writes its elements: integers, targets,
// or text.
func (c *converter) labels(from *words) (descr string, write func(w io.Writer) error) {
	s := c.spool
	each := func(element func(word string) any) func(w io.Writer) error {
		return func(w io.Writer) error {
			for range s.rows.Rows() {
				word := from.next()
				if from.err != nil {
					return from.err
				}
				if err := binary.Write(w, binary.LittleEndian, element(word)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	switch {
	case c.isNumeric() && !s.intervals:
		return "<f8", each(func(word string) any {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil { // Other rows have targets.
				v = math.NaN()
			}
			return v
		})
	case s.integers:
		return "<i8", each(func(word string) any {
			v, _ := strconv.ParseInt(word, 10, 64)
			return v
		})
	}
	return "<U" + strconv.Itoa(s.longest), each(func(word string) any {
		letters := make([]int32, s.longest)
		copy(letters, []rune(word))
		return letters
	})
}

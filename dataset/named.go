package dataset

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// Named is rows whose features and labels come from several files and are joined by the names of the
// rows.
type Named struct {
	Rows  []Row
	Views []View // one for each matrix, with the name of its file up to the first dot
	// Sets means that labels are sets: some row has none or several.
	Sets bool
	// Lacks means that some row is in no line of a matrix, and so has no feature of its view.
	Lacks bool
}

// ReadNamed reads matrices and labels. Each file is text, separated by tabs: the first line has the names
// of the columns, behind any text for the corner, and each further line the name of a row and its
// numbers. The columns of a matrix are features, the columns of the labels are classes, which a row has
// where the number is above 0. The rows are the rows of the labels, in their order; other rows of
// matrices are left out. Rows that take more than so many bytes of memory are of class fail.Budget, other
// faults of class fail.Input.
func ReadNamed(matrices []string, labels string, memory int64) (*Named, error) {
	n := &Named{}
	at := map[string]int{}
	var classes []string
	err := readNamed(labels, func(columns []string) error {
		for _, c := range columns {
			name, err := labeltext.CanonicalSet(c)
			if err != nil || name == "" || name == "-" || strings.Contains(name, ",") {
				return fmt.Errorf("%s is no name of a class", clip(c))
			}
			if slices.Contains(classes, name) {
				return fmt.Errorf("class %s is there twice", clip(name))
			}
			classes = append(classes, name)
		}
		return nil
	}, func(name string, values []float64) error {
		if _, twice := at[name]; twice {
			return fmt.Errorf("row %s is there twice", clip(name))
		}
		var own []string
		for k, x := range values {
			if x > 0 {
				own = append(own, classes[k])
			}
		}
		label, err := labeltext.CanonicalSet(strings.Join(own, ","))
		if err != nil {
			return err
		}
		n.Sets = n.Sets || len(own) != 1
		at[name] = len(n.Rows)
		n.Rows = append(n.Rows, Row{Label: label, File: labels, Line: len(n.Rows) + 2})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(n.Rows) == 0 {
		return nil, fail.New(fail.Input, "no rows").At(labels, 0, 0)
	}
	taken, first := int64(0), 0
	for _, file := range matrices {
		v := View{Name: viewName(file), First: first + 1}
		if slices.ContainsFunc(n.Views, func(o View) bool { return o.Name == v.Name }) {
			return nil, fail.New(fail.Input, "two matrices have the name %s", clip(v.Name)).At(file, 0, 0)
		}
		have := make([]bool, len(n.Rows))
		err := readNamed(file, func(columns []string) error {
			v.Last = first + len(columns)
			return nil
		}, func(name string, values []float64) error {
			i, known := at[name]
			if !known {
				return nil
			}
			if have[i] {
				return fmt.Errorf("row %s is there twice", clip(name))
			}
			have[i] = true
			r := &n.Rows[i]
			for k, x := range values {
				if x != 0 {
					r.Index, r.Value = append(r.Index, int32(first+k)), append(r.Value, x)
				}
			}
			if taken += 12 * int64(len(values)); taken > memory {
				return fail.New(fail.Budget, "rows that are joined by their names take more than %d MiB", memory>>20)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		n.Lacks = n.Lacks || slices.Contains(have, false)
		first = v.Last
		n.Views = append(n.Views, v)
	}
	for _, r := range n.Rows {
		if len(r.Index) == 0 {
			return nil, fail.New(fail.Input, "the row is in no matrix, or 0 in all of them").At(r.File, r.Line, 0)
		}
	}
	return n, nil
}

// viewName is the name of a file up to the first dot, with the blanks and signs that specifications use
// replaced.
func viewName(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	return strings.Map(func(c rune) rune {
		if c <= ' ' || strings.ContainsRune("@,()+*=:~", c) {
			return '_'
		}
		return c
	}, name)
}

// readNamed reads a file of named rows and columns. Errors of head and row get the place of the line.
func readNamed(path string, head func(columns []string) error, row func(name string, values []float64) error) error {
	t, err := openText(path, false)
	if err != nil {
		return err
	}
	defer t.Close()
	var columns []string
	var values []float64
	for {
		line, err := t.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r")
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		place := &Row{File: t.name, Line: t.number}
		cells := bytes.Split(line, []byte{'\t'})
		for i := range cells {
			cells[i] = bytes.TrimSpace(cells[i])
		}
		if columns == nil {
			for _, c := range cells[1:] {
				columns = append(columns, string(c))
			}
			if len(columns) == 0 {
				err = fail.New(fail.Input, "the line names no columns: names are separated by tabs")
			} else {
				err = head(columns)
			}
		} else if len(cells) != len(columns)+1 {
			err = fail.New(fail.Input, "%d numbers for %d columns", len(cells)-1, len(columns))
		} else {
			values = values[:0]
			for k, c := range cells[1:] {
				x, ok := ParseNumber(string(c))
				if !ok || x-x != 0 {
					return fail.New(fail.Input, "%s is no number", clip(c)).At(t.name, t.number, k+2)
				}
				values = append(values, x)
			}
			if name := string(cells[0]); name == "" || !labeltext.Printable(name) {
				err = fail.New(fail.Input, "the row has no name")
			} else {
				err = row(name, values)
			}
		}
		if err != nil {
			if _, is := err.(*fail.Error); !is {
				err = fail.New(fail.Input, "%w", err)
			}
			return setPlace(err, place)
		}
	}
	if columns == nil {
		return fail.New(fail.Input, "the file is empty").At(t.name, 0, 0)
	}
	return nil
}

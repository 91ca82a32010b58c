package peers

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"

	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
)

// All programs that are compared read one text file. So they have the same rows, in the same order and scaled alike.

// labelledText is the rows of a text file, as its readers get them. Indices begin with 1.
type labelledText struct {
	label []float64 // the class or the target
	index [][]int32
	value [][]float32
}

// write writes the text file that every program reads, and returns its rows.
func (l *workLine) write(ctx context.Context, path string) (*labelledText, error) {
	task := ""
	if l.regression {
		task = "svr"
	}
	src, err := l.data.Open(task)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	t, err := l.copyRows(ctx, w, dataset.Limit(src, l.points))
	return t, errors.Join(err, w.Flush(), f.Close())
}

// copyRows writes the rows of a source as text. The rows in memory are read back from their text, so
// gapOf sees the same numbers as the programs.
func (l *workLine) copyRows(ctx context.Context, w io.Writer, src dataset.Source) (*labelledText, error) {
	rows, err := readRows(ctx, src)
	if err != nil {
		return nil, err
	}
	if l.minmax {
		mapToUnit(rows)
	}
	scale := l.scale
	if scale == 0 {
		scale = 1
	}
	t := &labelledText{}
	var line []byte
	for _, row := range rows {
		label := row.Label
		switch {
		case l.regression:
			label = strconv.FormatFloat(row.Target, 'g', -1, 64)
		case l.positive != nil:
			label = map[bool]string{true: "1", false: "-1"}[slices.Contains(l.positive, label)]
		}
		y, err := strconv.ParseFloat(label, 64)
		if err != nil {
			return nil, err
		}
		line = append(line[:0], label...)
		var index []int32
		var value []float32
		for k, j := range row.Index {
			x := row.Value[k] * scale
			if x == 0 {
				continue
			}
			line = strconv.AppendInt(append(line, ' '), int64(j)+1, 10)
			// LIBSVM writes eight digits to its models: seven come back as they are.
			from := len(line) + 1
			line = strconv.AppendFloat(append(line, ':'), x, 'g', 7, 64)
			read, err := strconv.ParseFloat(string(line[from:]), 32)
			if err != nil {
				return nil, err
			}
			index, value = append(index, j+1), append(value, float32(read))
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return nil, err
		}
		t.label, t.index, t.value = append(t.label, y), append(t.index, index), append(t.value, value)
	}
	return t, nil
}

// readRows reads all rows of a source. Rows are copied, because a source may use their memory again.
func readRows(ctx context.Context, src dataset.Source) ([]dataset.Row, error) {
	var rows []dataset.Row
	for {
		row, err := src.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		row.Index, row.Value = slices.Clone(row.Index), slices.Clone(row.Value)
		rows = append(rows, row)
	}
}

// mapToUnit maps every feature to [0, 1]. A feature that a row leaves out has the value 0 before
// the mapping, and another one after it if the least value is below 0. So rows become dense.
// Constant features are left out.
func mapToUnit(rows []dataset.Row) {
	low, high, seen := map[int32]float64{}, map[int32]float64{}, map[int32]int{}
	for _, row := range rows {
		for k, j := range row.Index {
			x := row.Value[k]
			if seen[j] == 0 {
				low[j], high[j] = x, x
			}
			low[j], high[j], seen[j] = min(low[j], x), max(high[j], x), seen[j]+1
		}
	}
	var features []int32
	for j, count := range seen {
		if count < len(rows) {
			low[j], high[j] = min(low[j], 0), max(high[j], 0)
		}
		if low[j] < high[j] {
			features = append(features, j)
		}
	}
	slices.Sort(features)
	for i := range rows {
		row, at := &rows[i], 0
		value := make([]float64, len(features))
		for k, j := range features {
			x := 0.0
			for at < len(row.Index) && row.Index[at] < j {
				at++
			}
			if at < len(row.Index) && row.Index[at] == j {
				x = row.Value[at]
			}
			value[k] = (x - low[j]) / (high[j] - low[j])
		}
		row.Index, row.Value = features, value
	}
}

// writeGenerated writes the first rows of a generated set as text, for programs that read files.
func writeGenerated(ctx context.Context, path string, data harness.DataSet, points int) error {
	l := workLine{data: data, points: points}
	_, err := l.write(ctx, path)
	return err
}

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
	// Row i has the value value[i][k] of feature index[i][k]. Values are read back from the text as
	// float32.
	index [][]int32
	value [][]float32
}

// write writes the text file that every program reads, and returns its rows.
// The caller has no other copy: what a program reads is what gapOf sees.
func (l *workLine) write(ctx context.Context, path string) (*labelledText, error) {
	// A regression has numbers as labels, which the reader parses only for such a task.
	task := ""
	if l.regression {
		task = "svr"
	}
	// The rows come from a file or from a generator.
	src, err := l.data.Open(task)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	// A large buffer saves system calls, as files have up to a gigabyte.
	w := bufio.NewWriterSize(f, 1<<20)
	// Limit 0 takes all rows.
	t, err := l.copyRows(ctx, w, dataset.Limit(src, l.points))
	return t, errors.Join(err, w.Flush(), f.Close())
}

// copyRows writes the rows of a source as text. The rows in memory are read back from their text, so
// gapOf sees the same numbers as the programs.
func (l *workLine) copyRows(ctx context.Context, w io.Writer, src dataset.Source) (*labelledText, error) {
	// All rows are in memory, because mapToUnit needs the range of each feature first.
	rows, err := readRows(ctx, src)
	if err != nil {
		return nil, err
	}
	// A line of the table has either this mapping or a scale.
	if l.minmax {
		mapToUnit(rows)
	}
	// 0 is the zero value of a line without a scale.
	scale := l.scale
	if scale == 0 {
		scale = 1
	}
	t := &labelledText{}
	var line []byte
	for _, row := range rows {
		// Other programs read classes as 1 and -1, and not all of them accept words.
		label := row.Label
		switch {
		case l.regression:
			label = strconv.FormatFloat(row.Target, 'g', -1, 64)
		// Labels of the list become 1, and all others -1.
		case l.positive != nil:
			label = map[bool]string{true: "1", false: "-1"}[slices.Contains(l.positive, label)]
		}
		// Names of classes must be numbers here, since LIBSVM reads no words.
		y, err := strconv.ParseFloat(label, 64)
		if err != nil {
			return nil, err
		}
		// One buffer serves all lines.
		line = append(line[:0], label...)
		var index []int32
		var value []float32
		for k, j := range row.Index {
			// Zeros are implicit in this format.
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
			// The text and the memory have the same value, with seven digits.
			index, value = append(index, j+1), append(value, float32(read))
		}
		// A row without features is a label alone, which all programs accept.
		if _, err := w.Write(append(line, '\n')); err != nil {
			return nil, err
		}
		t.label, t.index, t.value = append(t.label, y), append(t.index, index), append(t.value, value)
	}
	return t, nil
}

// readRows reads all rows of a source. Rows are copied, because a source may use their memory again.
// Interrupts are looked for at each row, since large sets take a minute.
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
	// The first pass finds the range of each feature over the rows that have it.
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
	// Rows that lack a feature have 0 there, so 0 belongs to its range.
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
	// The second pass writes (x - low) / (high - low). All rows then share one list of features.
	for i := range rows {
		// Both lists are in ascending order, so one pass over the row finds all its features.
		row, at := &rows[i], 0
		value := make([]float64, len(features))
		for k, j := range features {
			// A feature that the row leaves out is 0.
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
	// No label is changed, since the set has two classes already.
	l := workLine{data: data, points: points}
	_, err := l.write(ctx, path)
	return err
}

package scaling

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/convert"
	"bigmkl/internal/dataset/formats"
)

// readingRow states how fast the rows of a format are read.
type readingRow struct {
	// Rows and Values are per second of processor time as well.
	Data   string `json:"data" table:"data"`
	Format string `json:"format" table:"format"`
	// Bytes is the size of the file.
	Bytes int64 `json:"bytes" table:"bytes"`
	// Seconds is the processor time of all threads, from opening the file to its last row.
	Seconds float64 `json:"cpu_seconds" table:"CPU s|%.2f"`
	// Rates are per second of processor time: a reader with two threads has twice the time.
	Rate   float64 `json:"megabytes_per_second" table:"MB/s a core|%.0f"`
	Rows   float64 `json:"rows_per_second" table:"rows/s|%.0f"`
	Values float64 `json:"values_per_second" table:"values/s|%.2g"`
}

// readingRepeats is the number of times that each file is read. A row has the least time, as the
// others were disturbed by what else the machine did.
const readingRepeats = 3

// Reading measures how fast each format is read.
// The files are written by convert, so every format has the same rows.
func Reading() harness.Experiment {
	return harness.Experiment{
		Name: "reading", Short: "How fast the formats are read",
		Long: "Reading reads the same rows from files of all formats and states bytes, rows and values that are not\n" +
			"zero for each second of processor time. Files lie in the page cache, so that no disk counts.",
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			return runReading(ctx, s, r)
		},
	}
}

// runReading measures data sets of real numbers with few and with many digits, and one of words.
func runReading(ctx context.Context, s *harness.Session, r *harness.Report) error {
	t := r.Table("Reading")
	t.Note("Processor time of all threads, least of %d readings, of files in the page cache: on a machine that others use as "+
		"well it is longer than on a quiet one, by what they take of the caches. Rows are looked at and dropped.", readingRepeats)
	t.Note("A packed store of points that are mapped is not read at all; here its rows are.")
	// The sets differ in their digits and in their share of zeros, on which text formats depend.
	for _, name := range []string{"kddcup99", "mnist", "covtype20k", "spambase"} {
		d, there := s.Data.Find(name, "")
		if !there {
			t.Note("%s", s.Data.DescribeAbsence(name))
			continue
		}
		if err := measureReading(ctx, s, t, d); err != nil {
			return err
		}
	}
	return nil
}

// measureReading writes a data set in each format and reads it. All formats have the same rows
// and values, so the times differ by the formats alone.
func measureReading(ctx context.Context, s *harness.Session, t *harness.Table, d harness.DataSet) (err error) {
	// The files of one data set are removed before the next one is written.
	dir, err := os.MkdirTemp(s.Scratch, "bigmkl-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// 0 means all rows.
	limit := s.ChooseInts(nil, []int{0}, []int{1000})[0]
	// A new format of convert is measured without a change here.
	for _, format := range convert.Formats {
		path := filepath.Join(dir, d.Name+"."+format)
		if err := writeFormat(ctx, d, limit, path, format, dir); err != nil {
			return err
		}
		row := readingRow{Data: d.Name, Format: format}
		// Compressed formats have fewer bytes, so their rates are of compressed bytes.
		if info, err := os.Stat(path); err == nil {
			row.Bytes = info.Size()
		}
		var rows, values int
		// The file was just written, so it lies in the page cache for the first reading, too.
		for k := range s.ChooseInts(nil, []int{readingRepeats}, []int{1})[0] {
			// Processor time is not disturbed by waiting for other programs.
			began := harness.ProcessTime()
			if rows, values, err = readAll(ctx, path); err != nil {
				return err
			}
			if took := (harness.ProcessTime() - began).Seconds(); k == 0 || took < row.Seconds {
				row.Seconds = took
			}
		}
		// A megabyte is 10^6 bytes.
		row.Rate = harness.Ratio(float64(row.Bytes)/1e6, row.Seconds)
		row.Rows, row.Values = harness.Ratio(float64(rows), row.Seconds), harness.Ratio(float64(values), row.Seconds)
		t.Add(row)
	}
	return nil
}

// writeFormat writes the first rows of a data set in a format.
// dir is for scratch files of formats that need the rows twice.
func writeFormat(ctx context.Context, d harness.DataSet, limit int, path, format, dir string) error {
	src, err := d.Open("class")
	if err != nil {
		return err
	}
	defer src.Close()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = convert.Write(ctx, dataset.Limit(src, limit), f, convert.Options{Format: format,
		Label: "label", Dir: dir})
	return err
}

// readAll reads all rows of a file as a training does, and returns the numbers of rows and
// values. Nothing is kept, so only the reading counts.
func readAll(ctx context.Context, path string) (rows, values int, err error) {
	// The format is found by name and content, as in a command.
	src, err := formats.Open(ctx, []string{path}, nil, formats.Options{})
	if err != nil {
		return 0, 0, err
	}
	defer src.Close()
	for ; ; rows++ {
		row, err := src.Next()
		if err == io.EOF {
			return rows, values, nil
		}
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", path, err)
		}
		// Values are the entries of rows, without zeros that a format leaves out.
		values += len(row.Index)
	}
}

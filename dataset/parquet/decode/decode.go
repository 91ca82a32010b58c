// Package decode is the child process of package parquet: it writes the rows of a Parquet file as
// comma-separated values, within bounds on its memory. Nothing in it is trusted by the parent.
package decode

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"

	parquetgo "github.com/parquet-go/parquet-go"

	"bigmkl/dataset/parquet"
	"bigmkl/internal/files"
)

// Run handles the arguments of a child, from parquet.Argument on, and returns its exit code.
func Run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 4 {
		return 2
	}
	memory, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil || memory < 1 {
		return 2
	}
	var skip []string
	if err := json.Unmarshal([]byte(args[3]), &skip); err != nil {
		return 2
	}
	limitMemory(memory)
	go watchMemory(memory)
	if err := write(args[1], skip, stdout); err != nil {
		fmt.Fprintf(stderr, "%s%v\n", parquet.Complaint, err)
		return 1
	}
	return 0
}

// watchMemory ends the process once it holds more memory than it may. It serves systems that have
// no limit of their own, and shows in a message what the limit of others would not.
func watchMemory(most int64) {
	held := []metrics.Sample{{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(10 * time.Millisecond) {
		metrics.Read(held)
		if held[0].Value.Uint64()-held[1].Value.Uint64() > uint64(most) {
			fmt.Fprintf(os.Stderr, "%smore than %d MiB of memory\n", parquet.Complaint, most>>20)
			os.Exit(1)
		}
	}
}

// write writes the rows of a file, with nothing in columns that are left out and could not be read.
// A panic of the reader becomes an error.
func write(path string, skip []string, to io.Writer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("damaged: %.200v", r)
		}
	}()
	debug.SetPanicOnFault(true)
	f, err := files.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	// The indices and filters of a file serve searches, and are nothing but more bytes to trust.
	p, err := parquetgo.OpenFile(f, info.Size(), parquetgo.SkipPageIndex(true),
		parquetgo.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	columns, leaf, err := columnsOf(p, skip)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(to, 64<<10)
	w := &writer{columns: columns, leaf: leaf, csv: csv.NewWriter(out), record: make([]string, len(columns))}
	for k := range columns {
		w.record[k] = columns[k].name
	}
	if err := w.csv.Write(w.record); err != nil {
		return err
	}
	rows := int64(0)
	for _, group := range p.RowGroups() {
		n, err := w.group(group)
		if err != nil {
			return err
		}
		if n != group.NumRows() {
			return fmt.Errorf("%d rows of %d", n, group.NumRows())
		}
		rows += n
	}
	if rows != p.NumRows() {
		return fmt.Errorf("%d rows of %d", rows, p.NumRows())
	}
	w.csv.Flush()
	return errors.Join(w.csv.Error(), out.Flush())
}

// writer writes rows as records.
type writer struct {
	columns []column
	leaf    []int // leaf holds the column of each column of leaves.
	csv     *csv.Writer
	record  []string
}

// group writes the rows of a row group and returns their number.
func (w *writer) group(g parquetgo.RowGroup) (count int64, err error) {
	rows := g.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	buffer := make([]parquetgo.Row, 64)
	for {
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			if err := w.row(row); err != nil {
				return count, err
			}
			count++
		}
		if err == io.EOF {
			return count, nil
		}
		if err != nil {
			return count, err
		}
		if n == 0 {
			return count, io.ErrNoProgress
		}
	}
}

// row writes a row.
func (w *writer) row(row parquetgo.Row) error {
	found := 0
	for _, v := range row {
		if v.Column() < 0 || v.Column() >= len(w.leaf) {
			return fmt.Errorf("a value of column %d of %d", v.Column(), len(w.leaf))
		}
		k := w.leaf[v.Column()]
		c := &w.columns[k]
		if c.empty {
			w.record[k] = ""
			continue
		}
		// Columns come in their order, so one without a value or with two is found here.
		for found < k && w.columns[found].empty {
			found++
		}
		if found != k {
			return fmt.Errorf("a value of column %d in the place of column %d", k, found)
		}
		found++
		text := ""
		switch {
		case v.IsNull():
		case v.Kind() != c.kind:
			return fmt.Errorf("a value of the kind %v in column %.40q", v.Kind(), c.name)
		case c.kind == parquetgo.Boolean && v.Boolean():
			text = "1"
		case c.kind == parquetgo.Boolean:
			text = "0"
		case c.kind == parquetgo.Int32 && c.unsigned:
			text = strconv.FormatUint(uint64(v.Uint32()), 10)
		case c.kind == parquetgo.Int32:
			text = strconv.Itoa(int(v.Int32()))
		case c.kind == parquetgo.Int64 && c.unsigned:
			text = strconv.FormatUint(v.Uint64(), 10)
		case c.kind == parquetgo.Int64:
			text = strconv.FormatInt(v.Int64(), 10)
		case c.kind == parquetgo.Float:
			text = number(float64(v.Float()))
		case c.kind == parquetgo.Double:
			text = number(v.Double())
		default:
			w.record[k] = string(v.ByteArray())
			continue
		}
		if text == infinite { // As a word it could pass for a category.
			return fmt.Errorf("a value of column %.40q is infinite", c.name)
		}
		w.record[k] = text
	}
	for found < len(w.columns) && w.columns[found].empty {
		found++
	}
	if found != len(w.columns) {
		return fmt.Errorf("a row of %d values and %d columns", found, len(w.columns))
	}
	// An empty line would not be a row.
	if len(w.record) == 1 && w.record[0] == "" {
		w.record[0] = "NA"
	}
	return w.csv.Write(w.record)
}

// infinite replaces a number that is infinite.
const infinite = "inf"

// number returns a number as text that gives the same float64. NaN is a value that is missing.
func number(v float64) string {
	if math.IsNaN(v) {
		return "NaN"
	}
	if math.IsInf(v, 0) {
		return infinite
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

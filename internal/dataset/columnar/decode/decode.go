// Package decode is the child process of package columnar: it writes the rows of a file in a columnar format as
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

	"bigmkl/internal/dataset/columnar"
	"bigmkl/internal/files"
)

// table is an open file: the names of its columns, which hold a number or a text in each row, and its rows.
type table interface {
	names() []string
	// write calls next for each row, after it has written its texts to the record, one for each column.
	write(record []string, next func() error) error
}

// tables opens the files of each format. Columns in skip, by name or number, may hold anything and are empty. The
// argument memory is the largest number of bytes of memory of the process.
var tables = map[string]func(f file, skip []string, memory int64) (table, error){
	"arrow":   openArrow,
	"parquet": openParquet,
}

// file is a file that is decoded. Standard input, which only formats of streams read, may fail to seek.
type file interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// Run handles the arguments of a child, from columnar.Argument on, and returns its exit code.
func Run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 5 || tables[args[1]] == nil {
		return 2
	}
	memory, err := strconv.ParseInt(args[3], 10, 64)
	if err != nil || memory < 1 {
		return 2
	}
	var skip []string
	if err := json.Unmarshal([]byte(args[4]), &skip); err != nil {
		return 2
	}
	limitMemory(memory)
	go watchMemory(memory)
	if err := decode(args[1], args[2], skip, memory, stdout); err != nil {
		fmt.Fprintf(stderr, "%s%v\n", columnar.Complaint, err)
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
			fmt.Fprintf(os.Stderr, "%smore than %d MiB of memory\n", columnar.Complaint, most>>20)
			os.Exit(1)
		}
	}
}

// decode writes the rows of a file, or of standard input if the path is "-", with nothing in columns that are left out
// and could not be read.
func decode(format, path string, skip []string, memory int64, to io.Writer) error {
	debug.SetPanicOnFault(true)
	if path == "-" {
		return write(format, os.Stdin, skip, memory, to)
	}
	f, err := files.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return write(format, f, skip, memory, to)
}

// write writes the rows of an open file. A panic of the reader becomes an error.
func write(format string, f file, skip []string, memory int64, to io.Writer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("damaged: %.200v", r)
		}
	}()
	t, err := tables[format](f, skip, memory)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(to, 64<<10)
	w := csv.NewWriter(out)
	names := t.names()
	if err := w.Write(names); err != nil {
		return err
	}
	record, line := make([]string, len(names)), 2 // The names are line 1, as in a table of text.
	err = t.write(record, func() error {
		line++
		// An empty line would not be a row.
		if len(record) == 1 && record[0] == "" {
			record[0] = "NA"
		}
		return w.Write(record)
	})
	if errors.As(err, new(valueError)) {
		err = fmt.Errorf("line %d: %w", line, err)
	}
	if err != nil {
		return err
	}
	w.Flush()
	return errors.Join(w.Error(), out.Flush())
}

// valueError is the error of a value, whose line is known to the function that counts the rows.
type valueError struct{ error }

// number returns a number as text that gives the same float64. NaN is a value that is missing. An infinite number,
// which as a word could pass for a category, is an error.
func number(v float64, column string) (string, error) {
	if math.IsNaN(v) {
		return "NaN", nil
	}
	if math.IsInf(v, 0) {
		return "", valueError{fmt.Errorf("a value of column %.40q is infinite", column)}
	}
	return strconv.FormatFloat(v, 'g', -1, 64), nil
}

package decode

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	parquetgo "github.com/parquet-go/parquet-go"
)

// parquetTable is an open Parquet file.
type parquetTable struct {
	file    *parquetgo.File
	columns []column
	forms   []parquetForm // forms has an element for each column.
	leaf    []int         // leaf holds the column of each column of leaves.
}

// openParquet opens a Parquet file.
func openParquet(f file, skip []string, _ int64) (table, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	// The indices and filters of a file serve searches, and are nothing but more bytes to trust.
	p, err := parquetgo.OpenFile(f, size, parquetgo.SkipPageIndex(true),
		parquetgo.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	t := &parquetTable{file: p}
	return t, t.findColumns(skip)
}

func (t *parquetTable) names() []string { return namesOf(t.columns) }

func (t *parquetTable) write(record []string, next func() error) error {
	rows := int64(0)
	for _, group := range t.file.RowGroups() {
		n, err := t.writeGroup(group, record, next)
		if err != nil {
			return err
		}
		if n != group.NumRows() {
			return fmt.Errorf("%d rows of %d", n, group.NumRows())
		}
		rows += n
	}
	if rows != t.file.NumRows() {
		return fmt.Errorf("%d rows of %d", rows, t.file.NumRows())
	}
	return nil
}

// writeGroup writes the rows of a row group and returns their number.
func (t *parquetTable) writeGroup(g parquetgo.RowGroup, record []string, next func() error) (count int64, err error) {
	rows := g.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	buffer := make([]parquetgo.Row, 64)
	for {
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			if err := t.fill(record, row); err != nil {
				return count, err
			}
			if err := next(); err != nil {
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

// fill writes the texts of a row to the record.
func (t *parquetTable) fill(record []string, row parquetgo.Row) error {
	found := 0
	for _, v := range row {
		if v.Column() < 0 || v.Column() >= len(t.leaf) {
			return fmt.Errorf("a value of column %d of %d", v.Column(), len(t.leaf))
		}
		k := t.leaf[v.Column()]
		if t.columns[k].empty {
			record[k] = ""
			continue
		}
		// Columns come in their order, so one without a value or with two is found here.
		for found < k && t.columns[found].empty {
			found++
		}
		if found != k {
			return fmt.Errorf("a value of column %d in the place of column %d", k, found)
		}
		found++
		var err error
		if record[k], err = t.text(k, v); err != nil {
			return err
		}
	}
	for found < len(t.columns) && t.columns[found].empty {
		found++
	}
	if found != len(t.columns) {
		return fmt.Errorf("a row of %d values and %d columns", found, len(t.columns))
	}
	return nil
}

// text returns a value of column k as text.
func (t *parquetTable) text(k int, v parquetgo.Value) (string, error) {
	name, form := t.columns[k].name, t.forms[k]
	switch {
	case v.IsNull():
		return "", nil
	case v.Kind() != form.kind:
		return "", fmt.Errorf("a value of the kind %v in column %.40q", v.Kind(), name)
	case form.kind == parquetgo.Boolean && v.Boolean():
		return "1", nil
	case form.kind == parquetgo.Boolean:
		return "0", nil
	case form.kind == parquetgo.Int32 && form.unsigned:
		return strconv.FormatUint(uint64(v.Uint32()), 10), nil
	case form.kind == parquetgo.Int32:
		return strconv.Itoa(int(v.Int32())), nil
	case form.kind == parquetgo.Int64 && form.unsigned:
		return strconv.FormatUint(v.Uint64(), 10), nil
	case form.kind == parquetgo.Int64:
		return strconv.FormatInt(v.Int64(), 10), nil
	case form.kind == parquetgo.Float:
		return number(float64(v.Float()), name)
	case form.kind == parquetgo.Double:
		return number(v.Double(), name)
	}
	return string(v.ByteArray()), nil
}

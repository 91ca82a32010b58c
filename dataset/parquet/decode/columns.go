package decode

import (
	"fmt"
	"slices"
	"strconv"

	parquetgo "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"bigmkl/dataset"
)

// column is a column of the file.
type column struct {
	name string
	kind parquetgo.Kind
	// unsigned is true for integers without a sign.
	unsigned bool
	// empty is true for a column of nulls, and for one that is left out: its values are not looked at.
	empty bool
}

// columnsOf returns the columns of a file, which hold a number or a text in each row, and for each
// column of leaves of the file the number of its column. Columns in skip, by name or number, may hold
// anything.
func columnsOf(f *parquetgo.File, skip []string) (columns []column, leaf []int, err error) {
	for k, field := range f.Schema().Fields() {
		name := field.Name()
		if name == "" || !dataset.Printable(name) {
			return nil, nil, fmt.Errorf("the name %.40q of a column is no text", name)
		}
		c := column{name: name}
		if what := unread(field); what == "" {
			c.kind = field.Type().Kind()
			_, c.unsigned = meaningOf(field.Type())
		} else if c.empty = what == nulls || slices.Contains(skip, name) ||
			slices.Contains(skip, strconv.Itoa(k+1)); !c.empty {
			return nil, nil, fmt.Errorf("column %.40q has %s, which are not read: --id leaves the "+
				"column out", name, what)
		}
		columns = append(columns, c)
		for range leaves(field) {
			leaf = append(leaf, k)
		}
	}
	if len(columns) == 0 || len(columns) > dataset.MaxColumns {
		return nil, nil, fmt.Errorf("%d columns", len(columns))
	}
	return columns, leaf, nil
}

// nulls is the answer of unread for a column without values.
const nulls = "nulls alone"

// unread names the contents of a column that are not read, or returns "".
func unread(field parquetgo.Field) string {
	switch {
	case field.Repeated():
		return "more than a value in a row"
	case !field.Leaf():
		if t := field.Type().LogicalType(); t != nil {
			switch t.Value.(type) {
			case *format.ListType, *format.MapType:
				return "more than a value in a row"
			}
		}
		return "structs"
	}
	if t := field.Type().LogicalType(); t != nil {
		if _, ok := t.Value.(*format.NullType); ok {
			return nulls
		}
	}
	if field.Type() == parquetgo.NullType {
		return nulls
	}
	if decimal, _ := meaningOf(field.Type()); decimal {
		return "decimals (cast them to double)"
	}
	switch kind := field.Type().Kind(); kind {
	case parquetgo.Boolean, parquetgo.Int32, parquetgo.Int64, parquetgo.Float, parquetgo.Double,
		parquetgo.ByteArray:
		return ""
	case parquetgo.FixedLenByteArray:
		return "bytes of fixed length"
	case parquetgo.Int96:
		return "integers of 96 bits"
	default:
		return fmt.Sprintf("values of the kind %v", kind)
	}
}

// leaves returns the number of columns of leaves that make up a column.
func leaves(node parquetgo.Node) (n int) {
	if node.Leaf() {
		return 1
	}
	for _, field := range node.Fields() {
		n += leaves(field)
	}
	return n
}

// meaningOf reports whether numbers of a type are decimals, whose point is elsewhere, and whether
// they have no sign. Older files report this in another way.
func meaningOf(t parquetgo.Type) (decimal, unsigned bool) {
	if logical := t.LogicalType(); logical != nil {
		switch v := logical.Value.(type) {
		case *format.DecimalType:
			decimal = true
		case *format.IntType:
			unsigned = !v.IsSigned
		}
	}
	if old := t.ConvertedType(); old != nil {
		decimal = decimal || *old == deprecated.Decimal
		unsigned = unsigned || *old >= deprecated.Uint8 && *old <= deprecated.Uint64
	}
	return decimal, unsigned
}

package decode

import (
	"fmt"

	parquetgo "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// parquetForm is the form of the values of a column.
type parquetForm struct {
	kind parquetgo.Kind
	// unsigned is true for integers without a sign.
	unsigned bool
}

// findColumns enters the columns of the file.
func (t *parquetTable) findColumns(skip []string) (err error) {
	var names, unread []string
	for k, field := range t.file.Schema().Fields() {
		what, form := unreadParquet(field), parquetForm{}
		if what == "" {
			form.kind = field.Type().Kind()
			_, form.unsigned = meaningOf(field.Type())
		}
		names, unread, t.forms = append(names, field.Name()), append(unread, what), append(t.forms, form)
		for range leaves(field) {
			t.leaf = append(t.leaf, k)
		}
	}
	t.columns, err = columnsOf(names, unread, skip)
	return err
}

// unreadParquet describes the contents of a column that are not read, or returns "".
func unreadParquet(field parquetgo.Field) string {
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

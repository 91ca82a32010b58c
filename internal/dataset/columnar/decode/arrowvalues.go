package decode

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// unreadArrow describes the contents of a column that are not read, or returns "".
func unreadArrow(t arrow.DataType) string {
	switch t.ID() {
	case arrow.NULL:
		return nulls
	case arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32,
		arrow.UINT64, arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128,
		arrow.DECIMAL256, arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION,
		arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return ""
	case arrow.DICTIONARY:
		return unreadArrow(t.(*arrow.DictionaryType).ValueType)
	case arrow.EXTENSION:
		return unreadArrow(t.(arrow.ExtensionType).StorageType())
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW, arrow.MAP:
		return "more than a value in a row"
	case arrow.STRUCT:
		return "structs"
	case arrow.FIXED_SIZE_BINARY:
		return "bytes of fixed length"
	}
	return fmt.Sprintf("values of the type %s", t.Name())
}

// withoutExtension returns the values that an array of an extension type stores.
func withoutExtension(a arrow.Array) arrow.Array {
	for {
		e, ok := a.(array.ExtensionArray)
		if !ok {
			return a
		}
		a = e.Storage()
	}
}

// arrowText returns the value of row i as text: the same text as in a table. Dates and times are the integers that the
// file has.
func arrowText(a arrow.Array, i int, name string) (string, error) {
	if a.IsNull(i) {
		return "", nil
	}
	switch a := a.(type) {
	case *array.Null:
		return "", nil
	case *array.Dictionary:
		return arrowText(withoutExtension(a.Dictionary()), a.GetValueIndex(i), name)
	case *array.Boolean:
		if a.Value(i) {
			return "1", nil
		}
		return "0", nil
	case *array.Float16:
		return number(float64(a.Value(i).Float32()), name)
	case *array.Float32:
		return number(float64(a.Value(i)), name)
	case *array.Float64:
		return number(a.Value(i), name)
	case *array.Uint8:
		return unsigned(a, i), nil
	case *array.Uint16:
		return unsigned(a, i), nil
	case *array.Uint32:
		return unsigned(a, i), nil
	case *array.Uint64:
		return unsigned(a, i), nil
	case *array.Int8:
		return signed(a, i), nil
	case *array.Int16:
		return signed(a, i), nil
	case *array.Int32:
		return signed(a, i), nil
	case *array.Int64:
		return signed(a, i), nil
	case *array.Date32:
		return signed(a, i), nil
	case *array.Date64:
		return signed(a, i), nil
	case *array.Time32:
		return signed(a, i), nil
	case *array.Time64:
		return signed(a, i), nil
	case *array.Timestamp:
		return signed(a, i), nil
	case *array.Duration:
		return signed(a, i), nil
	case *array.Decimal32, *array.Decimal64, *array.Decimal128, *array.Decimal256:
		return a.ValueStr(i), nil
	case interface{ Value(int) string }: // the three layouts of text
		return a.Value(i), nil
	case interface{ Value(int) []byte }: // the three layouts of bytes
		return string(a.Value(i)), nil
	}
	return "", fmt.Errorf("values of the type %s in column %.40q", a.DataType().Name(), name)
}

// signed returns an integer with a sign as text.
func signed[T ~int8 | ~int16 | ~int32 | ~int64](a interface{ Value(int) T }, i int) string {
	return strconv.FormatInt(int64(a.Value(i)), 10)
}

// unsigned returns an integer without a sign as text.
func unsigned[T uint8 | uint16 | uint32 | uint64](a interface{ Value(int) T }, i int) string {
	return strconv.FormatUint(uint64(a.Value(i)), 10)
}

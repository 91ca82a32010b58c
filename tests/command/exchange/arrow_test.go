package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/dataset/columnar"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// arrowTypes are the types of columns, by the kind in the names of columns behind a colon.
var arrowTypes = map[string]arrow.DataType{
	"double": arrow.PrimitiveTypes.Float64, "float": arrow.PrimitiveTypes.Float32, "half": arrow.FixedWidthTypes.Float16,
	"byte": arrow.PrimitiveTypes.Int8, "ubyte": arrow.PrimitiveTypes.Uint8, "short": arrow.PrimitiveTypes.Int16,
	"ushort": arrow.PrimitiveTypes.Uint16, "int": arrow.PrimitiveTypes.Int32, "uint": arrow.PrimitiveTypes.Uint32,
	"long": arrow.PrimitiveTypes.Int64, "ulong": arrow.PrimitiveTypes.Uint64, "bool": arrow.FixedWidthTypes.Boolean,
	"date": arrow.FixedWidthTypes.Date32, "date64": arrow.FixedWidthTypes.Date64, "time": arrow.FixedWidthTypes.Time32ms,
	"time64": arrow.FixedWidthTypes.Time64us, "timestamp": arrow.FixedWidthTypes.Timestamp_s, "duration": arrow.FixedWidthTypes.Duration_ms,
	"decimal32": &arrow.Decimal32Type{Precision: 9, Scale: 2}, "decimal64": &arrow.Decimal64Type{Precision: 18, Scale: 3},
	"decimal": &arrow.Decimal128Type{Precision: 38, Scale: 20}, "decimal256": &arrow.Decimal256Type{Precision: 60, Scale: 25},
	"": arrow.BinaryTypes.String, "large": arrow.BinaryTypes.LargeString, "view": arrow.BinaryTypes.StringView,
	"bytes": arrow.BinaryTypes.Binary, "largebytes": arrow.BinaryTypes.LargeBinary, "null": arrow.Null,
	"words": &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
	"codes": &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.PrimitiveTypes.Int64},
	"list":  arrow.ListOf(arrow.PrimitiveTypes.Float64), "vector": arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float64),
	"struct": arrow.StructOf(arrow.Field{Name: "u", Type: arrow.PrimitiveTypes.Float64}),
	"fixed":  &arrow.FixedSizeBinaryType{ByteWidth: 2}, "interval": arrow.FixedWidthTypes.MonthInterval,
	"runs": arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float64),
}

// arrowOf writes rows of text in the stream format, or in the file format, in batches of some rows. An empty text is a null.
func arrowOf(t testing.TB, file bool, batch int, header []string, rows [][]string, options ...ipc.Option) string {
	t.Helper()
	var fields []arrow.Field
	for _, h := range header {
		name, kind, _ := strings.Cut(h, ":")
		fields = append(fields, arrow.Field{Name: name, Type: arrowTypes[kind], Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	var b bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(&b, append(options, ipc.WithSchema(schema))...)
	if file {
		f, err := ipc.NewFileWriter(&b, append(options, ipc.WithSchema(schema))...)
		if err != nil {
			t.Fatal(err)
		}
		w = f
	}
	for at := 0; at < len(rows); at += batch {
		r := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for _, row := range rows[at:min(at+batch, len(rows))] {
			for k, text := range row {
				appendArrow(t, r.Field(k), text)
			}
		}
		if err := w.Write(r.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// appendArrow appends the value that a text represents. Dates and times are integers.
func appendArrow(t testing.TB, b array.Builder, text string) {
	t.Helper()
	integer := func(bits int) int64 {
		v, err := strconv.ParseInt(text, 10, bits)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	switch b := b.(type) {
	case *array.NullBuilder:
		b.AppendNull()
	case *array.Date32Builder:
		b.Append(arrow.Date32(integer(32)))
	case *array.Date64Builder:
		b.Append(arrow.Date64(integer(64)))
	case *array.Time32Builder:
		b.Append(arrow.Time32(integer(32)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(integer(64)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(integer(64)))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(integer(64)))
	case *array.BinaryBuilder:
		b.Append([]byte(text))
	case *array.ListBuilder:
		b.Append(true)
		appendArrow(t, b.ValueBuilder(), text)
	case *array.FixedSizeListBuilder:
		b.Append(true)
		appendArrow(t, b.ValueBuilder(), text)
		appendArrow(t, b.ValueBuilder(), text)
	case *array.StructBuilder:
		b.Append(true)
		appendArrow(t, b.FieldBuilder(0), text)
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte("ab"))
	case *array.MonthIntervalBuilder:
		b.Append(1)
	case *array.RunEndEncodedBuilder:
		b.Append(1)
		appendArrow(t, b.ValueBuilder(), text)
	default:
		if text == "" {
			b.AppendNull()
		} else if err := b.AppendValueFromString(text); err != nil {
			t.Fatal(err)
		}
	}
}

// TestArrow trains on a table in both formats of Arrow, in batches of several lengths and with each compression: the models have the
// bytes of the model of the same table as text.
func TestArrow(t *testing.T) {
	asChild(t)
	const seed = 33
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	f := commandtest.NewFolder(t)
	header := []string{"a:double", "b:float", "c:half", "i:byte", "j:ubyte", "k:short", "l:ushort", "m:int", "n:uint", "o:long", "p:ulong", "q:bool",
		"r:date", "s:date64", "t:time", "u:time64", "v:timestamp", "w:duration", "aa:decimal32", "ab:decimal64", "ac:decimal", "ad:decimal256",
		"kind", "large:large", "view:view", "bytes:bytes", "words:words", "codes:codes", "target:words"}
	var names []string
	for _, h := range header {
		name, _, _ := strings.Cut(h, ":")
		names = append(names, name)
	}
	text := strings.Join(names, ",") + "\n"
	var rows [][]string
	whole := func(limit int) string { return strconv.Itoa(rng.IntN(limit)) }
	words := func(list ...string) string { return list[rng.IntN(len(list))] }
	for i := range 150 {
		row := []string{fmt.Sprint(rng.NormFloat64() + float64(i%2)), fmt.Sprint(float64(float32(rng.NormFloat64()))), fmt.Sprint(float64(rng.IntN(64)-32) / 8),
			words("-128", "127", "3"), words("255", "0"), words("-32768", "32767"), words("65535", "1"), words("-2147483648", "2147483647"), words("4294967295", "2"),
			words("-9223372036854775808", "9223372036854775807"), words("18446744073709551615", "7"), words("0", "1"),
			whole(20000), whole(1e9), whole(1000), whole(1e9), whole(1e9), whole(1e9), words("-9999999.99", "0.05", "12.50"), words("123456789012345.678", "-0.001"),
			words("123456789012345678.12345678901234567890", "-3.00000000000000000001"), words("98765432109876543210987654321.1234567890123456789012345", "1.5000000000000000000000000"),
			words("red", "a \"b\", c"), words("one", "another that is long"), words("tiny", "a text of more than twelve bytes"), words("ab", "cd"), words("green", "blue", "grey"),
			words("5", "6", "70"), []string{"no", "yes"}[i%2]}
		rows = append(rows, row)
		quoted := []string{}
		for _, field := range row {
			if strings.Contains(field, `"`) {
				field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
			}
			quoted = append(quoted, field)
		}
		text += strings.Join(quoted, ",") + "\n"
	}
	for _, row := range rows { // The builder takes truth values as words.
		row[11] = map[string]string{"0": "false", "1": "true"}[row[11]]
	}
	table := f.File("d.csv", text)
	commandtest.Must(t, "convert", "--quiet", "--label", "target", "-o", f.At("text.libsvm"), table)
	compressions := map[string][]ipc.Option{"none": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}}
	for _, batch := range []int{1000, 64} {
		for name, options := range compressions {
			for _, file := range []bool{false, true} {
				if file && batch < len(rows) { // The writer does not write files of several dictionaries.
					continue
				}
				data := f.File("d.bin", arrowOf(t, file, batch, header, rows, options...))
				commandtest.Must(t, "convert", "--quiet", "--label", "target", "-o", f.At("x.libsvm"), data)
				if f.Read("x.libsvm") != f.Read("text.libsvm") {
					t.Errorf("batches of %d, compression %s, file %v: other rows than of text", batch, name, file)
				}
				os.Remove(f.At("x.libsvm"))
			}
		}
	}
	args := []string{"train", "--quiet", "--kernels", "linear,gauss:auto/2", "--scale", "standard", "--label", "target"}
	commandtest.Must(t, append(args, "-o", f.At("n"), table)...)
	stream := arrowOf(t, false, 64, header, rows, ipc.WithLZ4())
	for name, data := range map[string]string{"d.arrows": stream, "d.arrow": arrowOf(t, true, len(rows), header, rows)} {
		f.File(name, data)
		commandtest.Must(t, append(args, "-o", f.At("m"), "--test", f.At(name), f.At(name))...)
		if f.Read("m") != f.Read("n") {
			t.Errorf("%s: the model has other bytes than that of text", name)
		}
		commandtest.Must(t, "verify", "--quiet", f.At("m"), f.At(name))
		if commandtest.Must(t, "predict", "--quiet", f.At("m"), f.At(name)).Stdout != commandtest.Must(t, "predict", "--quiet", f.At("n"), table).Stdout {
			t.Errorf("%s: other predictions than of text", name)
		}
	}
	// A pipe has all categories in its first rows here. It is recognised, or --format names it.
	for _, format := range []string{"auto", "arrow"} {
		from := iotest.OneByteReader(strings.NewReader(stream))
		if o := commandtest.Execute(t.Context(), from, append(args, "--format", format, "-o", f.At("m"), "-")...); o.Code != contract.ExitFine {
			t.Errorf("a pipe, --format %s: exit code %d, %s", format, o.Code, o.Stderr)
		} else if f.Read("m") != f.Read("n") {
			t.Errorf("a pipe, --format %s: the model has other bytes than that of text", format)
		}
	}
	commandtest.Must(t, "convert", "--quiet", "--label", "target", "-o", f.At("two.libsvm"), f.At("d.arrows"), f.At("d.arrow"))
	if n := strings.Count(f.Read("two.libsvm"), "\n"); n != 2*len(rows) {
		t.Errorf("two files: %d rows", n)
	}
}

// TestArrowOfOthers reads files that pyarrow 26.0.1 (C++) and polars 2.1.0 (Rust) wrote of one table, with lz4 or zstd and in several batches,
// and the table as pandas wrote it as text.
func TestArrowOfOthers(t *testing.T) {
	asChild(t)
	f := commandtest.NewFolder(t)
	commandtest.Must(t, "convert", "--quiet", "-o", f.At("text.libsvm"), "testdata/pyarrow.csv")
	for _, name := range []string{"pyarrow.feather", "pyarrow.arrows", "polars.arrow", "polars.arrows"} {
		commandtest.Must(t, "convert", "--quiet", "-o", f.At("x.libsvm"), "testdata/"+name)
		if f.Read("x.libsvm") != f.Read("text.libsvm") {
			t.Errorf("%s: other rows than of text", name)
		}
	}
}

// TestArrowValues: nulls of every type are missing values, whose faults have their place, dictionaries may have nulls and may be
// replaced, and columns of times and sequences are read as in a table of text.
func TestArrowValues(t *testing.T) {
	asChild(t)
	f := commandtest.NewFolder(t)
	for kind := range arrowTypes {
		switch kind {
		case "null", "list", "vector", "struct", "fixed", "interval", "runs", "bytes", "date", "date64", "time", "time64", "timestamp", "duration":
			continue
		}
		value := map[bool]string{true: "true", false: "3"}[kind == "bool"]
		data := f.File("d.arrows", arrowOf(t, false, 2, []string{"a:" + kind, "b:int", "y:int"}, [][]string{{value, "1", "1"}, {value, "2", "2"}, {"", "3", "1"}}))
		if o := commandtest.Try("convert", "-o", f.At("no.libsvm"), data); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, "d.arrows:4:1: the value of column a is missing") {
			t.Errorf("a null of kind %q: exit code %d, %s", kind, o.Code, o.Stderr)
		}
		commandtest.Must(t, "gram", "--quiet", "--impute", "median", "--kernels", "linear", "-o", f.At("x.npy"), data)
	}
	key := []arrow.Field{{Name: "k", Type: arrowTypes["words"]}, {Name: "y", Type: arrowTypes["double"]}}
	schema := arrow.NewSchema(key, nil)
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	for _, words := range []string{`["p", "q"]`, `["r", null, "p"]`} {
		dictionary, _, err := array.FromJSON(memory.DefaultAllocator, arrow.BinaryTypes.String, strings.NewReader(words))
		if err != nil {
			t.Fatal(err)
		}
		places, _, _ := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int8, strings.NewReader("[0, 1, null, 0]"))
		labels, _, _ := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Float64, strings.NewReader("[1, 2, 3, 4]"))
		keys := array.NewDictionaryArray(key[0].Type, places, dictionary)
		if err := w.Write(array.NewRecordBatch(schema, []arrow.Array{keys, labels}, 4)); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	args := []string{"gram", "--quiet", "--impute", "indicator", "--kernels", "linear", "-o"}
	commandtest.Must(t, append(args, f.At("k1.npy"), f.File("k.arrows", b.String()))...)
	commandtest.Must(t, append(args, f.At("k2.npy"), f.File("k.csv", "k,y\np,1\nq,2\n,3\np,4\nr,1\n,2\n,3\nr,4\n"))...)
	if f.Read("k1.npy") != f.Read("k2.npy") {
		t.Error("dictionaries: another kernel matrix than of text")
	}
	var times, letters [][]string
	text, sites := "a,days,dead\n", "a,site,y\n"
	for i := range 40 {
		dead := i%3 > 0
		times = append(times, []string{strconv.Itoa(i * 7 % 11), strconv.Itoa(10 + i*5%17), strconv.FormatBool(dead)})
		text += fmt.Sprintf("%d,%d,%d\n", i*7%11, 10+i*5%17, map[bool]int{true: 1}[dead])
		site := []string{"GATTACA", "CATTAGA"}[i%2]
		letters = append(letters, []string{strconv.Itoa(i % 5), site, []string{"no", "yes"}[i%2]})
		sites += strings.Join(letters[i], ",") + "\n"
	}
	for _, c := range []struct {
		data, text string
		args       []string
	}{
		{arrowOf(t, true, 9, []string{"a:int", "days:long", "dead:bool"}, times), text, []string{"--task", "survival", "--time", "days", "--event", "dead"}},
		{arrowOf(t, true, 9, []string{"a:int", "site:large", "y"}, letters), sites, []string{"--sequence", "site", "--kernels", "spectrum:2"}},
	} {
		args := append([]string{"train", "--quiet", "-o"}, f.At("m"))
		commandtest.Must(t, append(append(args, c.args...), f.File("x.arrow", c.data))...)
		got := f.Read("m")
		commandtest.Must(t, append(append(args, c.args...), f.File("x.csv", c.text))...)
		if got != f.Read("m") {
			t.Errorf("%v: the model has other bytes than that of text", c.args)
		}
		commandtest.Must(t, "verify", "--quiet", f.At("m"), f.At("x.arrow"))
	}
}

// TestArrowFaults: what is not read is one error that names the file and the column.
func TestArrowFaults(t *testing.T) {
	asChild(t)
	f := commandtest.NewFolder(t)
	rows := [][]string{{"1", "3", "p"}, {"2", "4", "q"}, {"5", "6", "p"}}
	good := arrowOf(t, false, 2, []string{"a:double", "b:int", "y"}, rows)
	file := arrowOf(t, true, 2, []string{"a:double", "b:int", "y"}, rows)
	for want, data := range map[string]string{
		`line 3: a value of column "a" is infinite`:          arrowOf(t, false, 1, []string{"a:double", "y"}, [][]string{{"1", "p"}, {"inf", "q"}}),
		`line 2: a value of column "a" is infinite`:          arrowOf(t, true, 1, []string{"a:half", "y"}, [][]string{{"-inf", "p"}}),
		"no mark of its end, and may be cut off":             good[:len(good)-8],
		"data follow the end of the stream":                  good + good,
		"as Arrow: arrow/ipc: ":                              file[:len(file)-6],
		"version 1 of Feather":                               "FEA1" + file,
		"no column has values":                               arrowOf(t, false, 2, []string{"a:null"}, [][]string{{""}}),
		`as Arrow: the name "" of a column is no text`:       arrowOf(t, false, 2, []string{":double"}, nil),
		`as Arrow: the name "a\n" of a column is no text`:    arrowOf(t, false, 2, []string{"a\n:double"}, nil),
		"as Arrow: 0 columns":                                arrowOf(t, false, 2, nil, nil),
		`column "s" has more than a value in a row, which a`: arrowOf(t, true, 2, []string{"a:double", "s:list", "y"}, rows),
	} {
		bad := f.File("bad.arrow", data)
		if o := commandtest.Try("train", "--quiet", "-o", f.At("no"), bad); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, want) ||
			!strings.HasPrefix(o.Stderr, "bigmkl: "+bad) || f.Exists("no") {
			t.Errorf("%s: exit code %d, %s", want, o.Code, o.Stderr)
		}
	}
	for kind, what := range map[string]string{"list": "more than a value in a row", "vector": "more than a value in a row", "struct": "structs", "fixed": "bytes of fixed length",
		"interval": "values of the type month_interval", "runs": "values of the type run_end_encoded", "null": "no value in the first 3 rows"} {
		data := f.File("odd.arrow", arrowOf(t, true, 2, []string{"a:double", "s:" + kind, "y"}, rows))
		if o := commandtest.Try("convert", "--quiet", "-o", f.At("no.libsvm"), data); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, "column") ||
			!strings.Contains(o.Stderr, " has "+what) || !strings.Contains(o.Stderr, "--id") {
			t.Errorf("%s: exit code %d, %s", kind, o.Code, o.Stderr)
		}
		commandtest.Must(t, "convert", "--quiet", "--id", "s", "-o", f.At("x.libsvm"), data)
		if want := "p 1:1\nq 1:2\np 1:5\n"; f.Read("x.libsvm") != want {
			t.Errorf("%s: %s", kind, f.Read("x.libsvm"))
		}
	}
	for _, c := range []struct{ format, data, want string }{
		{"auto", file, "in Arrow, which is read from files"}, {"arrow", file, "read from a file, and not from a pipe"}, {"arrow", "1 1:1\n", "<stdin>: cannot be read as Arrow"},
		{"parquet", file, "in Parquet, which is read from files"}, {"auto", good[:len(good)-12], "<stdin>: cannot be read as Arrow"}, {"auto", "\xff\xff\xff", "<stdin>:1"},
	} {
		o := commandtest.Execute(t.Context(), strings.NewReader(c.data), "convert", "--quiet", "--format", c.format, "-o", f.At("no.libsvm"), "-")
		if o.Code != contract.ExitInput || !strings.Contains(o.Stderr, c.want) || strings.Count(o.Stderr, "\n") != 1 || f.Exists("no.libsvm") {
			t.Errorf("a pipe, --format %s: exit code %d, %s", c.format, o.Code, o.Stderr)
		}
	}
	data := f.File("d.arrow", file)
	if o := commandtest.Try("train", "--quiet", "-o", f.At("no"), data, f.File("d.csv", "a,b,y\n1,2,p\n")); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "is in Arrow and") {
		t.Errorf("Arrow and text: exit code %d, %s", o.Code, o.Stderr)
	}
	for _, from := range []string{data, "-"} {
		if _, err := formats.Open(t.Context(), []string{from}, strings.NewReader(good), formats.Options{}); err == nil || !strings.Contains(err.Error(), "the library does not") {
			t.Errorf("the library: %v", err)
		}
	}
}

// TestMutatedArrow changes bytes: every change gives rows or one error that names the file.
func TestMutatedArrow(t *testing.T) {
	asChild(t)
	t.Logf("BIGMKL_SEED=%d", testlevel.Seed)
	rng := rand.New(rand.NewPCG(testlevel.Seed, 34))
	f := commandtest.NewFolder(t)
	var rows [][]string
	for i := range 50 {
		rows = append(rows, []string{fmt.Sprint(rng.NormFloat64()), []string{"p", "q"}[i%2], strconv.Itoa(i), "a text of many bytes", "x"})
	}
	for k := range testlevel.Repeats(60, 600) {
		good := arrowOf(t, k%2 > 0, 20+30*(k%2), []string{"a:double", "y", "c:long", "v:view", "w:words"}, rows, [][]ipc.Option{{ipc.WithLZ4()}, {ipc.WithZstd()}, nil}[k%3]...)
		b := []byte(good)
		for range 1 + rng.IntN(4) {
			b[rng.IntN(len(b))] ^= byte(1 + rng.IntN(255))
		}
		if k%10 == 0 {
			b = b[:rng.IntN(len(b))]
		}
		bad := f.File("bad.arrow", string(b))
		o := commandtest.Try("convert", "--quiet", "-o", f.At("x.libsvm"), bad)
		if o.Code == contract.ExitFine {
			os.Remove(f.At("x.libsvm"))
		} else if o.Code != contract.ExitInput || !strings.HasPrefix(o.Stderr, "bigmkl: "+bad) || strings.Count(o.Stderr, "\n") != 1 || f.Exists("x.libsvm") {
			t.Fatalf("mutation %d: exit code %d, %s", k, o.Code, o.Stderr)
		}
	}
}

// TestSilentPipe: the child of a pipe may wait for its bytes for longer than it may be silent, and reading ends with its context.
func TestSilentPipe(t *testing.T) {
	asChild(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	good := arrowOf(t, false, 1, []string{"a:double", "y"}, [][]string{{"1", "p"}, {"2", "q"}})
	d := columnar.Decoder{Command: []string{program}, Silence: 300 * time.Millisecond}
	in := &pausing{text: good, pause: time.Second}
	src, err := formats.Open(t.Context(), []string{"-"}, in, formats.Options{Decoder: d})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; err == nil; n++ {
		_, err = src.Next()
	}
	if src.Close(); n != 3 || !in.paused {
		t.Errorf("%d rows, %v", n-1, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	ended := make(chan struct{})
	defer close(ended)
	_, err = formats.Open(ctx, []string{"-"}, &hanging{text: good[:len(good)/2], until: ended}, formats.Options{Decoder: d})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline: %v", err)
	}
}

// pausing yields a text, and waits before the second half of it.
type pausing struct {
	text   string
	pause  time.Duration
	paused bool
	at     int
}

func (p *pausing) Read(to []byte) (int, error) {
	end := len(p.text) / 2
	if p.at >= end {
		if end = len(p.text); !p.paused {
			time.Sleep(p.pause)
			p.paused = true
		}
	}
	n := copy(to, p.text[p.at:end])
	p.at += n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// hanging yields a text, and then waits.
type hanging struct {
	text  string
	until chan struct{}
}

func (h *hanging) Read(to []byte) (int, error) {
	if h.text == "" {
		<-h.until
	}
	n := copy(to, h.text)
	h.text = h.text[n:]
	return n, nil
}

package exchange

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	parquetgo "github.com/parquet-go/parquet-go"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/dataset/columnar"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// parquetOf writes rows of text as a Parquet file. The kind of each column is in its name behind a colon.
func parquetOf(t *testing.T, header []string, rows [][]string, options ...parquetgo.WriterOption) string {
	t.Helper()
	group := parquetgo.Group{}
	kinds := map[string]string{}
	for _, h := range header {
		name, kind, _ := strings.Cut(h, ":")
		kinds[name] = kind
		switch kind {
		case "double":
			group[name] = parquetgo.Optional(parquetgo.Leaf(parquetgo.DoubleType))
		case "float":
			group[name] = parquetgo.Leaf(parquetgo.FloatType)
		case "long":
			group[name] = parquetgo.Int(64)
		case "ulong":
			group[name] = parquetgo.Uint(64)
		case "bool":
			group[name] = parquetgo.Leaf(parquetgo.BooleanType)
		case "decimal":
			group[name] = parquetgo.Decimal(2, 9, parquetgo.Int32Type)
		case "null":
			group[name] = parquetgo.Optional(parquetgo.Leaf(parquetgo.NullType))
		case "struct":
			group[name] = parquetgo.Group{"u": parquetgo.Leaf(parquetgo.DoubleType), "v": parquetgo.Leaf(parquetgo.DoubleType)}
		case "list":
			group[name] = parquetgo.Repeated(parquetgo.Leaf(parquetgo.DoubleType))
		default:
			group[name] = parquetgo.String()
		}
	}
	schema := parquetgo.NewSchema("rows", group)
	var b bytes.Buffer
	w := parquetgo.NewWriter(&b, append([]parquetgo.WriterOption{schema}, options...)...)
	var place []int
	for _, path := range schema.Columns() {
		place = append(place, slices.IndexFunc(header, func(h string) bool { return strings.HasPrefix(h, path[0]+":") || h == path[0] }))
	}
	for _, fields := range rows {
		row := parquetgo.Row{}
		for at, path := range schema.Columns() {
			text := fields[place[at]]
			var v parquetgo.Value
			number, _ := strconv.ParseFloat(text, 64)
			level := 0
			switch kinds[path[0]] {
			case "double":
				if v = parquetgo.DoubleValue(number); text == "" {
					v = parquetgo.NullValue()
				} else {
					level = 1
				}
			case "float":
				v = parquetgo.FloatValue(float32(number))
			case "long":
				v = parquetgo.Int64Value(int64(number))
			case "ulong":
				n, _ := strconv.ParseUint(text, 10, 64)
				v = parquetgo.Int64Value(int64(n))
			case "bool":
				v = parquetgo.BooleanValue(text == "1")
			case "decimal":
				v = parquetgo.Int32Value(int32(number))
			case "null":
				v = parquetgo.NullValue()
			case "struct":
				v = parquetgo.DoubleValue(number)
			case "list":
				v, level = parquetgo.DoubleValue(number), 1
			default:
				v = parquetgo.ByteArrayValue([]byte(text))
			}
			row = append(row, v.Level(0, level, at))
		}
		if _, err := w.WriteRows([]parquetgo.Row{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// asChild lets children of this test be the program.
func asChild(t *testing.T) { t.Setenv("BIGMKL_TEST_AS_PROGRAM", "1") }

// TestParquet trains on a Parquet file and on the same table as text: the models have the same bytes.
func TestParquet(t *testing.T) {
	asChild(t)
	const seed = 31
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	f := commandtest.NewFolder(t)
	header := []string{"a:double", "b:float", "c:long", "d:bool", "kind", "target", "u:ulong"}
	var rows [][]string
	text := "a,b,c,d,kind,target,u\n"
	for i := range 200 {
		row := []string{fmt.Sprint(rng.NormFloat64() + float64(i%2)), fmt.Sprint(float64(float32(rng.NormFloat64()))), strconv.Itoa(rng.IntN(9) - 4),
			strconv.Itoa(rng.IntN(2)), []string{"red", "a \"b\", c", "x\ny"}[rng.IntN(3)], []string{"no", "yes"}[i%2], []string{"18446744073709551615", "7"}[rng.IntN(2)]}
		rows = append(rows, row)
		quoted := slices.Clone(row)
		quoted[4] = `"` + strings.ReplaceAll(row[4], `"`, `""`) + `"`
		text += strings.Join(quoted, ",") + "\n"
	}
	for i := range rows { // Names of categories are texts of one line.
		rows[i][4] = strings.ReplaceAll(rows[i][4], "\n", "-")
	}
	text = strings.ReplaceAll(text, "x\ny", "x-y")
	data, table := f.File("d.parquet", parquetOf(t, header, rows, parquetgo.MaxRowsPerRowGroup(70))), f.File("d.csv", text)
	for _, codec := range []parquetgo.WriterOption{parquetgo.Compression(&parquetgo.Snappy), parquetgo.Compression(&parquetgo.Zstd), parquetgo.Compression(&parquetgo.Gzip)} {
		commandtest.Must(t, "convert", "--quiet", "-o", f.At("x.libsvm"), f.File("c.parquet", parquetOf(t, header, rows, codec)))
		commandtest.Must(t, "convert", "--quiet", "-o", f.At("y.libsvm"), table)
		if f.Read("x.libsvm") != f.Read("y.libsvm") {
			t.Error("compressed: other rows")
		}
	}
	args := []string{"train", "--quiet", "--kernels", "linear,gauss:auto/2", "--scale", "standard"}
	commandtest.Must(t, append(args, "-o", f.At("m"), "--test", data, data)...)
	commandtest.Must(t, append(args, "-o", f.At("n"), table)...)
	if f.Read("m") != f.Read("n") {
		t.Error("the model has other bytes than that of text")
	}
	commandtest.Must(t, "verify", "--quiet", f.At("m"), data)
	if commandtest.Must(t, "predict", "--quiet", f.At("m"), data).Stdout != commandtest.Must(t, "predict", "--quiet", f.At("m"), table).Stdout {
		t.Error("other predictions than of text")
	}
	commandtest.Must(t, "convert", "--quiet", "-o", f.At("two.libsvm"), data, f.At("c.parquet"))
	for want, text := range map[string]string{
		"4:1: the value of column a is missing":     parquetOf(t, []string{"a:double", "y"}, [][]string{{"1", "p"}, {"2", "q"}, {"", "p"}}),
		`line 3: a value of column "a" is infinite`: parquetOf(t, []string{"a:double", "y"}, [][]string{{"1", "p"}, {"inf", "q"}}),
		"has decimals (cast":                        parquetOf(t, []string{"a:decimal", "y"}, [][]string{{"1", "p"}}),
		"has more than a value in a row":            parquetOf(t, []string{"a:list", "y"}, [][]string{{"1", "p"}}),
	} {
		if o := commandtest.Try("train", "--quiet", "-o", f.At("no"), f.File("bad.parquet", text)); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, want) || f.Exists("no") {
			t.Errorf("%s: exit code %d, %s", want, o.Code, o.Stderr)
		}
	}
	if o := commandtest.Try("train", "--quiet", "-o", f.At("no"), data, table); o.Code != contract.ExitUsage {
		t.Errorf("Parquet and text: exit code %d, %s", o.Code, o.Stderr)
	}
	if _, err := formats.Open(t.Context(), []string{data}, nil, formats.Options{}); err == nil || !strings.Contains(err.Error(), "the library does not") {
		t.Errorf("the library: %v", err)
	}
}

// TestParquetColumns: a column of other values than numbers and text is named with its type, and --id leaves it out. The index
// that pandas writes is left out in any case, and the model has the other columns.
func TestParquetColumns(t *testing.T) {
	asChild(t)
	f := commandtest.NewFolder(t)
	var rows [][]string
	text := "a,b,y\n"
	for i := range 40 {
		a, b := strconv.Itoa(i*37%41-i%2*9), strconv.Itoa(i%5)
		rows = append(rows, []string{a, "3", b, []string{"no", "yes"}[i%2], strconv.Itoa(i)})
		text += a + "," + b + "," + []string{"no", "yes"}[i%2] + "\n"
	}
	plain := f.File("plain.csv", text)
	args := []string{"train", "--quiet", "--kernels", "linear", "--scale", "standard"}
	commandtest.Must(t, append(args, "-o", f.At("plain"), plain)...)
	for odd, want := range map[string]string{
		"s:struct":  `column "s" has structs`,
		"s:list":    `column "s" has more than a value in a row`,
		"s:decimal": `column "s" has decimals`,
		"s:null":    "column s has no value in the first 40 rows",
	} {
		data := f.File("odd.parquet", parquetOf(t, []string{"a:double", odd, "b:long", "y", "__index_level_0__:long"}, rows))
		if o := commandtest.Try(append(args, "-o", f.At("no"), data)...); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, want) || !strings.Contains(o.Stderr, "--id") {
			t.Errorf("%s: exit code %d, %s", odd, o.Code, o.Stderr)
		}
		commandtest.Must(t, append(args, "--id", "s", "-o", f.At("odd"), data)...)
		commandtest.Must(t, "verify", "--quiet", f.At("odd"), data)
		got := commandtest.Must(t, "predict", "--quiet", f.At("odd"), data).Stdout
		if want := commandtest.Must(t, "predict", "--quiet", f.At("plain"), plain).Stdout; got != want {
			t.Errorf("%s: other predictions than without the column", odd)
		}
	}
}

// TestMutatedParquet changes bytes of a file: every one gives rows or one error that names the file, in bounded time.
func TestMutatedParquet(t *testing.T) {
	asChild(t)
	t.Logf("BIGMKL_SEED=%d", testlevel.Seed)
	rng := rand.New(rand.NewPCG(testlevel.Seed, 32))
	f := commandtest.NewFolder(t)
	var rows [][]string
	for i := range 50 {
		rows = append(rows, []string{fmt.Sprint(rng.NormFloat64()), []string{"p", "q"}[i%2], strconv.Itoa(i)})
	}
	good := parquetOf(t, []string{"a:double", "y", "c:long"}, rows, parquetgo.Compression(&parquetgo.Snappy))
	for k := range testlevel.Repeats(60, 600) {
		b := []byte(good)
		for range 1 + rng.IntN(4) {
			b[rng.IntN(len(b))] ^= byte(1 + rng.IntN(255))
		}
		if k%10 == 0 {
			b = b[:rng.IntN(len(b))]
		}
		bad := f.File("bad.parquet", string(b))
		o := commandtest.Try("convert", "--quiet", "-o", f.At("x.libsvm"), bad)
		if o.Code == contract.ExitFine {
			os.Remove(f.At("x.libsvm"))
		} else if o.Code != contract.ExitInput || !strings.HasPrefix(o.Stderr, "bigmkl: "+bad) || strings.Count(o.Stderr, "\n") != 1 || f.Exists("x.libsvm") {
			t.Fatalf("mutation %d: exit code %d, %s", k, o.Code, o.Stderr)
		}
	}
}

// TestParquetChild: a child that dies, is silent, or takes too much memory ends in one error, and rows that it wrote before count
// for nothing.
func TestParquetChild(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("d.parquet", parquetOf(t, []string{"a:double", "y"}, [][]string{{"1", "p"}}))
	read := func(ctx context.Context, d columnar.Decoder) error {
		src, err := formats.Open(ctx, []string{data}, nil, formats.Options{Decoder: d})
		if err != nil {
			return err
		}
		defer src.Close()
		for {
			if _, err := src.Next(); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	if runtime.GOOS != "windows" {
		for want, script := range map[string]string{
			"ended by signal: killed":       "printf 'a,y\\n1,p\\n2,'; kill -9 $$",
			"ended by exit status 7":        "printf 'a,y\\n1,p\\n'; exit 7",
			"nothing was decoded for 300ms": "printf 'a,y\\n1,p\\n'; exec sleep 100",
			`as Parquet: "a\x1b[31m"`:       "printf 'columns: a\\033[31m\\nmore\\n' >&2; exit 1",
		} {
			silence := time.Minute
			if strings.Contains(script, "sleep") {
				silence = 300 * time.Millisecond
			}
			err := read(t.Context(), columnar.Decoder{Command: []string{"/bin/sh", "-c", script}, Silence: silence})
			if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), data) {
				t.Errorf("%s: %v", script, err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := read(ctx, columnar.Decoder{Command: []string{"/bin/sh", "-c", "exec sleep 100"}}); err == nil || !strings.Contains(err.Error(), "deadline") {
			t.Errorf("a deadline: %v", err)
		}
	}
	asChild(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := read(t.Context(), columnar.Decoder{Command: []string{program}}); err != nil {
		t.Errorf("a whole file: %v", err)
	}
	value, memory := 6<<20, int64(5<<20)
	if testlevel.Reached(testlevel.EveryKind) {
		value, memory = 24<<20, 20<<20
	}
	f.File("d.parquet", parquetOf(t, []string{"a", "y"}, [][]string{{strings.Repeat("x", value), "p"}}))
	if err := read(t.Context(), columnar.Decoder{Command: []string{program}, Memory: memory}); err == nil || !strings.HasPrefix(err.Error(), data+": cannot be read as Parquet") {
		t.Errorf("a value of %d bytes in %d: %v", value, memory, err)
	}
}

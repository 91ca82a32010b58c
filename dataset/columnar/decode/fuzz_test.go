package decode

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// FuzzArrow: any bytes give a whole table of text or an error.
func FuzzArrow(f *testing.F) {
	paths, err := filepath.Glob("../../../tests/command/formats/testdata/p*.*")
	if err != nil || len(paths) == 0 {
		f.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "day")
	}
	odd := arrow.NewSchema([]arrow.Field{
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "v", Type: arrow.FixedWidthTypes.Boolean})},
		{Name: "v", Type: arrow.BinaryTypes.StringView},
		{Name: "n", Type: arrow.Null},
		{Name: "x", Type: arrow.FixedWidthTypes.Float16}}, nil)
	rows, _, err := array.RecordFromJSON(memory.DefaultAllocator, odd,
		strings.NewReader(`[{"l": [1, 2], "s": {"v": true}, "v": "a", "n": null, "x": 0.5}]`))
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(odd))
	if err := w.Write(rows); err != nil {
		f.Fatal(err)
	}
	w.Close()
	for _, skip := range []string{"l", "1,2", "l,s,x"} {
		f.Add(b.Bytes(), skip)
	}
	f.Fuzz(func(t *testing.T, data []byte, skip string) {
		var text bytes.Buffer
		const memory = 1 << 20
		err := write("arrow", bytes.NewReader(data), strings.Split(skip, ","), memory, &bounding{&text, 4 << 20})
		if err != nil {
			return
		}
		r := csv.NewReader(&text) // It rejects records of different lengths.
		for {
			if _, err := r.Read(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// bounding writes at most some bytes, and then fails as a pipe does that nobody reads.
type bounding struct {
	to   io.Writer
	left int
}

func (b *bounding) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return b.to.Write(p)
}

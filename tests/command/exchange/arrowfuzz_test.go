package exchange

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/internal/dataset/columnar"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/fail"
)

// FuzzArrow: any bytes give rows or one error of class fail.Input that names the file, by a child process as in the command. In one
// process a few bytes would end the test, as the reader allocates what a count states.
func FuzzArrow(f *testing.F) {
	for _, name := range []string{"pyarrow.feather", "pyarrow.arrows", "polars.arrow", "polars.arrows"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "day")
	}
	rows := [][]string{{"1", "0.5", "", "a text of more than twelve bytes", "2", "p"}, {"2", "", "", "b", "3", "q"}}
	for _, skip := range []string{"s", "1,2", "l,s,x"} {
		f.Add([]byte(arrowOf(f, false, 1, []string{"l:list", "x:half", "n:null", "v:view", "s:struct", "y:words"}, rows)), skip)
	}
	program, err := os.Executable()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, skip string) {
		t.Setenv("BIGMKL_TEST_AS_PROGRAM", "1")
		path := filepath.Join(t.TempDir(), "d")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		o := formats.Options{Format: "arrow", Unlabelled: true, Decoder: columnar.Decoder{Command: []string{program}, Memory: 256 << 20}}
		for _, column := range strings.Split(skip, ",") {
			if column != "" {
				o.Table.Skip = append(o.Table.Skip, column)
			}
		}
		src, err := formats.Open(t.Context(), []string{path}, nil, o)
		if err == nil {
			defer src.Close()
			for err == nil {
				_, err = src.Next()
			}
			if err == io.EOF {
				return
			}
		}
		var e *fail.Error
		if !errors.As(err, &e) || !errors.Is(err, fail.Input) && !errors.Is(err, fail.Usage) || errors.Is(err, fail.Input) && e.File != path {
			t.Fatalf("error %v", err)
		}
	})
}

package convert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// rowsOf returns a source of libsvm text.
func rowsOf(text string, kind dataset.Labeling) dataset.Source {
	return dataset.NewReader(strings.NewReader(text), "in", dataset.ReadOptions{Labels: kind})
}

// written returns what Write makes of libsvm text.
func written(t *testing.T, text string, o Options) (string, int, error) {
	t.Helper()
	o.Dir = t.TempDir()
	var b bytes.Buffer
	n, err := Write(t.Context(), rowsOf(text, o.Labels), &b, o)
	if left, _ := os.ReadDir(o.Dir); len(left) > 0 {
		t.Errorf("%s: %d scratch files are left", o.Format, len(left))
	}
	return b.String(), n, err
}

// TestTextKeepsItsNumbers writes rows of any float64 as text again: every number has its bits.
func TestTextKeepsItsNumbers(t *testing.T) {
	const seed = 41
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for i := range 200 {
		fmt.Fprint(&b, i%3)
		for j := range 6 {
			if rng.IntN(3) > 0 {
				fmt.Fprintf(&b, " %d:%v", j+1, rng.NormFloat64()*float64(rng.IntN(1e9)+1)/1e4)
			}
		}
		b.WriteByte('\n')
	}
	if got, n, err := written(t, b.String(), Options{Format: "libsvm"}); got != b.String() || n != 200 || err != nil {
		t.Errorf("%d rows, %v, or another text", n, err)
	}
}

// TestTable writes the header, labels and zeros of a table.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		text, want string
		o          Options
	}{
		{"a 1:0.5 3:-2\nb 2:1e-300\n", "y,x1,n,x3\na,0.5,0,-2\nb,0,1e-300,0\n", Options{Label: "y", Names: []string{"x1", "n"}}},
		{"1:1\n2:2\n", "x1,x2\n1,0\n0,2\n", Options{Label: "y"}},
		{"0.25 1:1\n-1 1:2\n", "y,x1\n0.25,1\n-1,2\n", Options{Label: "y", Labels: dataset.Targets}},
		{"4+ 1:1\n..2 1:2\n2..5.5 1:3\n3 1:4\n", "y,x1\n-4,1\n..2,2\n2..5.5,3\n3,4\n", Options{Label: "y", Labels: dataset.Times}},
		{"1,3 1:1\n- 1:2\n", "y,x1\n\"1,3\",1\n-,2\n", Options{Label: "y", Labels: dataset.Sets}},
		{"a 1:1 2:0\n", "y,x1,x2\na,1,0\n", Options{Label: "y"}},
		{"a 1:1\n", "y,\"p,q\",r\na,1,0\n", Options{Label: "y", Names: []string{"p,q", "r"}}},
	} {
		c.o.Format = "csv"
		if got, _, err := written(t, c.text, c.o); got != c.want || err != nil {
			t.Errorf("%q: %q and not %q, %v", c.text, got, c.want, err)
		}
	}
}

// TestWhatCannotBeWritten: formats that there are not, labels that text cannot hold, and tables that are too wide.
func TestWhatCannotBeWritten(t *testing.T) {
	for want, c := range map[string]struct {
		text string
		o    Options
	}{
		"unknown format":                 {"1 1:1\n", Options{Format: "xml"}},
		"columns are more than a table":  {fmt.Sprintf("1 %d:1\n", dataset.MaxColumns+1), Options{Format: "csv"}},
		"no rows":                        {"", Options{Format: "pack"}},
		"in:2:3: ":                       {"1 1:1\n1 1:x\n", Options{Format: "npz"}},
		"more than 65536 different labe": {manyLabels(), Options{Format: "pack"}},
	} {
		if _, _, err := written(t, c.text, c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	src := dataset.FromSeq(func(yield func(dataset.Row) bool) {
		yield(dataset.Row{Label: "new york", Index: []int32{0}, Value: []float64{1}})
	})
	defer src.Close()
	if _, err := Write(t.Context(), src, io.Discard, Options{Format: "libsvm"}); !errors.Is(err, fail.Input) {
		t.Errorf("a label with a blank: %v", err)
	}
}

// manyLabels returns text with more labels than there may be classes.
func manyLabels() string {
	var b strings.Builder
	for i := range dataset.MaxClasses + 1 {
		fmt.Fprintf(&b, "%d 1:1\n", i)
	}
	return b.String()
}

// limited fails after so many bytes.
type limited struct{ left int }

var errFull = errors.New("full")

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestEnds: every format ends with the error of its writer and with that of its context, and leaves no scratch file.
func TestEnds(t *testing.T) {
	var text strings.Builder
	for i := range 30000 {
		fmt.Fprintf(&text, "%d 1:0.1 2:%d 5:0.25\n", i%2, i+1)
	}
	for _, format := range Formats {
		dir := t.TempDir()
		o := Options{Format: format, Label: "y", Dir: dir}
		whole := 0
		for _, room := range []int{0, 1 << 18, 1 << 30} {
			w := &limited{room}
			_, err := Write(t.Context(), rowsOf(text.String(), ""), w, o)
			if room < 1<<20 && !errors.Is(err, errFull) || room == 1<<30 && err != nil {
				t.Errorf("%s, room for %d bytes: %v", format, room, err)
			}
			whole = room - w.left
		}
		if whole < 1<<18 {
			t.Errorf("%s: %d bytes are too few for this test", format, whole)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Write(ctx, rowsOf(text.String(), ""), io.Discard, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", format, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("%s: scratch files %q are left", format, left)
		}
	}
}

package objects

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// printed writes objects as text that reads as the same objects.
func printed(k *Kind) string {
	var b strings.Builder
	if k.Dim > 0 { // Otherwise an object such as "name,0,1" would name the features.
		b.WriteString("name" + strings.Repeat(",f", k.Dim) + "\n")
	}
	for i := range k.Count {
		b.WriteString(`"` + strings.ReplaceAll(k.Names[i], `"`, `""`) + `"`)
		for _, x := range k.Values[i*k.Dim : (i+1)*k.Dim] {
			fmt.Fprintf(&b, ",%v", x)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// FuzzText: objects that are read have a name of their own and finite features, and are the same once they are written and read again. A
// fault is fail.Input, in the file and at a line that exists.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"a,1,0.5\nb,-1,0.25\n", "name,length,charge\nt_1,3,0.5\nt_2,1,-1\n", "a 1\nb\t2\r\n", "a\nb\nc\n", "a,1\na,2\n", "a,1\nb\n", "a,1\nb,x\n", ",1\n", "", "\n\n",
		"\xef\xbb\xbfa,1\n", "a,1e400\n", "a,nan\nb,inf\n", "a b c\nd 1 2\n", "# 1\na 2\n", "a,,\n", "a,1,\nb,2,3\n", "a,0x1p3\n", "\x00,1\n", "name,x\n", "a,3.5e38\nb,1\n", "name,0,1\na,3,4\n", ",0,1\na,3,4\n", "a,NA,1\nb,2,3\n", "\"a b\",1\n\"c, \"\"d\"\"\",2\n", "\"a b\" 1\n\"c\"d 2\n\"e 3\n", "\"a,1\",2\nb,3\n", "\"a\" ,1\n \"b\"\t, 2\n",
	} {
		f.Add([]byte(seed))
	}
	read := func(t *testing.T, file string) (*Set, error) {
		s, err := Read(t.Context(), []string{"a=" + file})
		if err != nil {
			return nil, err
		}
		return s.Scaled(t.Context(), ScaleOptions{Scale: dataset.ScaleNone, Dir: t.TempDir()})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		folder := t.TempDir()
		file := filepath.Join(folder, "in.csv")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := read(t, file)
		if err != nil {
			var e *fail.Error
			if !errors.As(err, &e) || !errors.Is(err, fail.Input) || e.File != file || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %v", err)
			}
			if lines := strings.Count(string(data), "\n") + 1; e.Line > lines {
				t.Fatalf("error %v in a text of %d lines", err, lines)
			}
			return
		}
		k := s.Kinds[0]
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		again := filepath.Join(folder, "again.csv")
		if err := os.WriteFile(again, []byte(printed(k)), 0o600); err != nil {
			t.Fatal(err)
		}
		other, err := read(t, again)
		if err != nil {
			t.Fatal(err)
		}
		if o := other.Kinds[0]; o.Count != k.Count || o.Dim != k.Dim || !slices.Equal(o.Names, k.Names) || !slices.Equal(o.Values, k.Values) {
			t.Fatalf("%v %v\nagain %v %v", k.Names, k.Values, o.Names, o.Values)
		}
	})
}

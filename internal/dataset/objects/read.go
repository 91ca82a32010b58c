package objects

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/arrays"
	"bigmkl/internal/fail"
)

// Read reads the names of objects, and checks their features, which are read again by Scaled. Each text is
// NAME[,NAME..]=FILE: the columns of rows whose objects are in the file, in the order of the columns. A file is a .npy array with a row for each
// object, or text, in which each line has the name of an object and then its features, separated by commas, blanks or
// tabs; the first line may name the features (see heads). Faults are of class fail.Input, and faults of the texts of class
// fail.Usage.
func Read(ctx context.Context, texts []string) (*Set, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	s := &Set{}
	for _, text := range texts {
		names, file, found := strings.Cut(text, "=")
		if !found || file == "" {
			return nil, withoutFile(text)
		}
		for name := range strings.SplitSeq(names, ",") {
			if !isName(name) {
				return nil, fail.New(fail.Usage, "--objects: %s is no name of a kind of objects", fail.Quote(name)).
					WithHint("letters, digits, - and _, and a letter first")
			}
			// select --hold-out takes names of columns, and these two words.
			if name == "both" || name == "pairs" {
				return nil, fail.New(fail.Usage, "--objects: %s is a value of --hold-out, and no name of a kind of objects", fail.Quote(name)).
					WithHint("choose another name")
			}
			if slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Name == name }) {
				return nil, fail.New(fail.Usage, "--objects: the name %s is given twice", fail.Quote(name))
			}
			s.Columns = append(s.Columns, Column{name, len(s.Kinds)})
		}
		k := &Kind{File: file, columns: strings.Split(names, ",")}
		if err := k.survey(ctx); err != nil {
			return nil, err
		}
		s.Kinds = append(s.Kinds, k)
	}
	return s, nil
}

// withoutFile is the fault of a value of --objects without names or without a file.
func withoutFile(text string) error {
	return fail.New(fail.Usage, "--objects %s", fail.Quote(text)).
		WithHint("write NAME=FILE, such as drug=drugs.csv, or A,B=FILE for two objects of one kind")
}

// mostName is the largest length of the name of a column.
const mostName = 64

// isName reports whether a column may have a name: specifications of kernels must not take it for something else.
func isName(name string) bool {
	if name == "" || len(name) > mostName || name == "each-view" || name == "each-feature" {
		return false
	}
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '_' && c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return true
}

// survey reads the names of the objects, and checks that their features can be read.
func (k *Kind) survey(ctx context.Context) error {
	src, err := k.open()
	if err != nil {
		return err
	}
	defer src.Close()
	var lines []int
	for {
		if k.Count%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, name, err := src.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if k.Count++; k.Count > MostObjects {
			return fail.New(fail.Input, "more than %d objects", MostObjects).At(k.File, row.Line, 0)
		}
		if src.named() {
			k.Names, lines = append(k.Names, name), append(lines, row.Line)
		}
		k.Dim = src.width()
	}
	if k.Count == 0 {
		return fail.New(fail.Input, "no objects").At(k.File, 0, 0)
	}
	if first, again := k.index(); again >= 0 {
		return fail.New(fail.Input, "the object %s was given in line %d", fail.Word(k.Names[again]), lines[first]).
			At(k.File, lines[again], 1)
	}
	return nil
}

// source yields objects with their features.
type source interface {
	io.Closer
	// next returns the features of the next object and its name, which is "" if objects have none.
	next() (dataset.Row, string, error)
	// named reports whether objects have names, and width returns the number of features. Both are known after the
	// first object.
	named() bool
	width() int
}

// open opens the file of the objects.
func (k *Kind) open() (source, error) {
	if low := strings.ToLower(k.File); strings.HasSuffix(low, ".npy") || strings.HasSuffix(low, ".npz") {
		a, err := arrays.Open([]arrays.Input{{Path: k.File, View: "objects"}}, arrays.Options{Labels: dataset.Ignored})
		if err != nil {
			return nil, err
		}
		return &arraySource{a}, nil
	}
	stream, err := dataset.OpenStream(k.File, false)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, longest)
	return &textSource{stream: stream, lines: lines, file: k.File, columns: k.columns}, nil
}

// longest is the largest length in bytes of a line.
const longest = 64 << 20

// arraySource yields the rows of an array.
type arraySource struct{ *arrays.Source }

func (a *arraySource) next() (dataset.Row, string, error) {
	row, err := a.Source.Next()
	return row, "", err
}

func (a *arraySource) named() bool { return false }

func (a *arraySource) width() int {
	views := a.Views()
	return views[len(views)-1].Last
}

// textSource yields the lines of a text.
type textSource struct {
	stream  *dataset.Stream
	lines   *bufio.Scanner
	file    string
	columns []string
	number  int
	comma   bool
	words   int // on each line; 0 before the first
	row     dataset.Row
}

func (t *textSource) Close() error { return t.stream.Close() }

func (t *textSource) named() bool { return true }

func (t *textSource) width() int { return t.words - 1 }

func (t *textSource) next() (dataset.Row, string, error) {
	for t.lines.Scan() {
		t.number++
		line := bytes.TrimRight(bytes.TrimPrefix(t.lines.Bytes(), []byte("\xef\xbb\xbf")), "\r")
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		first := t.words == 0
		if first {
			t.comma = hasComma(line)
		}
		words, starts := split(line, t.comma)
		if first {
			t.words = len(words)
			if heads(words, t.columns) {
				continue
			}
		}
		if len(words) != t.words {
			return t.row, "", t.fault(0, "%d words, and the first line has %d", len(words), t.words).
				WithHint("a name with blanks or commas is in quotes")
		}
		fault := t.numbers(words[1:], starts[1:])
		name := string(words[0])
		if !isObjectName(name) {
			return t.row, "", t.fault(1, "%s is no name of an object", fail.Word(words[0])).
				WithHint("a name has up to %d bytes of UTF-8, no control characters, and no blanks at its ends", mostObjectName)
		}
		t.row.File, t.row.Line = t.file, t.number
		return t.row, name, fault
	}
	if err := t.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return t.row, "", fail.New(fail.Input, "line longer than %d bytes", longest).At(t.file, t.number+1, 0)
	} else if err != nil {
		return t.row, "", err
	}
	return t.row, "", io.EOF
}

// mostObjectName is the largest length in bytes of the name of an object.
const mostObjectName = 1 << 10

// fault is a fault of the line.
func (t *textSource) fault(column int, format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At(t.file, t.number, column)
}

// numbers sets the row to the numbers of a line.
func (t *textSource) numbers(words [][]byte, starts []int) error {
	t.row.Index, t.row.Value = t.row.Index[:0], t.row.Value[:0]
	for k, word := range words {
		v, ok := dataset.ParseNumber(string(word))
		if !ok {
			fault := t.fault(starts[k]+1, "%s is no number", fail.Word(word))
			if lacks(word) {
				return fault.WithHint("features of objects are not imputed: write a number, or leave the object out")
			}
			return fault
		}
		if v != 0 {
			t.row.Index, t.row.Value = append(t.row.Index, int32(k)), append(t.row.Value, v)
		}
	}
	return nil
}

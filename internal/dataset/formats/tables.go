package formats

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"path/filepath"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/table"
	"bigmkl/internal/fail"
)

const (
	libsvm = "libsvm"
	// stdinName is the name of standard input in messages.
	stdinName = "<stdin>"
	// headSize is the number of bytes of a stream that are looked at.
	headSize = 64 << 10
	// headLines is the number of lines that have to look like the lines of a table.
	headLines = 10
)

// openTable opens a table: files, or a stream if it is not nil. A separator of 0 is told by its first line.
func openTable(ctx context.Context, paths []string, stream *dataset.Stream, separator byte, o Options,
	text dataset.ReadOptions) (*source, error) {
	to := o.Table
	to.Separator, to.Columns, to.Labels, to.Trusted = separator, o.Columns, o.Labels,
		o.TrustCompressed
	to.Letters = o.Sequences.Letters()
	to.Impute = o.Impute
	to.NumbersOnly, to.Features = o.Trained && o.Columns == nil, o.Features
	// Only a training needs labels, unless they are in a file of their own or are not looked at.
	to.Unlabelled = o.Unlabelled || o.Trained || o.LabelFile != "" || o.Labels == dataset.Ignored
	var t *table.Source
	var err error
	if stream != nil {
		if t, err = table.FromStream(stream, to); err != nil {
			stream.Close()
		}
	} else {
		t, err = table.Open(ctx, paths, to)
	}
	if err != nil {
		return nil, err
	}
	r, err := dataset.Join(t, paths[0], text)
	if err != nil {
		t.Close()
		return nil, err
	}
	return &source{Source: r, Closer: r, views: t.Views(), table: t}, nil
}

// isTable reports whether the data are a table: by the format that was asked for, by the names of
// all files, or by the first lines of the first. Labels that are sets and sequences have commas and
// tabs of their own, so their first lines do not count.
func (o *Options) isTable(paths []string, stdin io.Reader) (separator byte, is bool, err error) {
	table := len(o.Table.Sequences) > 0
	if table && o.Sequences == dataset.Numbers {
		return 0, false, fail.New(fail.Usage, "columns of sequences without an alphabet").
			WithHint("--sequences dna")
	}
	if o.Columns != nil && o.Columns.Alphabet() != dataset.Numbers {
		table = true
	}
	switch o.Format {
	case libsvm:
		return 0, false, nil
	case "csv":
		return 0, true, nil
	case "tsv":
		return '\t', true, nil
	}
	named := 0
	for _, path := range paths {
		switch nameEnd(path) {
		case ".csv":
			named++
		case ".tsv":
			named++
			separator = Separator(path)
		}
	}
	switch {
	case o.Sequences != dataset.Numbers && !table:
		return 0, false, nil
	case named == len(paths):
		return separator, true, nil
	case named > 0:
		return 0, false, fail.New(fail.Usage, "tables among other files").
			WithHint("--format csv if all are tables")
	}
	var start []byte
	if b, ok := stdin.(*bufio.Reader); ok {
		start = peekLines(b)
		if f := begunBy(start); f != nil {
			return 0, false, fail.New(fail.Input, "this is %s, which is read from files", f.is).At(stdinName, 0, 0)
		}
	} else if start, err = head(paths[0], headSize); err != nil {
		return 0, false, err
	}
	return 0, table || o.Labels != dataset.Sets && looksLikeTable(inflate(start)), nil
}

// Separator returns the separator that the name of a table implies. It is 0 if the first line of
// the table decides.
func Separator(path string) byte {
	if nameEnd(path) == ".tsv" {
		return '\t'
	}
	return 0
}

// nameEnd returns the ending of the name of a file, without that of a compressed file.
func nameEnd(path string) string {
	path = strings.ToLower(path)
	for _, end := range []string{".gz", ".zst"} {
		path = strings.TrimSuffix(path, end)
	}
	return filepath.Ext(path)
}

// peekLines returns the first bytes of a stream. It waits for a line that is whole, and not for
// more, because the rest may come slowly.
func peekLines(b *bufio.Reader) []byte {
	start, err := b.Peek(1)
	for err == nil {
		start, _ = b.Peek(b.Buffered())
		if len(start) >= headSize || bytes.Count(start, []byte("\n")) > 1 {
			break
		}
		_, err = b.Peek(b.Buffered() + 1)
	}
	return start
}

// inflate returns the beginning of the text whose bytes, which may be compressed, begin so.
func inflate(start []byte) []byte {
	s := dataset.NewStream(bytes.NewReader(start), "", false)
	defer s.Close()
	text := make([]byte, headSize)
	n, _ := io.ReadFull(s, text) // It ends early, as the bytes do.
	return text[:n]
}

// looksLikeTable reports whether text has several columns: all whole lines have as many separators
// as the first, and no line has an index:value pair or blanks between its words.
func looksLikeTable(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if end := bytes.LastIndexByte(text, '\n'); end >= 0 {
		text = text[:end+1]
	}
	columns, lines := 0, 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' || line[0] == '>' {
			return false
		}
		if lines++; lines > headLines {
			break
		}
		n := 0
		for _, separator := range []rune{',', ';', '\t'} {
			r := csv.NewReader(bytes.NewReader(line))
			r.Comma = separator
			if fields, err := r.Read(); err == nil && len(fields) > n {
				n = len(fields)
			}
		}
		// Two words between which there is a tab may be a label and a sequence.
		if n < 2 || n == 2 && bytes.IndexByte(line, '\t') >= 0 || columns > 0 && n != columns ||
			hasPair(line) {
			return false
		}
		columns = n
	}
	return columns > 0
}

// hasPair reports whether a line has a word such as 3:0.5 behind its first.
func hasPair(line []byte) bool {
	for _, word := range bytes.Fields(line) {
		before, _, found := bytes.Cut(word, []byte(":"))
		if found && len(bytes.Trim(before, "0123456789")) == 0 {
			return true
		}
	}
	return false
}

// IsTable reports whether files, which are not pipes, are a table in text.
func IsTable(paths []string, o Options) (bool, error) {
	if f, err := o.formatOf(paths); f != nil || err != nil {
		return false, err
	}
	_, is, err := o.isTable(paths, nil)
	return is, err
}

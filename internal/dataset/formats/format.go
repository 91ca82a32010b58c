package formats

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/columnar"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// format is a format of files that are not text.
type format struct {
	// key is the value of Options.Format that chooses the format. If it is empty, names and first bytes alone do.
	key string
	// is completes the sentence "the file is ..".
	is string
	// endings lists the endings of the names of files, in lower case and with the point. A file with another name has the
	// format if it begins with one of magic.
	endings, magic []string
	// alone is true if a file has to be the only one, and views if NAME=FILE names a view.
	alone, views bool
	// stream is the magic that standard input may have, too. It is empty if only files are read.
	stream string
	// open opens files of this format, or standard input if stdin is not nil.
	open func(ctx context.Context, paths []string, stdin io.Reader, o Options, text dataset.ReadOptions) (*source, error)
}

// binary lists the formats. All other files are text.
var binary = func() []*format {
	list := []*format{&packedStore, &arrayFiles}
	for _, c := range columnar.Formats {
		list = append(list, columnarFormat(c))
	}
	return list
}()

// keys lists the keys of the formats that have one.
func keys() (list []string) {
	for _, f := range binary {
		if f.key != "" {
			list = append(list, f.key)
		}
	}
	return list
}

// magicBytes is the number of first bytes by which formats differ.
const magicBytes = 8

// begunBy returns the format of a file that starts with these bytes, or nil for text.
func begunBy(start []byte) *format {
	for _, f := range binary {
		for _, m := range f.magic {
			if bytes.HasPrefix(start, []byte(m)) {
				return f
			}
		}
	}
	return nil
}

// streamed returns the format of standard input if it is not text. It waits for no more bytes than it needs, because
// the lines of text may come slowly.
func streamed(in *bufio.Reader) *format {
	for _, f := range binary {
		for n := 1; n <= len(f.stream); n++ {
			start, err := in.Peek(n)
			if err != nil || string(start) != f.stream[:n] {
				break
			}
			if n == len(f.stream) {
				return f
			}
		}
	}
	return nil
}

// formatOf returns the one format of all files, or nil for text. It does not look into pipes, which could not be read
// again.
func (o *Options) formatOf(args []string) (common *format, err error) {
	for _, f := range binary {
		if o.Format != "" && o.Format == f.key {
			return f, nil
		}
	}
	for k, arg := range args {
		view, path := SplitName(arg)
		ending := strings.ToLower(filepath.Ext(path))
		var f *format
		for _, b := range binary {
			if slices.Contains(b.endings, ending) {
				f = b
			}
		}
		if f == nil {
			start, err := head(path, magicBytes)
			if err != nil {
				return nil, err
			}
			f = begunBy(start)
		}
		switch {
		case view != "" && (f == nil || !f.views):
			return nil, fail.New(fail.Usage, "%s names a view, and only arrays are views", fail.Quote(arg)).
				WithHint("NAME=FILE takes .npy and .npz files; bigmkl convert --join ID makes one table of NAME=FILE of text")
		case f != nil && f.alone && len(args) > 1:
			return nil, fail.New(fail.Usage, "%s is %s among other data", path, f.is).
				WithHint("bigmkl convert makes one of several files")
		case k > 0 && f != common:
			_, first := SplitName(args[0])
			return nil, fail.New(fail.Usage, "%s is %s and %s is %s", first, common.describe(), path, f.describe()).
				WithHint("give files of one format")
		}
		common = f
	}
	return common, nil
}

// describe completes the sentence "the file is ..", also for text.
func (f *format) describe() string {
	if f == nil {
		return "text"
	}
	return f.is
}

// head returns the first bytes of a regular file, and nothing of any other.
func head(path string, n int) ([]byte, error) {
	if path == "-" {
		return nil, nil
	}
	info, err := files.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	defer f.Close()
	start := make([]byte, n)
	n, err = io.ReadFull(f, start)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, files.InputFault("cannot read", path, err)
	}
	return start[:n], nil
}

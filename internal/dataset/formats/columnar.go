package formats

import (
	"context"
	"io"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/columnar"
)

// columnarFormat returns a format of tables that a child process decodes.
func columnarFormat(c columnar.Format) *format {
	open := func(ctx context.Context, paths []string, stdin io.Reader, o Options,
		text dataset.ReadOptions) (*source, error) {
		o.Table.Header = "yes"
		o.Decoder.Skip = o.Table.Skip
		if o.Columns != nil {
			o.Decoder.Skip = slices.Concat(o.Table.Skip, o.Columns.Skipped)
		}
		o.Table.Open = func(path string) (*dataset.Stream, error) {
			return o.Decoder.Open(ctx, c, path)
		}
		var stream *dataset.Stream
		if stdin != nil {
			var err error
			if stream, err = o.Decoder.OpenPipe(ctx, c, stdin, stdinName); err != nil {
				return nil, err
			}
		}
		return openTable(ctx, paths, stream, ',', o, text)
	}
	return &format{key: c.Key, is: "in " + c.Name, endings: c.Endings, magic: c.Magic, stream: c.Stream, open: open}
}

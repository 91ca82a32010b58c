package formats

import (
	"context"
	"slices"

	"bigmkl/dataset"
	"bigmkl/dataset/columnar"
)

// columnarFormat returns a format of tables that a child process decodes.
func columnarFormat(c columnar.Format) format {
	open := func(ctx context.Context, paths []string, o Options, text dataset.ReadOptions) (*source, error) {
		o.Table.Header = "yes"
		o.Decoder.Skip = o.Table.Skip
		if o.Columns != nil {
			o.Decoder.Skip = slices.Concat(o.Table.Skip, o.Columns.Skipped)
		}
		o.Table.Open = func(path string) (*dataset.Stream, error) {
			return o.Decoder.Open(ctx, c, path)
		}
		return openTable(ctx, paths, nil, ',', o, text)
	}
	return format{is: "in " + c.Name, endings: c.Endings, magic: c.Magic, open: open}
}

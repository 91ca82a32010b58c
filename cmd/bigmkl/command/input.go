package command

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// source is a stream of rows that has to be closed, with the columns and views that are known before
// the first row.
// Rows of a source are valid until the next call.
type source = formats.Source

// opener opens the data of a command.
type opener struct {
	stdin   io.Reader
	cleanup *cleanup
}

// openForOutput opens the data of a command that writes a result. It first checks that the result
// can be written and replaces no input, and completes the options. The checks come first, because
// reading may take an hour and a pipe cannot be read again.
func (p *opener) openForOutput(ctx context.Context, out, views string, data []string,
	o *bigmkl.Options, r *formats.Options) (source, error) {
	if err := checkOutput(out, slices.Concat(formats.Paths(data), []string{views}, r.Files())...); err != nil {
		return nil, err
	}
	if err := completeOptions(ctx, o, r, views); err != nil {
		return nil, err
	}
	return p.openWithScratch(ctx, o, data, *r)
}

// openWithScratch creates a scratch folder for the run, opens the data, and enters the folder and
// the views of the data in the options. The scratch folder is entered in the options, so all files of
// the run are in one folder that cleanup removes.
func (p *opener) openWithScratch(ctx context.Context, o *bigmkl.Options, paths []string,
	r formats.Options) (source, error) {
	scratch, err := p.cleanup.makeScratch(o.Scratch)
	if err != nil {
		return nil, err
	}
	o.Scratch = scratch
	src, err := p.openData(ctx, paths, r)
	if err != nil {
		return nil, err
	}
	// How many numbers there are before the letters is known from the columns.
	if c := src.Columns(); c != nil && c.Alphabet() != dataset.Numbers {
		o.Sequences = c.Alphabet()
	}
	if err := useViews(o, src); err != nil {
		src.Close()
		return nil, err
	}
	return src, nil
}

// useViews enters the views that the data name in the options. Prefixes of the columns of a table
// are views only if kernels name them. Other tables then give the same models as other formats.
func useViews(o *bigmkl.Options, src source) error {
	views := src.Views()
	// The option --views beats prefixes of columns.
	if views == nil || src.Columns() != nil && (o.Views != nil || !nameViews(o.Kernels, views)) {
		return nil
	}
	if o.Views != nil && !slices.Equal(o.Views, views) {
		return fail.New(fail.Usage, "--views with data that have views of their own").
			WithHint("leave --views out, or give one array without a name")
	}
	o.Views = views
	return nil
}

// completeOptions reads the file of views and the objects that rows name, and decides the alphabet. Sequences are taken for DNA if
// a string kernel is used and no alphabet is given.
func completeOptions(ctx context.Context, o *bigmkl.Options, r *formats.Options, views string) (err error) {
	if o.Objects, err = objects.Read(ctx, r.ObjectFiles); err != nil {
		return err
	}
	r.Objects = o.Objects.Names()
	if views != "" {
		if o.Views, err = dataset.ReadViews(views); err != nil {
			return err
		}
	}
	if o.Sequences == dataset.Numbers && o.Kernels != "" {
		list, err := kernelspec.Split(o.Kernels)
		if err != nil {
			return err
		}
		// The alphabet decides which options are valid, so they are checked again.
		if kernelspec.AskForSequences(list) {
			o.Sequences = dataset.DNA
			if err := o.Validate(); err != nil {
				return err
			}
		}
	}
	if len(r.Table.Sequences) > 0 && o.Sequences == dataset.Numbers {
		o.Sequences = dataset.DNA
	}
	r.Sequences, r.Impute = o.Sequences, o.Impute
	return nil
}

// nameViews reports whether specifications of kernels name one of the views, or all of them. For
// specifications in a file it returns true, because they may name a view.
// A false positive only adds views that no kernel uses.
func nameViews(kernels string, views []dataset.View) bool {
	return strings.HasPrefix(kernels, "@") || strings.Contains(kernels, "@each-view") ||
		slices.ContainsFunc(views, func(v dataset.View) bool {
			return strings.Contains(kernels, "@"+v.Name)
		})
}

// openData opens data files. Reading ends with the error of the context when ctx is done. The path
// "-" alone means standard input. A pipe is read through an interruptible reader: a read that waits for
// its writer would otherwise ignore an interrupt.
func (p *opener) openData(ctx context.Context, paths []string, o formats.Options) (source, error) {
	var stdin io.Reader
	if len(paths) == 1 && paths[0] == "-" {
		stdin = newInterruptibleReader(ctx, p.stdin)
	}
	// Files of columnar formats are decoded by this program in another process.
	//
	// A fault of a decoder, such as a crash on a hostile file, then ends the child and not this
	// process.
	if program, err := os.Executable(); err == nil {
		o.Decoder.Command = []string{program}
	}
	src, err := formats.Open(ctx, paths, stdin, o)
	if err != nil {
		return nil, err
	}
	return &cancellableSource{source: src, ctx: ctx}, nil
}

// cancellableSource ends with the error of its context. It looks at the context itself because some
// readers do so only after many rows.
type cancellableSource struct {
	source
	ctx context.Context
	n   int
}

// Next returns the next row, or the error of the context. A look at the context takes a lock, so it is
// done once for 1,024 rows.
func (c *cancellableSource) Next() (dataset.Row, error) {
	const interval = 1024
	if c.n%interval == 0 && c.ctx.Err() != nil {
		return dataset.Row{}, c.ctx.Err()
	}
	c.n++
	return c.source.Next()
}

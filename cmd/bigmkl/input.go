package main

import (
	"context"
	"io"
	"slices"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/kernelspec"
)

// source is a stream of rows that has to be closed.
type source interface {
	dataset.Source
	io.Closer
}

// openForOutput opens the data of a command that writes a result. It first checks that the result
// can be written and replaces no input, and completes the options.
func (a *app) openForOutput(ctx context.Context, out, views string, data []string,
	o *bigmkl.Options, r *dataset.ReadOptions) (source, error) {
	if err := checkOutput(out, slices.Concat(data, []string{views}, r.Files())...); err != nil {
		return nil, err
	}
	if err := completeOptions(o, r, views); err != nil {
		return nil, err
	}
	return a.openWithScratch(ctx, o, data, *r)
}

// openWithScratch creates a scratch folder for the run, enters it in the options and opens the
// data.
func (a *app) openWithScratch(ctx context.Context, o *bigmkl.Options, paths []string,
	r dataset.ReadOptions) (source, error) {
	scratch, err := a.cleanup.makeScratch(o.Scratch)
	if err != nil {
		return nil, err
	}
	o.Scratch = scratch
	return a.openData(ctx, paths, r)
}

// completeOptions reads the file of views and decides the alphabet. Sequences are taken for DNA if
// a string kernel is used and no alphabet is given.
func completeOptions(o *bigmkl.Options, r *dataset.ReadOptions, views string) (err error) {
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
		if kernelspec.AskForSequences(list) {
			o.Sequences = dataset.DNA
			if err := o.Validate(); err != nil {
				return err
			}
		}
	}
	r.Sequences = o.Sequences
	return nil
}

// openData opens data files. Reading ends with the error of the context when ctx is done. The path
// "-" alone stands for standard input.
func (a *app) openData(ctx context.Context, paths []string, o dataset.ReadOptions) (source, error) {
	if len(paths) == 1 && paths[0] == "-" {
		if err := o.Validate(); err != nil {
			return nil, err
		}
		return &cancellableSource{source: dataset.NewReader(newInterruptibleReader(ctx, a.stdin),
			"<stdin>", o), ctx: ctx}, nil
	}
	r, err := dataset.Open(paths, o)
	if err != nil {
		return nil, err
	}
	return &cancellableSource{source: r, ctx: ctx}, nil
}

// cancellableSource ends with the error of its context. It looks at the context itself because some
// readers do so only after many rows.
type cancellableSource struct {
	source
	ctx context.Context
	n   int
}

// Next returns the next row, or the error of the context.
func (c *cancellableSource) Next() (dataset.Row, error) {
	const interval = 1024
	if c.n%interval == 0 && c.ctx.Err() != nil {
		return dataset.Row{}, c.ctx.Err()
	}
	c.n++
	return c.source.Next()
}

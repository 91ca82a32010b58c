package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/host"
	"bigmkl/kernelspec"
)

// source is rows from files that are to be closed.
type source interface {
	dataset.Source
	io.Closer
}

// readFlags defines the flags that say how data files are read.
func readFlags(f *flags, o *dataset.ReadOptions) {
	f.StringVar(&o.LabelFile, "labels", "", "file with the label of each row, as `FILE[:COLUMN]`, where the data have none")
	f.BoolVar(&o.TrustCompressed, "trust-compressed", false, "no limits on how far compressed data may expand")
}

func weightFlag(f *flags, o *dataset.ReadOptions) {
	f.StringVar(&o.Weights, "row-weights", "", "file with a factor of the cost of each row, as `FILE[:COLUMN]`")
}

// open opens data files, whose rows end when ctx is done; "-" is standard input.
func (a *app) open(ctx context.Context, paths []string, o dataset.ReadOptions) (source, error) {
	if len(paths) == 1 && paths[0] == "-" {
		if err := o.Validate(); err != nil {
			return nil, err
		}
		return &cancellable{source: dataset.NewReader(interruptible(ctx, a.stdin), "<stdin>", o), ctx: ctx}, nil
	}
	r, err := dataset.Open(paths, o)
	if err != nil {
		return nil, err
	}
	return &cancellable{source: r, ctx: ctx}, nil
}

// settle completes what the flags say of the data: by the file of views, if there is one, and by the alphabet, which is DNA where
// string kernels ask for sequences and nothing else is said.
func settle(o *bigmkl.Options, r *dataset.ReadOptions, views string) (err error) {
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

// ready opens the data of a command that writes to out, once out is none of the files that it reads and the options are complete.
func (a *app) ready(ctx context.Context, out, views string, data []string, o *bigmkl.Options, r *dataset.ReadOptions) (source, error) {
	if err := checkOutput(out, slices.Concat(data, []string{views}, r.Files())...); err != nil {
		return nil, err
	}
	if err := settle(o, r, views); err != nil {
		return nil, err
	}
	return a.begin(ctx, o, data, *r)
}

// begin gives a run a scratch folder of its own and opens its data.
func (a *app) begin(ctx context.Context, o *bigmkl.Options, paths []string, r dataset.ReadOptions) (source, error) {
	scratch, err := a.cleanup.scratch(o.Scratch)
	if err != nil {
		return nil, err
	}
	o.Scratch = scratch
	return a.open(ctx, paths, r)
}

// keepHeap has the Go heap kept to the budget of a run, and then to its shares, until undo is called.
func keepHeap(o *bigmkl.Options) (undo func()) {
	o.Heap = host.KeepHeap
	return host.LimitHeap(o.Memory)
}

// keepTo is keepHeap for a command that has no more than a memory budget, which it fills in.
func keepTo(memory *int64, heap *func(bytes int64)) (undo func()) {
	if *memory == 0 {
		*memory = host.Budget()
	}
	*heap = host.KeepHeap
	return host.LimitHeap(*memory)
}

// cancellable is a source that ends with the context's error. Not all of its readers ask the context on few rows.
type cancellable struct {
	source
	ctx context.Context
	n   int
}

// Next gives the next row.
func (c *cancellable) Next() (dataset.Row, error) {
	const interval = 1024
	if c.n%interval == 0 && c.ctx.Err() != nil {
		return dataset.Row{}, c.ctx.Err()
	}
	c.n++
	return c.source.Next()
}

// pipe hands reads over from the goroutine that waits for them.
type pipe struct {
	ctx    context.Context
	filled chan chunk
	empty  chan []byte
	now    chunk
	rest   []byte
}

type chunk struct {
	buffer []byte
	n      int
	err    error
}

// interruptible reads r until ctx is done, even while a read of r is blocked. The goroutine in that read ends with the
// process.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	p := &pipe{ctx: ctx, filled: make(chan chunk, 1), empty: make(chan []byte, 2)}
	for range cap(p.empty) {
		p.empty <- make([]byte, 128<<10)
	}
	go func() {
		for b := range p.empty {
			n, err := r.Read(b)
			p.filled <- chunk{b, n, err}
			if err != nil {
				return
			}
		}
	}()
	return p
}

// Read gives what has come, or waits for it.
func (p *pipe) Read(to []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.now.err != nil {
			return 0, p.now.err
		}
		if p.now.buffer != nil {
			p.empty <- p.now.buffer
			p.now.buffer = nil
		}
		select {
		case p.now = <-p.filled:
			p.rest = p.now.buffer[:p.now.n]
		case <-p.ctx.Done():
			p.now.err = p.ctx.Err()
		}
	}
	n := copy(to, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// standard tells names of standard output.
func standard(path string) bool { return path == "-" || path == "/dev/stdout" }

// checkOutput finds out before the work what would keep its result from being written. inputs are files that the result must
// not replace.
func checkOutput(path string, inputs ...string) error {
	if path == "" || standard(path) {
		return nil
	}
	here, err := files.Stat(path)
	switch {
	case err == nil && here.IsDir():
		return fail.New(fail.Input, "cannot write: it is a directory").At(path, 0, 0)
	case err == nil && here.Mode().IsRegular():
		for _, in := range inputs {
			other, err := files.Stat(in)
			if err == nil && os.SameFile(here, other) {
				return fail.New(fail.Usage, "the result would replace the file it is made from").At(path, 0, 0)
			}
			if err != nil && !missing(err) {
				return files.InputFault("cannot open", in, err)
			}
		}
	case err != nil && !missing(err):
		return files.OwnFault("cannot write", path, err)
	}
	folder := filepath.Dir(path)
	if err == nil || folder == "." {
		return nil
	}
	parent, err := files.Stat(folder)
	if err != nil {
		return files.OwnFault("cannot write", path, err)
	}
	if !parent.IsDir() {
		return fail.New(fail.Input, "cannot write: %s is no directory", folder).At(path, 0, 0)
	}
	return nil
}

// missing tells that there is no such file.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

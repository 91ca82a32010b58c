package predict

import (
	"context"
	"errors"
	"io"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/internal/simd"
	"bigmkl/mmap"
)

// Several processes may predict the same rows. Each reads all of them, so rows never travel, and
// computes the functions on its share of every batch, whole panels of 32 rows. Rank 0 decides how many
// rows a batch has, puts the values together and continues alone. The bits equal the bits of one
// process, as values of a row depend on no other row.

// nextBatch reads the rows of the next batch: those that there is memory for, or on ranks other than 0
// as many as rank 0 has.
func (p *predictor) nextBatch(src dataset.Source) (int, error) {
	if p.ranks == nil || p.ranks.Rank() == 0 {
		return p.readBatch(src)
	}
	want, err := p.ranks.Announce(0)
	if err != nil {
		return 0, err
	}
	n, err := p.readRows(src, func() bool { return len(p.known) < want })
	if errors.Is(err, io.EOF) {
		err = fail.New(fail.Input, "the rows end after %d, and rank 0 has more", p.done+n)
	}
	if err != nil {
		return 0, err // no share of the batch
	}
	return n, nil
}

// evaluate computes the functions on all n rows of a batch. Of several ranks each computes its share,
// and the first alone has them all; leads reports whether this is it. The columns are those that this
// process has made, from the first row on where it leads.
func (p *predictor) evaluate(ctx context.Context, n int) (c gradient.Columns, leads bool, err error) {
	leads = p.ranks == nil || p.ranks.Rank() == 0
	if leads {
		p.values = append(p.values[:0], make([]float64, len(p.bias)*n)...)
	}
	if p.ranks == nil {
		c = p.columns(0, n)
		return c, leads, p.compute(ctx, c, p.values)
	}
	if leads {
		if _, err := p.ranks.Announce(n); err != nil {
			return c, leads, err
		}
	}
	size := p.ranks.Size()
	share := func(rank int) (from, to int) {
		panels := (n + simd.Width - 1) / simd.Width
		return min(n, panels*rank/size*simd.Width), min(n, panels*(rank+1)/size*simd.Width)
	}
	from, to := share(p.ranks.Rank())
	own := make([]float64, len(p.bias)*(to-from))
	if from < to {
		c = p.columns(from, to)
		err = p.compute(ctx, c, own)
	}
	frames, err := p.ranks.Collect(mmap.Bytes(own), err)
	for rank, frame := range frames {
		from, to := share(rank)
		values := mmap.Slice[float64](frame)
		if len(values) != len(p.bias)*(to-from) {
			return c, leads, fail.New(fail.Corrupt, "rank %d has computed %d values of %d", rank, len(values),
				len(p.bias)*(to-from))
		}
		for k := range p.bias {
			copy(p.values[k*n+from:k*n+to], values[k*(to-from):(k+1)*(to-from)])
		}
	}
	return c, leads, err
}

package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/mmap"
)

// A checkpoint has the gradients of all ranks in the order of the points, as the checkpoint of
// one gradient alone has: so any number of ranks continues from it. Rank 0 writes and reads it,
// from a mapped file that takes 8 n M bytes of its disk while it has one.

// archive is the gradients of the field of all points as a checkpoint has them.
type archive struct {
	*fields
	file *mmap.Map // the gradients of all ranks, on rank 0; nil: none was written or read
}

// values returns the gradients of all points: of one gradient alone its own, of several those that
// were collected or are to be dealt out, on rank 0. They are nil elsewhere.
func (a *archive) values() []float64 {
	switch {
	case a.team.alone():
		return a.all.g
	case a.file == nil:
		return nil
	}
	return mmap.View[float64](a.file)
}

// close gives the file up.
func (a *archive) close() error {
	if a.file == nil {
		return nil
	}
	err := a.file.Close()
	a.file = nil
	return err
}

// reserve makes room on rank 0 for the gradients of all ranks.
func (a *archive) reserve() error {
	if a.team.alone() || !a.team.leads() || a.file != nil {
		return nil
	}
	size := int64(a.opt.columns()) * int64(a.all.panels) * int64(a.bank.Len()) * simd.Width * 8
	var err error
	a.file, err = mmap.Create(a.opt.Scratch, "gradient-*", size)
	return err
}

// gather brings the gradients of the field of all points to rank 0.
func (a *archive) gather() error {
	if err := a.reserve(); err != nil {
		return err
	}
	return a.inTurn(func(rank int, here, there []float64) error {
		var own []float64
		if a.team.ranks.Rank() == rank {
			own = here
		}
		sent, err := a.team.gather(own)
		if err == nil && sent != nil {
			copy(there, sent.of[rank])
		}
		return err
	})
}

// deal gives every rank its gradients out of those that rank 0 has been given.
func (a *archive) deal() error {
	return a.inTurn(func(rank int, here, there []float64) error {
		frames := make([][]byte, a.team.ranks.Size())
		frames[rank] = mmap.Bytes(there)
		frame, err := a.team.ranks.Scatter(frames)
		if err == nil && a.team.ranks.Rank() == rank {
			copy(here, mmap.Slice[float64](frame))
		}
		return err
	})
}

// inTurn visits the gradients of all ranks, some panels of one rank at a time: here on the rank
// that has them, and there in values on rank 0. Either is nil elsewhere. One gradient alone has
// nothing to visit.
func (a *archive) inTurn(visit func(rank int, here, there []float64) error) error {
	if a.team.alone() {
		return nil
	}
	panel, columns := a.bank.Len()*simd.Width, a.opt.columns()
	values, own := a.values(), len(a.all.g)/columns
	for rank := range a.team.ranks.Size() {
		panels := a.all.panelsOf(a.all.shares[rank])
		parts := cut(panels[1]-panels[0], max(1, movedBytes/8/panel))
		for at := range columns * len(parts) {
			column, r := at/len(parts), parts[at%len(parts)]
			var here, there []float64
			if a.team.ranks.Rank() == rank {
				here = a.all.g[column*own+r[0]*panel : column*own+r[1]*panel]
			}
			if values != nil {
				first := column*a.all.panels + panels[0]
				there = values[(first+r[0])*panel : (first+r[1])*panel]
			}
			if err := visit(rank, here, there); err != nil {
				return err
			}
		}
	}
	return nil
}

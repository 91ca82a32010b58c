package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/mmap"
)

// A checkpoint has the gradients of all ranks in the order of the points, as that of one gradient
// alone has: so any number of ranks goes on from it. Rank 0 writes and reads it, from a mapped file
// that takes 8 n M bytes of its disk while it has one.

// reserveCollected makes room on rank 0 for the gradients of all ranks.
func (gr *stored) reserveCollected() error {
	if gr.team.alone() || !gr.team.leads() || gr.collected != nil {
		return nil
	}
	size := int64(gr.opt.columns()) * int64(gr.all.panels) * int64(gr.bank.Len()) * simd.Width * 8
	var err error
	gr.collected, err = mmap.Create(gr.opt.Scratch, "gradient-*", size)
	return err
}

// collectValues brings the gradients of the field of all points to rank 0.
func (gr *stored) collectValues() error {
	if err := gr.reserveCollected(); err != nil {
		return err
	}
	return gr.inTurn(func(rank int, here, there []float64) error {
		var own []float64
		if gr.team.ranks.Rank() == rank {
			own = here
		}
		sent, err := gr.team.gather(own)
		if err == nil && sent != nil {
			copy(there, sent.of[rank])
		}
		return err
	})
}

// dealValues gives every rank its gradients out of those that rank 0 has been given.
func (gr *stored) dealValues() error {
	return gr.inTurn(func(rank int, here, there []float64) error {
		frames := make([][]byte, gr.team.ranks.Size())
		frames[rank] = mmap.Bytes(there)
		frame, err := gr.team.ranks.Scatter(frames)
		if err == nil && gr.team.ranks.Rank() == rank {
			copy(here, mmap.Slice[float64](frame))
		}
		return err
	})
}

// inTurn visits the gradients of all ranks, some panels of one rank at a time: here on the rank
// that has them, and there in Values on rank 0. Either is nil elsewhere. One gradient alone has
// nothing to visit.
func (gr *stored) inTurn(visit func(rank int, here, there []float64) error) error {
	if gr.team.alone() {
		return nil
	}
	panel, columns := gr.bank.Len()*simd.Width, gr.opt.columns()
	values, own := gr.Values(), len(gr.all.g)/columns
	for rank := range gr.team.ranks.Size() {
		panels := gr.all.panelsOf(gr.all.shares[rank])
		parts := cut(panels[1]-panels[0], max(1, movedBytes/8/panel))
		for at := range columns * len(parts) {
			column, r := at/len(parts), parts[at%len(parts)]
			var here, there []float64
			if gr.team.ranks.Rank() == rank {
				here = gr.all.g[column*own+r[0]*panel : column*own+r[1]*panel]
			}
			if values != nil {
				first := column*gr.all.panels + panels[0]
				there = values[(first+r[0])*panel : (first+r[1])*panel]
			}
			if err := visit(rank, here, there); err != nil {
				return err
			}
		}
	}
	return nil
}

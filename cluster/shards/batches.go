package shards

import (
	"cmp"

	"bigmkl/internal/fail"
)

// Rows that are predicted by several ranks come in batches. Rank 0 announces the number of rows of
// each, every rank computes its share of them, and rank 0 collects the shares. The end of the rows is
// that of the team (Team.End).

// Announce tells the other ranks, on rank 0, how many rows the next batch has, and gives the others that
// number. Every rank calls Collect after it. Once rank 0 has ended, the others get ErrServed.
func (t *Team) Announce(n int) (int, error) {
	w := &writer{}
	w.number(int(opBatch))
	w.number(n)
	t.broken = t.Leads() // until the shares are here
	frame, err := t.Broadcast(w.frame)
	if err != nil || t.Leads() {
		return n, err
	}
	r := &reader{frame: frame}
	switch op := operation(r.number()); {
	case op == opEnd && r.err == nil:
		return 0, cmp.Or(t.report(), ErrServed)
	case op != opBatch:
		return 0, fail.New(fail.Corrupt, "rank 0 asks for operation %d in the midst of rows", op)
	}
	n = r.number()
	return n, r.err
}

// Collect gives rank 0 what all ranks have computed of a batch, by rank. The others get nil.
func (t *Team) Collect(share []byte) ([][]byte, error) {
	frames, err := t.Gather(share)
	t.broken = t.broken && err != nil
	return frames, err
}

package shards

import "bigmkl/internal/fail"

// Rows that several ranks predict, or verify a model on, come in batches. Rank 0 announces the size of
// each, every rank computes its share of it, and rank 0 collects the shares. The rows end with the
// team (Team.End).

// Announce sends the size of the next batch from rank 0 to the other ranks, and returns it there.
// Every rank calls Collect after it. Once rank 0 has ended, the others get ErrServed.
func (x *exchange) Announce(n int) (int, error) {
	if x.leads() {
		return n, x.begin(opBatch, func(w *writer) { w.number(n) })
	}
	op, r, err := x.listen()
	if err != nil {
		return 0, err
	}
	if op != opBatch {
		return 0, fail.New(fail.Corrupt, "rank 0 asks for operation %d in the midst of rows", op)
	}
	n = r.number()
	return n, r.err
}

// Collect gives rank 0 what all ranks have computed of a batch, by rank. The others get nil. A rank that
// has failed hands its error over in the place of a share: rank 0 gets the first of them, and ends.
func (x *exchange) Collect(share []byte, err error) ([][]byte, error) {
	w := &writer{}
	w.flag(err == nil)
	if err == nil {
		w.bytes(share, false)
	} else {
		w.number(classOf(err))
		w.text(err.Error())
	}
	frames, e := x.Gather(w.frame)
	x.broken = x.broken && e != nil
	if e != nil || !x.leads() {
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	shares := make([][]byte, len(frames))
	for rank, frame := range frames {
		r := &reader{frame: frame}
		if r.flag() {
			shares[rank] = r.bytes()
		} else if class, text := r.number(), r.text(); r.err == nil {
			return nil, failed(class, rank, text)
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return shares, nil
}

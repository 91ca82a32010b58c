package verify

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/fail"
)

// Several processes may verify one model. Each reads all rows and checks them, so rows never travel,
// and of every size-th batch it computes the sums. Rank 0 adds them in the order of the rows, from
// which the bits follow, and goes on alone. The rounds in which they work are as long as the sums of a
// round have place beside the rest; they change no bit.

// Ranks share batches out between processes.
type Ranks interface {
	// Rank is the number of this process, from 0.
	Rank() int
	// Size is the number of processes.
	Size() int
	// Announce sends the number of batches of the next round to the others, which return it.
	Announce(n int) (int, error)
	// Collect gives rank 0 the shares of all ranks of that round, by rank, or the error of one.
	Collect(share []byte, err error) ([][]byte, error)
}

const (
	// roundSums is the memory of the sums of a rank in a round in bytes, unless one batch has more.
	roundSums = 16 << 20
	// roundBatches is the largest number of batches of a rank in a round. An interrupt waits for it.
	roundBatches = 32
)

// batchesOfRound returns how many batches a rank has in a round.
func (p *account) batchesOfRound() int64 {
	return min(max(1, roundSums/p.bytesOfSums()), roundBatches)
}

// bytesOfSums returns what the sums of a batch take in a frame.
func (p *account) bytesOfSums() int64 {
	each := int64(len(p.classifiers)) * int64(len(p.bank.Kernels)) // V_m with its error, sizes and energies
	numbers := headNumbers + 4*each
	newSums(p.problem, 0).visit(func(*float64) { numbers++ })
	return 8 * numbers
}

// countRanks returns the memory of the frames of a round: the frames of all ranks and their copies on
// rank 0, and its own on another.
func (p *account) countRanks(ranks Ranks) memoryUse {
	frames := int64(2)
	if ranks.Rank() == 0 {
		frames = 2 + 2*int64(ranks.Size())
	}
	return memoryUse{"sums of a round for each rank", "", frames * p.batchesOfRound() * p.bytesOfSums()}
}

// share has the ranks evaluate all rows, and rank 0 add their sums to t.
func (e *evaluation) share(ctx context.Context, ranks Ranks, t *totals) error {
	rank, size := ranks.Rank(), ranks.Size()
	round := int((&account{e.problem}).batchesOfRound()) * size
	for {
		most, err := ranks.Announce(round)
		if err != nil {
			return err
		}
		own := make([]float64, 2)
		seen, err := e.evaluate(ctx, most, func(j int) bool { return j%size == rank },
			func(one *totals) { own = appendSums(own, one) })
		own[0], own[1] = float64(seen.hash.Sum64()>>11), float64(seen.batches)
		ended := err == io.EOF
		if ended {
			err = nil
		}
		frames, err := ranks.Collect(bytesOf(own), err)
		switch {
		case err != nil:
			return err
		case rank > 0:
			continue
		}
		if err := e.addRound(frames, seen.batches, t); err != nil {
			return err
		}
		if ended {
			return nil
		}
	}
}

// reject returns what a process ends with that cannot begin. Rank 0 ends the others by ending, and another
// rank sends it in the place of its share.
func reject(ranks Ranks, err error) error {
	if ranks == nil || ranks.Rank() == 0 {
		return err
	}
	for {
		if _, e := ranks.Announce(0); e != nil {
			return e
		}
		if _, e := ranks.Collect(nil, err); e != nil {
			return e
		}
	}
}

// addRound adds the sums of so many batches in their order.
func (e *evaluation) addRound(frames [][]byte, batches int, t *totals) error {
	lists := make([][]float64, len(frames))
	for rank, frame := range frames {
		list := make([]float64, len(frame)/8)
		if _, err := binary.Decode(frame, binary.NativeEndian, list); err != nil || len(list) < 2 {
			return fail.New(fail.Corrupt, "rank %d has sent sums that are cut short", rank)
		}
		lists[rank] = list
		if list[0] != lists[0][0] || list[1] != float64(batches) {
			return fail.New(fail.Input, "rank %d has other rows than rank 0", rank)
		}
	}
	for rank := range lists {
		lists[rank] = lists[rank][2:]
	}
	one := newSums(e.problem, len(e.problem.bank.Kernels))
	for j := range batches {
		rank := j % len(lists)
		rest, ok := readSums(lists[rank], one)
		if !ok {
			return fail.New(fail.Corrupt, "rank %d has sent sums that are cut short", rank)
		}
		lists[rank] = rest
		t.addTotals(one)
	}
	return nil
}

// newSums returns sums of no rows for every part of the problem, of so many kernels.
func newSums(p *problem, kernels int) *totals {
	t := newTotals(len(p.classifiers), kernels)
	t.slope = p.gates.newSlopeTotals()
	t.wing = p.wing.newSums(p.m)
	return t
}

// headNumbers is the number of numbers before the numbers of a batch.
const headNumbers = 2

// appendSums appends the numbers of the sums of a batch, behind how many of V_m and of the energies of a
// sample there are: none without support vectors.
func appendSums(list []float64, one *totals) []float64 {
	list = append(list, float64(len(one.v)), float64(len(one.energies)))
	one.visit(func(x *float64) { list = append(list, *x) })
	return list
}

// readSums reads them into sums of the problem, and returns the numbers behind them.
func readSums(list []float64, one *totals) (rest []float64, ok bool) {
	if len(list) < headNumbers {
		return nil, false
	}
	v, energies := list[0], list[1]
	if !(v >= 0 && v <= float64(cap(one.v)) && energies >= 0 && energies <= float64(cap(one.energies))) {
		return nil, false
	}
	one.v, one.sizes, one.energies = one.v[:int(v)], one.sizes[:int(v)], one.energies[:int(energies)]
	list, ok = list[headNumbers:], true
	one.visit(func(x *float64) {
		if ok = ok && len(list) > 0; ok {
			*x, list = list[0], list[1:]
		}
	})
	return list, ok
}

// visit shows every number of the sums to v, in one order.
func (t *totals) visit(v visitor) {
	v.count(&t.rows)
	for k := range t.losses {
		l := &t.losses[k]
		v.sum(&l.sum)
		v.sum(&l.slack)
		v(&l.squares)
		v(&l.costs)
		v.count(&l.rows)
	}
	v.sums(t.v)
	v.reals(t.sizes)
	v.reals(t.energies)
	for k := range t.slope {
		s := &t.slope[k]
		v.sums(s.sums)
		v.reals(s.sizes)
		v.reals(s.full)
	}
	if t.wing != nil {
		t.wing.visit(v)
	}
}

// seenRows is what an evaluation has read, for the comparison of ranks.
type seenRows struct {
	batches int
	hash    *xxhash.Digest // nil if there is one process
}

// add takes the rows of a batch.
func (s *seenRows) add(b *batch) {
	s.batches++
	if s.hash == nil {
		return
	}
	for i := range b.rows {
		one := &b.rows[i]
		s.hash.Write(bytesOf(one.x))
		list := []float64{float64(one.id), float64(one.support)}
		for _, p := range one.roles {
			list = append(list, float64(p.classifier), p.y, p.upper, p.cost, p.norm, p.margin)
		}
		for _, eta := range one.gates {
			list = append(list, eta...)
		}
		s.hash.Write(bytesOf(list))
	}
}

// bytesOf returns the bytes of numbers in the byte order of this computer, which all ranks have.
func bytesOf[T float32 | float64](list []T) []byte {
	b, _ := binary.Append(nil, binary.NativeEndian, list) // Slices of numbers have no fault.
	return b
}

// Package trial estimates how long a training takes from trainings on samples of its rows.
//
// A Sample takes rows at random while another reader reads all of them. Run trains on larger and larger parts of the
// sample until a training takes long enough, and extrapolates.
//
// The package reads the clock, and an estimate differs from run to run. It holds the sample in memory, bounded by the
// budget of the training. Nothing here is safe for concurrent use.
package trial

import (
	"math/rand/v2"

	"bigmkl/dataset"
)

// Sample is a source that yields the rows of another one, and keeps some of them at random (reservoir sampling,
// Vitter 1985). Every set of rows of its size is equally likely.
type Sample struct {
	from   dataset.Source
	random *rand.Rand
	rows   []dataset.Row
	// widest is the row with the last feature of all, without which a sample of sparse rows has fewer features than
	// the data, and views would end beyond them.
	widest dataset.Row
	width  int32
	// seen counts the rows, and size their numbers that are kept, which are at most mostNumbers.
	seen, most  int
	size        int64
	mostNumbers int64
}

const (
	// mostRows is the largest number of rows in a sample.
	mostRows = 1 << 17
	// bytesOfNumber is the memory of a value that is not zero, with its index.
	bytesOfNumber = 12
)

// NewSample returns a source of the rows of another one. The rows that it keeps take at most memory bytes.
func NewSample(from dataset.Source, memory int64, seed uint64) *Sample {
	return &Sample{from: from, random: rand.New(rand.NewPCG(seed, 0x747269616c)), most: mostRows, mostNumbers: memory / bytesOfNumber}
}

// Next returns the next row, and keeps it with the probability that the size of the sample asks for.
func (s *Sample) Next() (dataset.Row, error) {
	r, err := s.from.Next()
	if err != nil {
		return r, err
	}
	s.seen++
	if n := len(r.Index); n > 0 && r.Index[n-1] >= s.width {
		s.widest, s.width = r.Clone(), r.Index[n-1]+1
	}
	switch at := s.random.IntN(s.seen); {
	case len(s.rows) < s.most && s.seen == len(s.rows)+1:
		s.rows = append(s.rows, r.Clone())
		s.size += int64(len(r.Index))
	case at < len(s.rows):
		s.size += int64(len(r.Index) - len(s.rows[at].Index))
		s.rows[at] = r.Clone()
	}
	// Of wide rows there are fewer. A random one leaves, so the others are still a random sample.
	for s.size > s.mostNumbers && len(s.rows) > 1 {
		at, last := s.random.IntN(len(s.rows)), len(s.rows)-1
		s.size -= int64(len(s.rows[at].Index))
		s.rows[at] = s.rows[last]
		s.rows = s.rows[:last]
		s.most = last
	}
	return r, nil
}

// shuffle puts the rows into a random order, so the first so many are a random sample, too.
func (s *Sample) shuffle() {
	s.random.Shuffle(len(s.rows), func(i, j int) { s.rows[i], s.rows[j] = s.rows[j], s.rows[i] })
}

// first returns a source of the first n rows of the sample. If these are not all rows, the widest row comes first.
func (s *Sample) first(n int) *dataset.SeqSource {
	return dataset.FromSeq(func(yield func(dataset.Row) bool) {
		if n < s.seen && s.width > 0 && !yield(s.widest) {
			return
		}
		for _, r := range s.rows[:n] {
			if !yield(r) {
				return
			}
		}
	})
}

package cache

import (
	"math/rand/v2"
	"testing"
)

// Lists of rows of several lengths go to a ring beside a map from each byte to the row that was written there last. A row of
// the ring has all its bytes; a row that was passed to drop has lost one, or made room for the index; the newest half stays.
func TestRingMatchesBytes(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		r := &ring{limit: 40 + rng.Int64N(400), most: 2 + rng.IntN(30)}
		bytes := make([]*location, r.limit)
		alive := map[*location]bool{}
		var dropped []*location
		drop := func(at *location) {
			if !alive[at] {
				t.Fatalf("seed %d: %+v is dropped twice", seed, *at)
			}
			delete(alive, at)
			dropped = append(dropped, at)
		}
		for step := range 300 {
			length := 1 + rng.Int64N(r.limit)
			head := r.head
			var list []*location
			for range r.fits(1+rng.IntN(8), length) {
				list = append(list, &location{first: r.place(length, drop), bytes: length})
			}
			if r.head = head; len(list) > 1 && int64(len(list))*length > r.limit/2 {
				t.Fatalf("seed %d: a list of %d rows of %d bytes of %d", seed, len(list), length, r.limit)
			}
			written := rng.IntN(len(list) + 1) // A fault may end the list early.
			for _, at := range list[:written] {
				for b := at.first; b < at.first+at.bytes; b++ {
					bytes[b] = at
				}
				alive[at] = true
				r.keep(at, drop)
			}
			for at := range alive {
				for b := at.first; b < at.first+at.bytes; b++ {
					if bytes[b] != at {
						t.Fatalf("seed %d, step %d: %+v has lost byte %d", seed, step, *at, b)
					}
				}
			}
			if len(alive) != len(r.rows) || len(r.rows) > r.most || r.end > r.limit {
				t.Fatalf("seed %d: %d rows, %d in the ring, %d at most, %d of %d bytes", seed, len(alive), len(r.rows), r.most, r.end, r.limit)
			}
		}
		if len(dropped) == 0 {
			t.Errorf("seed %d: nothing was ever overwritten", seed)
		}
	}
}

// A file that is full of rows of one length loses exactly one row for each new one.
func TestRingReplacesTheOldest(t *testing.T) {
	r := &ring{limit: 10 * 7, most: 100}
	for i := range int32(95) {
		var gone []int32
		at := &location{key: Key{Row: i}, bytes: 7}
		at.first = r.place(7, func(at *location) { gone = append(gone, at.key.Row) })
		r.keep(at, nil)
		if want := i - 10; want >= 0 && (len(gone) != 1 || gone[0] != want) || want < 0 && len(gone) > 0 {
			t.Fatalf("row %d overwrites %v", i, gone)
		}
	}
}

package cache

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"testing"
)

// pattern is the row of a key in an epoch; the rows of the keys change when the cache is cleared.
func pattern(k Key, epoch int, n int64) []byte {
	rng := rand.New(rand.NewPCG(uint64(uint32(k.Group))<<32|uint64(uint32(k.Row)), uint64(epoch)))
	row := make([]byte, n)
	for i := 0; i < len(row); i += 8 {
		v := rng.Uint64()
		for j := i; j < min(i+8, len(row)); j++ {
			row[j] = byte(v)
			v >>= 8
		}
	}
	return row
}

// row is the pattern of a key in the current epoch and layout.
func (m *mirror) row(k Key) []byte {
	if m.rows[k] != nil {
		return m.rows[k]
	}
	row := pattern(k, m.epoch, m.c.options.RowBytes)
	if m.places != nil {
		short := make([]byte, m.c.layouts.rowBytes())
		for i, at := range m.places {
			copy(short[i*element:(i+1)*element], row[int(at)*element:])
		}
		row = short
	}
	m.rows[k] = row
	return row
}

// element is the length of what rows are cut to.
const element = 8

// narrow cuts the rows down to the places that stay, and a few bytes.
func (m *mirror) narrow(stay func(place int) bool) {
	m.Helper()
	if m.places == nil {
		for i := range m.c.options.RowBytes / element {
			m.places = append(m.places, int32(i))
		}
	}
	var places, left []int32
	for i, at := range m.places {
		if stay(i) {
			places, left = append(places, int32(i)), append(left, at)
		}
	}
	length := max(min(int64(len(places))*element+24, m.c.layouts.rowBytes()), 1)
	if err := m.c.Narrow(places, element, length); err != nil {
		m.Fatal(err)
	}
	if m.c.ram == nil {
		m.places = nil // nothing is kept, nothing cut
		return
	}
	if m.places = left; left == nil {
		m.places = []int32{}
	}
	clear(m.rows)
	m.budgets()
}

// widen goes back to whole rows: those that were on disk before the first cut may still be there.
func (m *mirror) widen() {
	m.Helper()
	if err := m.c.Widen(); err != nil {
		m.Fatal(err)
	}
	if m.places != nil {
		clear(m.rows)
		m.places = nil
		clear(m.kept)
		for k := range m.whole {
			m.kept[k] = true
		}
	}
	m.budgets()
}

// smallMemory is a budget that gives so many slots next to a disk tier.
func smallMemory(rowBytes int64, slots int64) int64 {
	return 2 * slots * ((rowBytes+63)&^63 + slotOverhead)
}

// mirror drives a cache and a plain map side by side.
type mirror struct {
	*testing.T
	c     *Cache
	kept  map[Key]bool // rows that were filled and kept since the last clear: only these may be hits
	rows  map[Key][]byte
	epoch int

	places []int32      // in whole rows, of the elements of rows as they are now; nil if they are whole
	whole  map[Key]bool // rows that were kept while they were whole

	patient bool // waits for the disk after each round, for the same content each time
}

func newMirror(t *testing.T, o Options) *mirror {
	t.Helper()
	c, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return &mirror{T: t, c: c, kept: make(map[Key]bool), rows: make(map[Key][]byte), whole: make(map[Key]bool), patient: true}
}

func requests(cost float64, keys ...Key) []Request {
	want := make([]Request, len(keys))
	for i, k := range keys {
		want[i] = Request{Key: k, Cost: cost}
	}
	return want
}

func span(group, first, n int32) []Key {
	keys := make([]Key, n)
	for i := range keys {
		keys[i] = Key{group, first + int32(i)}
	}
	return keys
}

// round acquires, checks the hits, fills and releases.
func (m *mirror) round(want []Request, keep bool) []State {
	m.Helper()
	rows := make([]Row, len(want))
	if err := m.c.Acquire(context.Background(), want, rows); err != nil {
		m.Fatal(err)
	}
	m.budgets()
	states := make([]State, len(want))
	for i, r := range rows {
		k := want[i].Key
		full := m.row(k)
		switch states[i] = r.State; r.State {
		case Miss:
			if r.Data != nil {
				m.Fatalf("%v: a miss with data", k)
			}
		case Fill:
			copy(r.Data, full)
			if !keep { // half a row, as an interrupted pass leaves it
				clear(r.Data[len(r.Data)/2:])
			}
		case Hit:
			if !m.kept[k] {
				m.Fatalf("%v: a hit that was never kept", k)
			}
			if !bytes.Equal(r.Data, full) {
				m.Fatalf("%v: a hit with the wrong row", k)
			}
		}
	}
	if err := m.c.Release(keep); err != nil {
		m.Fatal(err)
	}
	m.c.spiller.settle(m.patient)
	m.c.publish()
	for i, s := range states {
		if s == Fill && keep {
			m.kept[want[i].Key] = true
			if m.places == nil {
				m.whole[want[i].Key] = true
			}
		}
	}
	m.budgets()
	return states
}

func (m *mirror) clear() {
	m.Helper()
	if err := m.c.clear(); err != nil {
		m.Fatal(err)
	}
	clear(m.kept)
	clear(m.whole)
	clear(m.rows)
	m.places = nil
	m.epoch++
	m.budgets()
	if s := m.c.Stats(); s.RAMBytes != 0 || s.DiskBytes != 0 {
		m.Fatalf("after Clear %+v", s)
	}
}

func (m *mirror) budgets() {
	m.Helper()
	s := m.c.Stats()
	if s.RAMBytes > m.c.options.Memory || s.DiskBytes > m.c.options.Disk {
		m.Fatalf("over budget: %+v of %+v", s, m.c.options)
	}
}

// operations interprets a string of bytes as options and calls.
func operations(t *testing.T, ops []byte) {
	next := func() byte {
		if len(ops) == 0 {
			return 0
		}
		b := ops[0]
		ops = ops[1:]
		return b
	}
	head := next()
	rowBytes := []int64{1, 777, 5000, pieceBytes + 5000}[head&3]
	o := Options{RowBytes: rowBytes, Memory: smallMemory(rowBytes, int64(head>>2&15)), Mode: Mode(head >> 6 % 3), Dir: t.TempDir(), Reserve: 1}
	if next()&1 == 1 {
		o.Disk = 24 << 20
	}
	m := newMirror(t, o)
	for len(ops) > 0 {
		op := next()
		var keys []Key
		for n, first := next()%24, next(); n > 0; n-- {
			keys = append(keys, Key{int32(first & 1), int32(first % 40)})
			first += 2 + op>>4
		}
		// Short strings of one stride may wrap round: the caller of a cache never asks twice for a key.
		seen := make(map[Key]bool)
		want := requests(float64(rowBytes)*float64(op>>4), keys...)
		distinct := want[:0]
		for _, w := range want {
			if !seen[w.Key] {
				seen[w.Key] = true
				distinct = append(distinct, w)
			}
		}
		switch op & 15 {
		case 0:
			m.clear()
		case 4:
			if rowBytes%element == 0 {
				keep := int(op>>4) + 2
				m.narrow(func(i int) bool { return i%keep != 1 })
			}
		case 5:
			m.widen()
		case 1, 2:
			m.round(distinct, false)
		case 3:
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if err := m.c.Acquire(ctx, distinct, make([]Row, len(distinct))); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		case 6:
			for i := range distinct {
				distinct[i].Once = true
			}
			if n := count(m.round(distinct, true), Fill); n > 0 {
				t.Fatalf("%d rows that are wanted once are to be kept", n)
			}
		default:
			m.round(distinct, true)
		}
	}
	if s := m.c.Stats(); s.DiskOff != "" || s.Damaged != 0 {
		t.Fatalf("a healthy disk gave %+v", s)
	}
	if err := m.c.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(o.Dir); err != nil || len(left) > 0 {
		t.Fatalf("left behind: %v %v", left, err)
	}
}

func TestOperationsMatchMap(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 7))
		ops := make([]byte, 150)
		for i := range ops {
			ops[i] = byte(rng.Uint32())
		}
		t.Logf("seed %d", seed)
		operations(t, ops)
	}
}

func FuzzOps(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0x5d, 1, 0x14, 20, 0, 0x14, 20, 1, 0x14, 20, 0, 0x24, 20, 1})
	f.Add([]byte{0x51, 1, 0x24, 23, 0, 0x00, 0, 0, 0x24, 23, 0, 0x03, 9, 9, 0x01, 12, 4, 0x24, 23, 1})
	f.Add([]byte{0x1e, 1, 0xf4, 20, 0, 0xf4, 20, 1, 0xf4, 20, 0, 0xf4, 20, 1})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 300 {
			t.Skip()
		}
		operations(t, ops)
	})
}

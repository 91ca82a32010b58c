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

// row is the pattern of a key in the current epoch.
func (m *mirror) row(k Key) []byte {
	if m.rows[k] == nil {
		m.rows[k] = pattern(k, m.epoch, m.c.options.RowBytes)
	}
	return m.rows[k]
}

// smallMemory is a budget that gives so many slots next to a disk tier.
func smallMemory(rowBytes int64, slots int64) int64 {
	return 2 * slots * ((rowBytes+63)&^63 + slotOverhead)
}

// mirror drives a cache and a plain map side by side.
type mirror struct {
	*testing.T
	c     *Cache
	kept  map[Key]bool // rows that were filled and kept since the last Clear: only these may be hits
	rows  map[Key][]byte
	epoch int
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
	return &mirror{T: t, c: c, kept: make(map[Key]bool), rows: make(map[Key][]byte)}
}

func requests(cost float64, keys ...Key) []Request {
	want := make([]Request, len(keys))
	for i, k := range keys {
		want[i] = Request{k, cost}
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
	for i, s := range states {
		if s == Fill && keep {
			m.kept[want[i].Key] = true
		}
	}
	m.budgets()
	return states
}

func (m *mirror) clear() {
	m.Helper()
	if err := m.c.Clear(); err != nil {
		m.Fatal(err)
	}
	clear(m.kept)
	clear(m.rows)
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
	rowBytes := []int64{1, 777, 5000, blockBytes + 1}[head&3]
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
		case 1, 2:
			m.round(distinct, false)
		case 3:
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if err := m.c.Acquire(ctx, distinct, make([]Row, len(distinct))); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
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

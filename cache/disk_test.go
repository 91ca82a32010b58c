package cache

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"bigmkl/internal/files"
)

// spilled is a cache with rows 0..n-1 of group 0 filled and all but the last few of them on disk.
func spilled(t *testing.T, rowBytes int64, n int32, o Options) *mirror {
	t.Helper()
	o.RowBytes, o.Mode, o.Dir = rowBytes, Always, t.TempDir()
	if o.Memory == 0 {
		o.Memory = smallMemory(rowBytes, 8)
	}
	if o.Disk == 0 {
		o.Disk = 1 << 30
	}
	if o.Reserve == 0 {
		o.Reserve = 1
	}
	m := newMirror(t, o)
	for first := int32(0); first < n; first += 4 {
		m.round(requests(0, span(0, first, min(4, n-first))...), true)
	}
	return m
}

func TestSpilledRowsComeBack(t *testing.T) {
	for _, rowBytes := range []int64{10, 4096, pieceBytes, 3*pieceBytes + 5} {
		m := spilled(t, rowBytes, 40, Options{})
		for first := int32(0); first < 40; first += 5 {
			if states := m.round(requests(0, span(0, first, 5)...), true); count(states, Hit) != 5 {
				t.Fatalf("rows of %d bytes: %v", rowBytes, states)
			}
		}
		s := m.c.Stats()
		if s.DiskHits < 32 || s.Spills < 32 || s.SpilledBytes != s.Spills*rowBytes || s.DiskOff != "" || s.DiskBytes < 32*rowBytes {
			t.Fatalf("%+v", s)
		}
		// A row that is on disk is not written again.
		for first := int32(0); first < 40; first += 5 {
			m.round(requests(0, span(0, first, 5)...), true)
		}
		if again := m.c.Stats(); again.Spills != 40 {
			t.Errorf("%d rows were written, of 40", again.Spills)
		}
	}
}

func TestAutoSpillsDearRows(t *testing.T) {
	const rowBytes, dear = 4096, 1e9
	m := newMirror(t, Options{RowBytes: rowBytes, Memory: smallMemory(rowBytes, 8), Disk: 1 << 30, Dir: t.TempDir(), Reserve: 1})
	for range 2 {
		m.round(requests(dear, span(0, 0, 4)...), true)
		m.round(requests(rowBytes, span(1, 0, 4)...), true) // not more expensive than to read and write them
	}
	m.round(requests(dear, span(2, 0, 8)...), true)
	m.round(requests(dear, span(3, 0, 8)...), true)
	for _, k := range append(span(0, 0, 4), span(2, 0, 8)...) {
		if !m.c.disk.holds(k) {
			t.Fatalf("%v is not on disk", k)
		}
	}
	for _, k := range span(1, 0, 4) {
		if m.c.disk.holds(k) {
			t.Fatalf("%v is on disk", k)
		}
	}
	if states := m.round(requests(dear, span(0, 0, 4)...), true); count(states, Hit) != 4 {
		t.Fatal(states)
	}
	if states := m.round(requests(rowBytes/2, span(0, 4, 4)...), true); count(states, Fill) != 4 {
		t.Fatal(states)
	}
}

// What many threads compute is cheaper to compute again.
func TestAutoCountsThreads(t *testing.T) {
	const rowBytes = 4096
	for _, threads := range []int{1, 16} {
		m := newMirror(t, Options{RowBytes: rowBytes, Memory: smallMemory(rowBytes, 8), Disk: 1 << 30, Dir: t.TempDir(), Reserve: 1, Threads: threads})
		for first := int32(0); first < 40; first += 4 {
			m.round(requests(8*rowBytes, span(0, first, 4)...), true)
		}
		if s := m.c.Stats(); (s.Spills > 0) != (threads == 1) {
			t.Errorf("%d threads: %+v", threads, s)
		}
	}
}

func TestDamageIsFound(t *testing.T) {
	m := spilled(t, 3*pieceBytes+5, 24, Options{})
	for at := int64(100); at < m.c.disk.ring.end; at += 1 << 20 { // Some rows stay whole.
		var b [1]byte
		if _, err := m.c.disk.file.ReadAt(b[:], at); err != nil {
			t.Fatal(err)
		}
		b[0] ^= 0x10
		if _, err := m.c.disk.file.WriteAt(b[:], at); err != nil {
			t.Fatal(err)
		}
	}
	fills := 0
	for first := int32(0); first < 16; first += 4 {
		fills += count(m.round(requests(0, span(0, first, 4)...), true), Fill)
	}
	s := m.c.Stats()
	if s.Damaged == 0 || s.Damaged != int64(fills) || s.DiskHits == 0 || s.DiskOff != "" {
		t.Fatalf("%d rows to fill, %+v", fills, s)
	}
	// The rows that were filled again are written again.
	m.round(requests(0, span(1, 0, 8)...), true)
	for first := int32(0); first < 16; first += 4 {
		if states := m.round(requests(0, span(0, first, 4)...), true); count(states, Hit) != 4 {
			t.Fatal(states)
		}
	}
}

// A row that lies behind the end of a file that was cut short is computed again, and the tier goes on.
func TestFileCutShort(t *testing.T) {
	m := spilled(t, 5000, 24, Options{})
	m.round(requests(0, span(0, 0, 8)...), true) // Every row is on disk now.
	if err := m.c.disk.file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if states := m.round(requests(0, span(0, 8, 8)...), true); count(states, Fill) != 8 {
		t.Fatal(states)
	}
	m.round(requests(0, span(0, 0, 8)...), true)
	if states := m.round(requests(0, span(0, 8, 8)...), true); count(states, Hit) != 8 {
		t.Fatal(states)
	}
	if s := m.c.Stats(); s.DiskOff != "" || s.Damaged == 0 {
		t.Fatalf("%+v", s)
	}
}

// failing fails the operations of a kind from a count on.
type failing struct {
	kind  files.Kind
	after atomic.Int64
}

func (f *failing) Before(op files.Op) error {
	if op.Kind == f.kind && f.after.Add(-1) < 0 {
		return &files.Short{N: 1000, Err: syscall.EIO}
	}
	return nil
}

func (f *failing) Read(files.Op, []byte) {}

// Any operation of the disk fails from the first, second .. time on: the tier is off with the reason, nothing is left of it, and
// all rows are right.
func TestFaultsSwitchOff(t *testing.T) {
	for _, kind := range []files.Kind{files.OpSpace, files.OpCreate, files.OpWrite, files.OpRead} {
		for after := range int64(3) {
			if kind == files.OpCreate && after > 0 {
				break // There is one file.
			}
			f := &failing{kind: kind}
			f.after.Store(after)
			restore := files.Inject(f)
			m := spilled(t, 5000, 24, Options{})
			for first := int32(0); first < 24; first += 4 {
				m.round(requests(0, span(0, first, 4)...), true)
			}
			restore()
			if s := m.c.Stats(); s.DiskOff == "" || s.DiskBytes != 0 {
				t.Errorf("%s fails after %d: %+v", kind, after, s)
			}
			if left, err := os.ReadDir(m.c.options.Dir); err != nil || len(left) > 0 {
				t.Error("a tier that is off leaves", left, err)
			}
		}
	}
}

// A writing that makes no progress is given up, and asked for once.
func TestWritingThatStandsStill(t *testing.T) {
	w := &writing{done: make(chan struct{})}
	if start := time.Now(); w.wait(2*time.Second) || time.Since(start) < 2*time.Second {
		t.Error("a writing that stands still is waited for")
	}
	if start := time.Now(); w.wait(time.Hour) || time.Since(start) > look {
		t.Error("a writing that was given up is waited for again")
	}
	w = &writing{done: make(chan struct{})}
	close(w.done)
	if !w.wait(2 * time.Second) {
		t.Error("a writing that has ended is given up")
	}
}

func TestDiskBudget(t *testing.T) {
	const disk = 40 << 20
	m := spilled(t, 100_000, 4, Options{Disk: disk})
	dropped := false
	for first := int32(0); first < 800; first += 8 {
		m.round(requests(0, span(1, first, 8)...), true)
		info, err := m.c.disk.file.Stat()
		if err != nil || files.Allocated(info) > disk*99/100 || info.Size() > m.c.Stats().DiskBytes {
			t.Fatalf("%d bytes allocated of %d, %+v, %v", files.Allocated(info), disk, m.c.Stats(), err)
		}
		m.round(requests(0, span(1, 0, 2)...), true) // on disk, overwritten or neither
		dropped = dropped || !m.c.disk.holds(Key{1, 0}) && first > 8
	}
	if s := m.c.Stats(); s.DiskOff != "" || !dropped || s.SpilledBytes < disk || s.Damaged != 0 {
		t.Fatalf("%v %+v", dropped, s)
	}
	// The rows that were written last are still there.
	if states := m.round(requests(0, span(1, 776, 8)...), true); count(states, Hit) != 8 {
		t.Fatal(states)
	}
}

// DiskBudget is the least budget whose file has room for the rows.
func TestDiskBudgetOfRows(t *testing.T) {
	for _, rows := range []int64{1, 63, 64, 65, 1000, 4096, 1 << 20, 1<<40 + 7} {
		if d := DiskBudget(rows); fileLimit(d) < rows || fileLimit(d-1) >= rows {
			t.Errorf("%d bytes of rows: %d, which hold %d, and %d", rows, d, fileLimit(d), fileLimit(d-1))
		}
	}
}

func TestDiskBudgetBelowRow(t *testing.T) {
	m := spilled(t, 100_000, 24, Options{Disk: 100_000})
	if s := m.c.Stats(); !strings.Contains(s.DiskOff, "holds no row") || s.Spills != 0 {
		t.Fatalf("%+v", s)
	}
}

func TestReserveIsKept(t *testing.T) {
	m := spilled(t, 5000, 24, Options{Reserve: 1 << 60})
	if s := m.c.Stats(); !strings.Contains(s.DiskOff, "reserve") || s.Spills != 0 || s.DiskBytes != 0 {
		t.Fatalf("%+v", s)
	}
	// Space that comes back is used.
	m.c.disk.reserve = 1
	m.round(requests(0, span(1, 0, 8)...), true)
	if s := m.c.Stats(); s.DiskOff != "" || s.Spills == 0 {
		t.Fatalf("%+v", s)
	}
	// Space that goes: what is there is still read.
	m.c.disk.reserve = 1 << 60
	m.round(requests(0, span(2, 0, 8)...), true)
	hits := count(m.round(requests(0, span(0, 20, 4)...), true), Hit)
	if s := m.c.Stats(); s.DiskOff == "" || hits == 0 || s.DiskHits == 0 {
		t.Fatalf("%d hits, %+v", hits, s)
	}
}

func TestNoDirectory(t *testing.T) {
	m := newMirror(t, Options{RowBytes: 5000, Memory: smallMemory(5000, 8), Disk: 1 << 30, Mode: Always, Dir: filepath.Join(t.TempDir(), "missing")})
	for first := int32(0); first < 40; first += 4 {
		m.round(requests(0, span(0, first, 4)...), true)
	}
	if s := m.c.Stats(); s.DiskOff == "" {
		t.Fatalf("%+v", s)
	}
}

func TestClearLeavesNoStaleRow(t *testing.T) {
	m := spilled(t, 5000, 40, Options{})
	m.clear()
	if states := m.round(requests(0, span(0, 0, 8)...), true); count(states, Fill) != 8 {
		t.Fatal(states)
	}
	// The mirror compares with the rows of the new epoch.
	for range 2 {
		for first := int32(0); first < 40; first += 8 {
			m.round(requests(0, span(0, first, 8)...), true)
		}
	}
	if s := m.c.Stats(); s.DiskHits == 0 || s.DiskOff != "" {
		t.Fatalf("%+v", s)
	}
}

// The file has no name where the system allows that, is for its owner alone, and goes when the cache is closed.
func TestCloseRemovesFiles(t *testing.T) {
	m := spilled(t, 5000, 40, Options{})
	dir := m.c.options.Dir
	made, err := os.ReadDir(dir)
	if want := map[bool]int{true: 1, false: 0}[files.NamesLast]; err != nil || len(made) != want {
		t.Fatal(made, err)
	}
	if info, err := m.c.disk.file.Stat(); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Fatal(info, err)
	}
	if err := m.c.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
}

// cancelled is a context that is cancelled after so many looks at it.
type cancelled struct {
	context.Context
	looks atomic.Int64
}

func (c *cancelled) Err() error {
	if c.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelledRoundLeavesNoTrace(t *testing.T) {
	for looks := range int64(6) {
		m := spilled(t, 5000, 24, Options{})
		rows := make([]Row, 8)
		ctx := &cancelled{Context: context.Background()}
		ctx.looks.Store(looks)
		err := m.c.Acquire(ctx, requests(0, span(0, 0, 8)...), rows)
		if !errors.Is(err, context.Canceled) || rows[0].Data != nil {
			t.Fatal(looks, err)
		}
		for first := int32(0); first < 24; first += 8 {
			m.round(requests(0, span(0, first, 8)...), true)
		}
	}
}

// A writing that goes on while others read, rows are asked for and the cache is cut down or closed.
func TestWritingBehind(t *testing.T) {
	const rowBytes = 50_000
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 11))
		m := newMirror(t, Options{RowBytes: rowBytes, Memory: smallMemory(rowBytes, 64), Disk: 1 << 30, Dir: t.TempDir(), Reserve: 1, Mode: Mode(seed % 2)})
		m.patient = false
		for range 40 {
			m.round(requests(1e9, span(0, rng.Int32N(150), 1+rng.Int32N(30))...), rng.IntN(8) > 0)
		}
		switch seed % 3 {
		case 0:
			m.narrow(func(i int) bool { return i%3 == 0 })
		case 1:
			m.clear()
		}
		m.round(requests(1e9, span(0, 0, 30)...), true)
		if s := m.c.Stats(); s.DiskOff != "" || s.Damaged > 0 || s.DiskHits == 0 {
			t.Fatalf("seed %d: %+v", seed, s)
		}
	}
}

// TestRoomForAll: nothing is written to disk as long as no row has to leave the memory.
func TestRoomForAll(t *testing.T) {
	m := spilled(t, 4096, 40, Options{Memory: smallMemory(4096, 80)})
	for range 5 {
		if states := m.round(requests(0, span(0, 0, 40)...), true); count(states, Hit) != 40 {
			t.Fatal(states)
		}
	}
	if s := m.c.Stats(); s.Spills != 0 || s.DiskBytes != 0 {
		t.Errorf("%+v", s)
	}
	for first := int32(40); first < 120; first += 4 {
		m.round(requests(0, span(0, first, 4)...), true)
	}
	if s := m.c.Stats(); s.Spills < 30 {
		t.Errorf("%+v", s)
	}
}

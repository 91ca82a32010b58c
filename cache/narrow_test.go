package cache

import "testing"

// Rows that were spilled whole serve shorter ones, generation after generation, and whole ones afterwards.
func TestNarrowKeepsRows(t *testing.T) {
	for _, rowBytes := range []int64{4096, pieceBytes, 3*pieceBytes + 8} {
		m := spilled(t, rowBytes, 40, Options{})
		for first := int32(0); first < 40; first += 5 {
			m.round(requests(0, span(0, first, 5)...), true) // every row is on disk then
		}
		slots := m.c.ram.capacity
		for range 3 {
			for range 3 {
				m.narrow(func(i int) bool { return i%4 != 2 })
				for first := int32(0); first < 40; first += 5 {
					if states := m.round(requests(0, span(0, first, 5)...), true); count(states, Hit) != 5 {
						t.Fatalf("rows of %d bytes: %v", rowBytes, states)
					}
				}
				m.round(requests(0, span(1, 0, 8)...), true) // filled while short
			}
			if m.c.ram.capacity <= slots {
				t.Fatalf("%d slots, %d before rows got shorter", m.c.ram.capacity, slots)
			}
			if states := m.round(requests(0, span(1, 0, 8)...), true); count(states, Hit) != 8 {
				t.Fatal(states)
			}
			m.widen()
			if m.c.ram.capacity != slots {
				t.Fatalf("%d slots, %d before", m.c.ram.capacity, slots)
			}
			if states := m.round(requests(0, span(0, 0, 8)...), true); count(states, Hit) != 8 {
				t.Fatal(states)
			}
			if states := m.round(requests(0, span(1, 0, 8)...), false); count(states, Hit) != 0 {
				t.Fatal("a row that lacks elements:", states)
			}
		}
		if s := m.c.Stats(); s.DiskOff != "" || s.Damaged != 0 {
			t.Fatalf("%+v", s)
		}
	}
}

// Rows in memory stay, in the order of their use, though they never were on disk.
func TestNarrowKeepsMemory(t *testing.T) {
	m := newMirror(t, Options{RowBytes: 4096, Memory: 20 * (4096 + slotOverhead), Threads: 3})
	m.round(requests(0, span(0, 0, 10)...), true)
	m.round(requests(0, span(0, 10, 10)...), true)
	m.round(requests(0, span(0, 0, 5)...), true)
	m.narrow(func(i int) bool { return i%2 == 0 })
	if states := m.round(requests(0, span(0, 0, 20)...), true); count(states, Hit) != 20 {
		t.Fatal(states)
	}
	capacity := int32(m.c.ram.capacity)
	m.round(requests(0, span(1, 0, capacity-20)...), true)
	if states := m.round(requests(0, span(0, 0, 20)...), true); count(states, Hit) != 20 {
		t.Fatal("the room of shorter rows is not used:", states)
	}
	m.narrow(func(i int) bool { return false })
	m.round(requests(0, span(0, 0, 20)...), true)
	m.widen()
	if states := m.round(requests(0, span(0, 0, 20)...), true); count(states, Hit) != 0 {
		t.Fatal(states)
	}
}

// The places take memory too: rows that do not fit any more are the least recently used.
func TestNarrowKeepsBudget(t *testing.T) {
	m := newMirror(t, Options{RowBytes: 1 << 16, Memory: 6 * (1<<16 + slotOverhead)})
	m.round(requests(0, span(0, 0, 6)...), true)
	m.round(requests(0, span(0, 0, 2)...), true)
	m.narrow(func(int) bool { return true })
	states := m.round(requests(0, span(0, 0, 6)...), true)
	if count(states[:2], Hit) != 2 || count(states, Hit) == 6 {
		t.Fatal(states)
	}
}

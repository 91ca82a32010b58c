package cache

import (
	"context"
	"testing"
)

// rounds drives n rounds of q new or old rows of 240 kB (60,000 points) through a memory of 64 rows.
func rounds(b *testing.B, c *Cache, first, n int32, q int) (hits int) {
	rows := make([]Row, q)
	for i := range n {
		if err := c.Acquire(context.Background(), requests(0, span(0, (first+i)*int32(q), int32(q))...), rows); err != nil {
			b.Fatal(err)
		}
		for _, r := range rows {
			if r.State == Hit {
				hits++
			}
		}
		if err := c.Release(true); err != nil {
			b.Fatal(err)
		}
	}
	return hits
}

const benchRow, benchQ = 240_000, 32

func benchCache(b *testing.B) *Cache {
	c, err := Open(Options{RowBytes: benchRow, Memory: smallMemory(benchRow, 2*benchQ), Disk: 8 << 30, Mode: Always, Dir: b.TempDir(), Reserve: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	rounds(b, c, 0, 2, benchQ)
	return c
}

func BenchmarkSpill(b *testing.B) {
	c := benchCache(b)
	b.SetBytes(benchRow * benchQ)
	next := int32(2)
	for b.Loop() {
		rounds(b, c, next, 1, benchQ)
		next++
	}
}

func BenchmarkReadBack(b *testing.B) {
	const cycle = 32
	c := benchCache(b)
	rounds(b, c, 2, cycle, benchQ)
	rounds(b, c, 0, 2, benchQ)
	b.SetBytes(benchRow * benchQ)
	next := int32(0)
	for b.Loop() {
		if hits := rounds(b, c, 2+next%(cycle-2), 1, benchQ); hits != benchQ {
			b.Fatalf("%d hits", hits)
		}
		next++
	}
}

func BenchmarkHitInMemory(b *testing.B) {
	c := benchCache(b)
	for b.Loop() {
		rounds(b, c, 0, 1, benchQ)
	}
}

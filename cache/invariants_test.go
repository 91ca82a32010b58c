package cache

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bigmkl/internal/invariant"
)

// Accounts that are wrong are seen at the end of the next call.
func TestAssertAccounts(t *testing.T) {
	if !invariant.Enabled {
		t.Skip("invariants are checked with -tags invariants")
	}
	for want, spoil := range map[string]func(c *Cache){
		"rows in the index":     func(c *Cache) { c.ram.index[Key{9, 9}] = 0 },
		"which the index finds": func(c *Cache) { c.ram.index[Key{0, 1}] = c.ram.index[Key{0, 2}] },
		"in the order of use":   func(c *Cache) { c.ram.slots[c.ram.index[Key{0, 1}]].newer = none },
		"the oldest slot":       func(c *Cache) { c.ram.oldest = c.ram.newest },
		"no row outside":        func(c *Cache) { c.ram.slots[c.ram.newest].valid = false },
		"pinned or held":        func(c *Cache) { c.ram.busy++ },
		"by the round":          func(c *Cache) { c.ram.pin(c.ram.oldest) },
		"free of":               func(c *Cache) { c.ram.free = append(c.ram.free, 0) },
		"at most":               func(c *Cache) { c.ram.capacity = 1 },
		"bytes in use":          func(c *Cache) { c.options.Memory = 100 },
	} {
		o := Options{RowBytes: 800, Memory: smallMemory(800, 6), Mode: Always}
		c, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		want3 := requests(1, span(0, 0, 3)...)
		if err := c.Acquire(context.Background(), want3, make([]Row, 3)); err != nil {
			t.Fatal(err)
		}
		if err := c.Release(true); err != nil {
			t.Fatal(err)
		}
		spoil(c)
		text := func() (text string) {
			defer func() { text = fmt.Sprint(recover()) }()
			c.publish()
			return ""
		}()
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %q", want, text)
		}
		if err := c.ram.arena.Close(); err != nil {
			t.Error(err)
		}
	}
}

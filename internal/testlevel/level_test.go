package testlevel

import (
	"fmt"
	"testing"
)

// TestDrawn: of many names about one in so many is drawn, and each by some seed.
func TestDrawn(t *testing.T) {
	defer func(seed uint64) { Seed = seed }(Seed)
	const names, seeds, of = 64, 64, 8
	byName := map[string]int{}
	for Seed = range uint64(seeds) {
		drawn := 0
		for i := range names {
			name := fmt.Sprintf("TestTable/case_%d", i)
			if Drawn(name, of) {
				drawn++
				byName[name]++
			}
		}
		if drawn == 0 || drawn > names/2 {
			t.Errorf("seed %d draws %d of %d names", Seed, drawn, names)
		}
	}
	for i := range names {
		if name := fmt.Sprintf("TestTable/case_%d", i); byName[name] == 0 || byName[name] > seeds/2 {
			t.Errorf("%d of %d seeds draw %s", byName[name], seeds, name)
		}
	}
}

// TestTried: a case of a loop is tried in the share that its level has, each by some seed.
func TestTried(t *testing.T) {
	defer func(seed, share uint64) { Seed, Share = seed, share }(Seed, Share)
	const seeds = 4000
	for _, c := range []struct {
		level       string
		share       uint64
		plain, some uint64
		of          float64
	}{{"", 1, 4, 2, 4}, {"1", 1, 4, 2, 2}, {"1", 2, 4, 2, 4}, {"1", 3, 4, 2, 4}, {"1", 3, 1, 4, 4}, {"2", 3, 4, 2, 3}} {
		t.Setenv("BIGMKL_LONG", c.level)
		Share = c.share
		tried := 0
		for Seed = range uint64(seeds) {
			if Tried(t, "a case", c.plain, c.some) {
				tried++
			}
		}
		if share := float64(tried) / seeds; share < 0.9/c.of || share > 1.1/c.of {
			t.Errorf("level %q with a share of 1/%d tries %g of the cases, not 1/%g", c.level, c.share, share, c.of)
		}
	}
}

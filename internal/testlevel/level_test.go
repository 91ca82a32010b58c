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

package testlevel

import "testing"

// TestDiagonal: each seed draws one case in so many, and some of each row and each column.
func TestDiagonal(t *testing.T) {
	defer func(seed, share uint64) { Seed, Share = seed, share }(Seed, Share)
	Share = 1
	const side = 8
	for level, of := range map[string]int{"": 4, "1": 2, "2": 1} {
		t.Setenv("BIGMKL_LONG", level)
		for Seed = range uint64(8) {
			drawn := 0
			var rows, columns [side]bool
			for i := range side {
				for j := range side {
					if Diagonal(t, i, j, 4, 2) {
						drawn++
						rows[i], columns[j] = true, true
					}
				}
			}
			all := [side]bool{true, true, true, true, true, true, true, true}
			if drawn != side*side/of || rows != all || columns != all {
				t.Errorf("level %q, seed %d draws %d cases, rows %v, columns %v", level, Seed, drawn, rows, columns)
			}
		}
	}
}

package dataset

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// TwinBytes is the memory that Store.Twins takes for a row.
const TwinBytes = 20

// hashed is a row by a hash of its features.
type hashed struct {
	hash uint64
	row  int32
}

// Twins returns for each of the first n rows the number of the first row that has the same features, and its own if
// there is none. It ends early if ctx is done. Of 2^20 rows two that differ count as the same with a
// probability of 3e-8.
func (m *matrix) Twins(ctx context.Context, n int) ([]int32, error) {
	hashes, err := m.hashRows(ctx, n)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(hashes, func(a, b hashed) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.row, b.row))
	})
	first := make([]int32, n)
	for k, h := range hashes {
		if first[h.row] = h.row; k > 0 && hashes[k-1].hash == h.hash {
			first[h.row] = first[hashes[k-1].row]
		}
	}
	return first, nil
}

// hashRows hashes the features of the first n rows in one pass, and ends early if ctx is done.
func (m *matrix) hashRows(ctx context.Context, n int) ([]hashed, error) {
	hashes := make([]hashed, n)
	for i := range hashes {
		hashes[i].row = int32(i)
		if i%PanelWidth != 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := min(i+PanelWidth, n)
		if m.Sparse() {
			for k := i; k < end; k++ {
				index, value := m.Nonzeros(k)
				for at, j := range index {
					hashes[k].hash = mix(mix(hashes[k].hash, uint32(j)), math.Float32bits(value[at]))
				}
			}
			continue
		}
		// A panel holds its points side by side, so all of them go on feature by feature.
		panel := m.Panel(i / PanelWidth)
		for from := 0; from < len(panel); from += PanelWidth {
			for k := i; k < end; k++ {
				hashes[k].hash = mix(hashes[k].hash, math.Float32bits(panel[from+k-i]))
			}
		}
	}
	return hashes, nil
}

// mix adds a number to a hash. Both steps can be undone, so two hashes that differ meet only where
// later numbers differ, too.
func mix(h uint64, x uint32) uint64 {
	h = (h ^ uint64(x)) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

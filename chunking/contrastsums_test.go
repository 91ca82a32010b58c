package chunking

import (
	"math"
	"slices"
	"testing"

	"bigmkl/internal/toy"
)

// TestSumsAmongBounds: the sums of the columns are exact after a repair where most contrasts are at their bounds, so most of what
// potentials move is cut off.
func TestSumsAmongBounds(t *testing.T) {
	const classes, points = 12, 60
	repaired := 0
	for seed := range uint64(30) {
		rng := toy.Random(t, 284100+seed)
		m := &contrastModel{columnModel: &columnModel{columns: classes, q: points}, lack: make([]float64, classes)}
		for range points {
			y, cost := rng.IntN(classes), 10*rng.Float64()
			m.own = append(m.own, y)
			for c := range classes {
				if c == y {
					m.low, m.high, m.x = append(m.low, 0), append(m.high, 0), append(m.x, 0)
					continue
				}
				low := -cost * float64(rng.IntN(2))
				x := low + cost*float64(rng.IntN(2))
				if rng.IntN(20) == 0 {
					x = low + cost*rng.Float64()
				}
				m.low, m.high, m.x = append(m.low, low), append(m.high, low+cost), append(m.x, x)
			}
		}
		m.repair()
		left, size := m.missing(m.step()), 0.0
		for _, x := range m.x {
			size += math.Abs(x)
		}
		if most := max(slices.Max(left), -slices.Min(left)); most > 1e-13*size {
			t.Errorf("seed %d: sums are left with %g of %g", seed, most, size)
		}
		if size > 0 {
			repaired++
		}
		for u, x := range m.x {
			if x < m.low[u] || x > m.high[u] {
				t.Errorf("seed %d: contrast %d is %g outside of [%g, %g]", seed, u, x, m.low[u], m.high[u])
			}
		}
	}
	if repaired == 0 {
		t.Error("no sums came into reach")
	}
	t.Logf("%d of 30", repaired)
}

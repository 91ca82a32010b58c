package budget

import "bigmkl/internal/simd"

// Exchange estimates what ranks that train together send in an iteration, in bytes. It counts an
// iteration in which no point sleeps and all of the working set moves: others send less. What is sent
// once, or when points fall asleep, is left out.
type Exchange struct {
	Ranks int
	// Rows is the largest number of rows that a rank holds the gradients of.
	Rows int
	// ToEach is what rank 0 sends each other rank: the working set with its changes, and the weights.
	ToEach int64
	// Combined is what all ranks together send rank 0 of the combined gradient, Sums of sums by unit, and
	// Model of the quadratic model and the gradients on the working set. Rank 0 has its own share of
	// these already. In single precision the quadratic model takes half of what is counted where there are
	// gradients of up to 64 kernels.
	Combined, Sums, Model int64
}

// exchange counts what the ranks of a run of n points send each other.
func (r *Run) exchange(n, kernels int) *Exchange {
	if r.Ranks <= 1 {
		return nil
	}
	if r.Held > 0 {
		kernels = r.Held
	}
	q, m, columns := int64(r.Pairs.setPoints(&r.Tuning, n)), int64(kernels), int64(1)
	if r.Columns {
		columns = r.together()
	}
	combined := 8 * columns * int64(n)
	if r.Mixture != nil {
		combined *= 2 // The gradients of each component by themselves come beside them.
	}
	// Gradients on the working set come once an iteration, and with columns once for the model and once for
	// its search.
	held := int64(1)
	if r.Columns {
		held = 2
	}
	return &Exchange{
		Ranks: r.Ranks, Rows: r.ofRank(n),
		// The set, its changes and its dual variables, as the three requests of a step name them, and
		// weights.
		ToEach:   36*columns*q + 8*m,
		Combined: combined, Sums: 8 * columns * units(n) * m, Model: columns * (held*8*q*m + 4*q*q),
	}
}

// units returns the number of units that the points are cut into: of 32 panels, or about 32 of them.
func units(n int) int64 {
	const unitPanels = 32
	panels := padded(n) / simd.Width
	return panels / min(max(panels/unitPanels, 1), unitPanels)
}

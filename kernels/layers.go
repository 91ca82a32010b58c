package kernels

import "bigmkl/internal/simd"

// layers are the bases of a group, which are made together: one, or several for string kernels.
type layers struct {
	Layers int // number of bases
	Key    int // number of the first of these bases among the bases of all groups
}

// TileSize is the number of elements that the bases of q points against one panel take.
func (l *layers) TileSize(q int) int { return l.Layers * BaseSize(q) }

// Used is the number of those elements that count, from the first on: layer by layer, 32 for each
// point. The rest of TileSize is written as well, but holds no values.
func (l *layers) Used(q int) int { return l.Layers * q * simd.Width }

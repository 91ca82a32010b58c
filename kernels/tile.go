package kernels

import (
	"bigmkl/internal/simd"
)

// Kernel values are computed in tiles: some row points against one panel of 32 column points. Rows
// come in blocks of 8 and columns in panels of 32 because the assembly in internal/simd keeps 8 x
// 32 sums in vector registers. Every layout of this package follows from these two numbers.

// width is the number of points in a panel: the columns of a tile.
const width = simd.Width

// tile is the number of elements of one block of 8 rows against one panel.
const tile = simd.Rows * simd.Width

// chunk is the number of rows whose values are made and used together. 64 rows of a panel take 8
// KiB in float32, so they are still in the first-level cache when the next kernel reads them.
const chunk = 64

// productRows is the number of rows of a product of kernels whose bases are made together: with
// the values of the factors they stay in the first-level cache.
const productRows = chunk

// blocks is the number of blocks of 8 rows that hold q points; the last block may be part empty.
func blocks(q int) int { return (q + simd.Rows - 1) / simd.Rows }

// BaseSize is the number of elements of one base of q points against one panel. It counts whole
// blocks of 8 rows, because that is what the assembly writes.
//
// It is the size for one layer; see Group.TileSize.
func BaseSize(q int) int { return blocks(q) * simd.Rows * simd.Width }

// panelsOf is the number of panels that hold n points; the last panel may be part empty.
func panelsOf(n int) int { return (n + simd.Width - 1) / simd.Width }

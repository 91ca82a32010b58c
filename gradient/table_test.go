package gradient

import (
	"math/rand/v2"

	"bigmkl/internal/simd"
)

// table is kernels.Points in memory.
type table struct {
	d      int
	x      [][]float32
	panels [][]float32
	sparse bool
}

func (p *table) Len() int                 { return len(p.x) }
func (p *table) Dim() int                 { return p.d }
func (p *table) Row(i int, dst []float32) { copy(dst, p.x[i]) }
func (p *table) Panel(at int) []float32   { return p.panels[at] }

func (p *table) Sparse() bool { return p.sparse }

func (p *table) Nonzeros(i int) (index []int32, value []float32) {
	for j, v := range p.x[i] {
		if v != 0 {
			index, value = append(index, int32(j)), append(value, v)
		}
	}
	return index, value
}

func newTable(x [][]float32) *table {
	p := &table{d: len(x[0]), x: x}
	for at := 0; at < len(x); at += simd.Width {
		panel := make([]float32, p.d*simd.Width)
		for j := range min(simd.Width, len(x)-at) {
			for f, v := range x[at+j] {
				panel[f*simd.Width+j] = v
			}
		}
		p.panels = append(p.panels, panel)
	}
	return p
}

// uniform draws n points of d features in [0, 1).
func uniform(rng *rand.Rand, n, d int) *table {
	x := make([][]float32, n)
	for i := range x {
		x[i] = make([]float32, d)
		for j := range x[i] {
			x[i][j] = rng.Float32()
		}
	}
	return newTable(x)
}

package kernels

import (
	"fmt"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// BenchmarkStrings: a value of a kernel between sequences of 398 letters, and its part of packing a panel.
func BenchmarkStrings(b *testing.B) {
	const q, d = 256, 398
	rng := random(b, 1)
	p := &table{d: d}
	for range q {
		x := make([]float32, d)
		for j := range x {
			x[j] = float32(1 + rng.IntN(4))
		}
		p.x = append(p.x, x)
	}
	for _, k := range []kernelspec.Kernel{
		{Kind: kernelspec.WeightedDegree, Degree: 20}, {Kind: kernelspec.WeightedDegree, Degree: 20, Shift: 10}, {Kind: kernelspec.Spectrum, Degree: 3}, {Kind: kernelspec.Spectrum, Degree: 6},
		{Kind: kernelspec.Spectrum, Degree: 8}, {Kind: kernelspec.Spectrum, Degree: 12}, {Kind: kernelspec.Spectrum, Degree: 6, Mismatches: 1},
	} {
		k.Set = kernelspec.AllFeatures
		bank := newBank(b, &kernelspec.Bank{Letters: dataset.DNA, Kernels: []kernelspec.Kernel{k}}, Shape{Features: d, Shift: make([]float32, d)}, false)
		g := &bank.Groups[0]
		e := NewEvaluator[float32](bank)
		var set Set
		set.Gather(p, upTo(q))
		var rows Rows[float32]
		var cols Columns[float32]
		e.PackRows(&rows, g, &set)
		panel := PanelOf(p, 0, &PanelBuffer{})
		dst := make([]float32, g.TileSize(q))
		e.PackColumns(&cols, g, &panel, q)
		name := fmt.Sprintf("%s %d", k.Kind, k.Degree)
		if k.Shift+uint16(k.Mismatches) > 0 {
			name += fmt.Sprintf(" and %d", k.Shift+uint16(k.Mismatches))
		}
		b.Run(name, func(b *testing.B) {
			for range b.N {
				e.Base(dst, g, &rows, 0, q, &cols, nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/q/simd.Width, "ns/value")
		})
		b.Run(name+", packing", func(b *testing.B) {
			for range b.N {
				e.PackColumns(&cols, g, &panel, q)
			}
		})
	}
}

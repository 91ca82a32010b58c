package harness

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"bigmkl/dataset"
)

// TextKind is the kind of sparse rows of many features, as texts have them.
const TextKind = "text"

// textWords is the number of different features of a row.
// It is fixed, so the share of zeros grows with the number of features.
const textWords = 100

// words generates rows of textWords non-zeros and length 1. Feature j has a frequency in proportion to 1/j, and a
// normal weight; the sign of the weighted sum is the class. Frequencies in proportion to 1/j follow
// Zipf's law, as words do: few features are in many rows, and most in few.
func (s *Synthetic) words() iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		// The second word of the seed separates the kinds of generated rows.
		rng := rand.New(rand.NewPCG(s.Seed, 5))
		// A weight is drawn when its feature first occurs. Most of a million features never do.
		weight := map[int32]float64{}
		var row dataset.Row
		for range s.Points {
			row.Index, row.Value = row.Index[:0], row.Value[:0]
			for len(row.Index) < min(textWords, s.Features) {
				// The logarithm of the number is uniform, which gives the density 1/j.
				j := int32(math.Pow(float64(s.Features), rng.Float64())) - 1
				if at, there := slices.BinarySearch(row.Index, j); !there {
					row.Index = slices.Insert(row.Index, at, j)
				}
			}
			sum, square := 0.0, 0.0
			for _, j := range row.Index {
				w, known := weight[j]
				if !known {
					w = rng.NormFloat64()
					weight[j] = w
				}
				// Values are at least 0.1, so none is nearly zero.
				x := 0.1 + rng.Float64()
				row.Value = append(row.Value, x)
				sum, square = sum+w*x, square+x*x
			}
			for k := range row.Value {
				row.Value[k] /= math.Sqrt(square)
			}
			y := 0
			if sum > 0 {
				y = 1
			}
			row.Label, row.Target = ClassLabel(y), float64(2*y-1)
			if !yield(row) {
				return
			}
		}
	}
}

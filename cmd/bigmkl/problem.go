package main

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"

	"bigmkl/dataset"
)

// The generated problem: rows seen from three sides. The class is the sign of the sum of two scores, so that neither
// informative view can do without the other.
const (
	ringFeatures  = 4  // their distance from the origin counts: no linear kernel sees it
	slopeFeatures = 6  // their sum counts
	noiseFeatures = 20 // nothing about them counts
	trainRows     = 600
	testRows      = 400
)

func demoViews() []dataset.View {
	return []dataset.View{
		{Name: "ring", First: 1, Last: ringFeatures},
		{Name: "slope", First: ringFeatures + 1, Last: ringFeatures + slopeFeatures},
		{Name: "noise", First: ringFeatures + slopeFeatures + 1, Last: ringFeatures + slopeFeatures + noiseFeatures},
	}
}

// demoRows generates n rows; the same stream gives the same rows on every machine.
func demoRows(n int, stream uint64) iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		r := rand.New(rand.NewPCG(2011, stream))
		index := make([]int32, ringFeatures+slopeFeatures+noiseFeatures)
		value := make([]float64, len(index))
		for range n {
			ring, slope := 0.0, 0.0
			for j := range index {
				index[j] = int32(j)
				value[j] = math.Round(r.NormFloat64()*1e4) / 1e4 // as it will stand in a file
				switch x := value[j]; {
				case j < ringFeatures:
					ring += x * x
				case j < ringFeatures+slopeFeatures:
					slope += x
				}
			}
			// Both with variance 1 and, nearly, median 0.
			score := (ring-3.36)/math.Sqrt(2*ringFeatures) + slope/math.Sqrt(slopeFeatures)
			label := "-1"
			if score > 0 {
				label = "1"
			}
			if !yield(dataset.Row{Label: label, Index: index, Value: value}) {
				return
			}
		}
	}
}

// writeRows writes rows as libsvm text.
func writeRows(to io.Writer, rows iter.Seq[dataset.Row]) error {
	w := bufio.NewWriter(to)
	for row := range rows {
		fmt.Fprint(w, row.Label)
		for i, j := range row.Index {
			fmt.Fprintf(w, " %d:%g", j+1, row.Value[i])
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

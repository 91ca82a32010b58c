package main

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"

	"bigmkl/dataset"
	"bigmkl/internal/atomicfile"
	"bigmkl/internal/files"
)

const (
	demoC     = 0.1
	demoTrain = "train.txt"
	demoTest  = "test.txt"
	demoViewF = "views.txt"
	demoModel = "demo.model"
)

// demoNorm is the block norm of the demonstration. It lies between 1, which selects few kernels,
// and 2, which sums all kernels with equal weights.
const demoNorm = 4.0 / 3

// The generated problem has three views. The class is the sign of the sum of two scores, one from
// each informative view, so that neither view suffices alone.
const (
	// The distance from the origin counts in the first view; no linear kernel can see it.
	ringFeatures = 4
	// The sum of the features counts in the second view.
	slopeFeatures = 6
	// The third view is noise.
	noiseFeatures = 20
	trainRows     = 600
	testRows      = 400
)

// writeDemo writes the rows and the views of the generated problem as files of a folder.
func writeDemo(folder string) error {
	if err := files.MkdirAll(folder, 0o777); err != nil {
		return files.OwnFault("cannot make the folder", folder, err)
	}
	files := map[string]func(io.Writer) error{
		demoTrain: func(w io.Writer) error { return writeRows(w, demoRows(trainRows, 1)) },
		demoTest:  func(w io.Writer) error { return writeRows(w, demoRows(testRows, 2)) },
		demoViewF: func(w io.Writer) error {
			for _, v := range demoViews() {
				if _, err := fmt.Fprintf(w, "%s %d %d\n", v.Name, v.First, v.Last); err != nil {
					return err
				}
			}
			return nil
		},
	}
	for name, write := range files {
		f, err := atomicfile.Create(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		defer f.Abort()
		if err := write(f); err != nil {
			return err
		}
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// demoViews returns the three views as ranges of features, which count from 1.
func demoViews() []dataset.View {
	return []dataset.View{
		{Name: "ring", First: 1, Last: ringFeatures},
		{Name: "slope", First: ringFeatures + 1, Last: ringFeatures + slopeFeatures},
		{Name: "noise", First: ringFeatures + slopeFeatures + 1,
			Last: ringFeatures + slopeFeatures + noiseFeatures},
	}
}

// demoRows generates n rows. The rows depend on the stream alone and are the same on every
// computer.
func demoRows(n int, stream uint64) iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		r := rand.New(rand.NewPCG(2011, stream))
		index := make([]int32, ringFeatures+slopeFeatures+noiseFeatures)
		value := make([]float64, len(index))
		for range n {
			ring, slope := 0.0, 0.0
			for j := range index {
				index[j] = int32(j)
				// Values are rounded to the digits that a text file holds, so that a model
				// trained on the file is the same.
				value[j] = math.Round(r.NormFloat64()*1e4) / 1e4
				switch x := value[j]; {
				case j < ringFeatures:
					ring += x * x
				case j < ringFeatures+slopeFeatures:
					slope += x
				}
			}
			// Each score has variance 1 and a median near 0, so that the classes are balanced.
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

// writeRows writes rows in the format of LIBSVM.
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

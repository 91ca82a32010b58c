// Package demo makes the problem of the command demo up: rows of three views, of which two decide the
// class together and the third is noise.
package demo

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
	C         = 0.1
	TrainFile = "train.txt"
	TestFile  = "test.txt"
	ViewsFile = "views.txt"
	ModelFile = "demo.model"
)

// Norm is the block norm of the demonstration. It lies between 1, which selects few kernels,
// and 2, which sums all kernels with equal weights.
const Norm = 4.0 / 3

// The generated problem has three views. The class is the sign of the sum of two scores, one from
// each informative view, so neither view suffices alone.
const (
	// The distance from the origin counts in the first view; no linear kernel can see it.
	ringFeatures = 4
	// The sum of the features counts in the second view.
	slopeFeatures = 6
	// The third view is noise.
	noiseFeatures = 20
)

// TrainRows and TestRows are how many rows the demonstration trains on and predicts.
const (
	TrainRows = 600
	TestRows  = 400
)

// Write writes the rows and the views of the generated problem as files of a folder.
func Write(folder string) error {
	if err := files.MkdirAll(folder, 0o777); err != nil {
		return files.OwnFault("cannot make the folder", folder, err)
	}
	files := map[string]func(io.Writer) error{
		TrainFile: func(w io.Writer) error { return WriteRows(w, Rows(TrainRows, 1)) },
		TestFile:  func(w io.Writer) error { return WriteRows(w, Rows(TestRows, 2)) },
		ViewsFile: func(w io.Writer) error {
			for _, v := range Views() {
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

// Views returns the three views as ranges of features, which count from 1.
func Views() []dataset.View {
	return []dataset.View{
		{Name: "ring", First: 1, Last: ringFeatures},
		{Name: "slope", First: ringFeatures + 1, Last: ringFeatures + slopeFeatures},
		{Name: "noise", First: ringFeatures + slopeFeatures + 1,
			Last: ringFeatures + slopeFeatures + noiseFeatures},
	}
}

// Rows generates n rows. The rows depend on the stream alone and are the same on every
// computer.
func Rows(n int, stream uint64) iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		r := rand.New(rand.NewPCG(2011, stream))
		index := make([]int32, ringFeatures+slopeFeatures+noiseFeatures)
		value := make([]float64, len(index))
		for range n {
			ring, slope := 0.0, 0.0
			for j := range index {
				index[j] = int32(j)
				// Values are rounded to the digits that a text file holds, so a model trained on
				// the file is the same.
				value[j] = math.Round(r.NormFloat64()*1e4) / 1e4
				switch x := value[j]; {
				case j < ringFeatures:
					ring += x * x
				case j < ringFeatures+slopeFeatures:
					slope += x
				}
			}
			// Each score has variance 1 and a median near 0, so the classes are balanced.
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

// WriteRows writes rows in the format of LIBSVM.
func WriteRows(to io.Writer, rows iter.Seq[dataset.Row]) error {
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

package command

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/internal/atomicfile"
	"bigmkl/internal/model"
)

// writePosteriors writes a number on each line, or a vector if the file is named .npy. --posteriors
// reads both. The file is written completely or not at all. All digits are written: the file may become
// the input of another training.
// Element i is the probability of the positive class of row i.
func writePosteriors(path string, p []float64) error {
	if strings.HasSuffix(path, ".npy") {
		return writeVector(path, p)
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	w := bufio.NewWriter(f)
	line := make([]byte, 0, longestNumber)
	for _, x := range p {
		line = append(strconv.AppendFloat(line[:0], x, 'g', -1, 64), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Commit()
}

// posteriorsJSON describes how certain the labels of a model were.
type posteriorsJSON struct {
	// Of is knn:K or knn:K@SET, or given.
	Of string `json:"of"`
	// LeftOut counts the rows whose posterior is near 1/2, of two classes. The bound of a dual variable
	// is C/|2 Pr - 1|, so such rows would have nearly unlimited influence.
	LeftOut int `json:"left_out"`
}

// newPosteriorsJSON returns nil if the labels were certain.
// --multiclass single leaves no row out, because margins replace the weights there.
func newPosteriorsJSON(m *model.Model) *posteriorsJSON {
	if m.Posteriors == nil {
		return nil
	}
	j := &posteriorsJSON{Of: m.PosteriorsOf}
	if m.Multiclass != bigmkl.SingleClassifier {
		j.LeftOut = model.LeftOut(m.Posteriors)
	}
	return j
}

// describePosteriors describes how certain the labels of a model with posteriors were. LeastSoftLabel
// is a bound of |2 Pr - 1|, so half of it is the distance of Pr from 1/2.
func describePosteriors(m *model.Model) string {
	if m.Multiclass == bigmkl.SingleClassifier {
		return m.PosteriorsOf + "; their differences are the margins"
	}
	return fmt.Sprintf("%s; %d of %d rows are within %g of 1/2 and left out", m.PosteriorsOf,
		model.LeftOut(m.Posteriors), m.Points, model.LeastSoftLabel/2)
}

// printPosteriors writes the line of a report about posteriors, if there are any.
// The caller ends the line before.
func printPosteriors(w io.Writer, m *model.Model) {
	if m.Posteriors != nil {
		fmt.Fprintf(w, "posteriors %s\n", describePosteriors(m))
	}
}

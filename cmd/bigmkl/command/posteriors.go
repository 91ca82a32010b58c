package command

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/internal/atomicfile"
	"bigmkl/internal/fail"
	"bigmkl/model"
)

// parsePosteriorsFlag takes --posteriors up into the options. Of a file they have no more than its
// name until it is read, which is enough to find options that it does not go with.
func (t *trainCommand) parsePosteriorsFlag() error {
	p, nearest, err := bigmkl.ParsePosteriors(t.posteriors)
	if !nearest && t.posteriors != "" {
		p = bigmkl.Posteriors{Values: []float64{}, File: t.posteriors}
	}
	t.options.Posteriors = p
	return err
}

// posteriorsFile returns the file of --posteriors, or "" if there is none.
func (t *trainCommand) posteriorsFile() string {
	if _, nearest, _ := bigmkl.ParsePosteriors(t.posteriors); nearest {
		return ""
	}
	return t.posteriors
}

// checkPosteriors returns what does not go with --posteriors and --posteriors-out.
func (t *trainCommand) checkPosteriors(faults *usageFaults) {
	faults.require(t.posteriors == "" || !isStandardOutput(t.posteriors), "name a file",
		"--posteriors needs a file, not standard input")
	if t.posteriorsOut == "" {
		return
	}
	faults.require(t.probability, "--probability",
		"--posteriors-out has no effect without --probability")
	faults.require(t.options.Multiclass == "", "--positive names the labels of one of two classes",
		"--posteriors-out writes one number for each row, and does not go with --multiclass")
	faults.require(!isStandardOutput(t.posteriorsOut), "name a file",
		"--posteriors-out cannot go to standard output")
}

// readPosteriors reads the file of --posteriors into the options.
func (t *trainCommand) readPosteriors() error {
	path := t.posteriorsFile()
	if path == "" {
		return nil
	}
	read := readNumbers
	if t.options.Multiclass == bigmkl.SingleClassifier { // A row has one for each class.
		read = readTable
	}
	p, err := read(path)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(p, func(x float64) bool { return !model.IsProbability(x) }); i >= 0 {
		return fail.New(fail.Input, "posterior %d is %v, not in [0, 1]", i+1, p[i]).At(path, 0, 0)
	}
	t.options.Posteriors = bigmkl.Posteriors{Values: p, File: path}
	return nil
}

// savePosteriors writes the probabilities that rows got while they were held out, if that was asked
// for and the run came to them.
func (t *trainCommand) savePosteriors(r *bigmkl.Result) error {
	if t.posteriorsOut == "" || r.Folding.Posteriors == nil {
		return nil
	}
	t.cleanup.addTarget(t.posteriorsOut)
	return writePosteriors(t.posteriorsOut, r.Folding.Posteriors)
}

// writePosteriors writes a number on each line, or a vector if the file is named .npy. --posteriors
// reads both. The file is written completely or not at all.
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

// posteriorsJSON says how certain the labels of a model were.
type posteriorsJSON struct {
	// Of is knn:K or knn:K@SET, or given.
	Of string `json:"of"`
	// LeftOut counts the rows whose posterior is near 1/2, of two classes.
	LeftOut int `json:"left_out"`
}

// newPosteriorsJSON returns nil if the labels were certain.
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

// describePosteriors says how certain the labels of a model were, which has posteriors.
func describePosteriors(m *model.Model) string {
	if m.Multiclass == bigmkl.SingleClassifier {
		return m.PosteriorsOf + "; their differences are the margins"
	}
	return fmt.Sprintf("%s; %d of %d rows are within %g of 1/2 and left out", m.PosteriorsOf,
		model.LeftOut(m.Posteriors), m.Points, model.LeastSoftLabel/2)
}

// printPosteriors writes the line of a report about posteriors, if there are any.
func printPosteriors(w io.Writer, m *model.Model) {
	if m.Posteriors != nil {
		fmt.Fprintf(w, "posteriors %s\n", describePosteriors(m))
	}
}

package command

import (
	"slices"

	"bigmkl"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// posteriorsFlags set how certain the labels are.
// A posterior is the probability of the positive class of a row.
type posteriorsFlags struct {
	// of is the file or the rule of --posteriors, "" if the labels are certain.
	of string
}

// file returns the file of --posteriors, or "" if there is none. A rule such as knn:5 needs the rows
// and no file.
func (p *posteriorsFlags) file() string {
	if _, nearest, _ := bigmkl.ParsePosteriors(p.of); nearest {
		return ""
	}
	return p.of
}

// checkFlags returns what does not go with --posteriors.
func (p *posteriorsFlags) checkFlags(faults *usageFaults) {
	faults.require(p.of == "" || !isStandardOutput(p.of), "name a file",
		"--posteriors needs a file, not standard input")
}

// takeUp enters the flag in the options. Until a file is read, the options have only its name and an
// empty list of values. This is enough to find options that exclude posteriors.
func (p *posteriorsFlags) takeUp(o *bigmkl.Options) (err error) {
	var nearest bool
	o.Posteriors, nearest, err = bigmkl.ParsePosteriors(p.of)
	// The values are checked when the file is read.
	if !nearest && p.of != "" {
		o.Posteriors = bigmkl.Posteriors{Values: []float64{}, File: p.of}
	}
	return err
}

// readFile reads the file of --posteriors into the options.
func (p *posteriorsFlags) readFile(o *bigmkl.Options) error {
	path := p.file()
	if path == "" {
		return nil
	}
	read := readNumbers
	if o.Multiclass == bigmkl.SingleClassifier { // A row has one for each class.
		read = readTable
	}
	values, err := read(path)
	if err != nil {
		return err
	}
	// The number counts from 1, as lines of the file do.
	if i := slices.IndexFunc(values, func(x float64) bool { return !model.IsProbability(x) }); i >= 0 {
		return fail.New(fail.Input, "posterior %d is %v, not in [0, 1]", i+1, values[i]).At(path, 0, 0)
	}
	o.Posteriors = bigmkl.Posteriors{Values: values, File: path}
	return nil
}

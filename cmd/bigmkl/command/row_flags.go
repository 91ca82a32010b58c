package command

import (
	"slices"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/formats"
)

// rowFlags set which rows a command works on and how their files are read.
type rowFlags struct {
	// paths are the data files.
	paths []string
	read  formats.Options
	// views is the file of --views, and viewLines has the views that a file of options names itself.
	views     string
	viewLines []string
}

// defineFlags defines how data files are read, and the weights of their rows.
func (r *rowFlags) defineFlags(f *flags) {
	addReadFlags(f, &r.read)
	addRowWeightFlag(f, &r.read)
}

// setViews takes views in the form of the lines of --views. The lines are kept, because config writes
// them again.
func (r *rowFlags) setViews(lines []string, o *bigmkl.Options) (err error) {
	r.viewLines = lines
	o.Views, err = dataset.ParseViews(lines)
	return err
}

// files lists the files that the rows come from.
func (r *rowFlags) files() []string {
	return slices.Concat(formats.Paths(r.paths), []string{r.views}, r.read.Files())
}

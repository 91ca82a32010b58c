package command

import (
	"bigmkl/internal/selection"
)

// splitFlags set which rows a selection or an importance leaves out. Folds have a number, are random
// samples, or have names in a file. Groups of rows, such as one patient's, stay together in each case.
type splitFlags struct {
	// random is the value of --splits. The other fields are paths, empty without their flags.
	random     selection.Splits
	foldsFile  string
	groupsFile string
}

// defineFlags defines the flags. repeat is the default of --repeat in words, and repeats its number. A
// number of 0 means that the rows decide, and the help then shows the words alone.
func (s *splitFlags) defineFlags(f *flags, o *selection.Splits, repeat string, repeats int) {
	// Some flags write into the options directly.
	o.Folds, o.Repeat = defaultFolds, repeats
	add(f, &o.Folds, "folds", "K", "5", parseFolds, "number of folds")
	add(f, &s.random, "splits", "N:SHARE", "", parseSplits,
		"leave out N random samples of this share of the rows in place of folds, such as 30:0.2")
	f.StringVar(&s.foldsFile, "folds-file", "", "name of the fold of each row: a `FILE[:COLUMN]` with a name on each line, or a table with a column of this name")
	f.StringVar(&s.groupsFile, "groups-file", "",
		"name of the group of each row: a `FILE[:COLUMN]` with a name on each line, or a table with a column of this name; the rows of a group are left out together")
	f.StringVar(&o.HoldOut, "hold-out", "",
		"for rows that name objects: pairs (each object of a held-out row may also be in the training), both (no object of a held-out row is in the training), or the `NAME` of a column of --objects. All rows of one object of this column are then left out together (default: pairs)")
	// The text of the default is added by hand if the flag has none of its own.
	usage := "draw the folds R times"
	if repeats == 0 {
		usage += " (default: " + repeat + ")"
		repeat = ""
	}
	add(f, &o.Repeat, "repeat", "R", repeat, parsePositiveCount, usage)
}

// checkFlags enters the values of the flags. Names of folds and groups are read later.
func (s *splitFlags) checkFlags(f *flags, o *selection.Splits, faults *usageFaults) {
	// drawn counts the ways to leave rows out that the command line names.
	drawn := 0
	for _, name := range []string{"folds", "splits", "folds-file"} {
		if f.Changed(name) {
			drawn++
		}
	}
	faults.require(drawn < 2, "use one of them", "--folds, --splits and --folds-file cannot be combined")
	switch {
	case s.foldsFile != "":
		// An empty list marks names that are still to be read. The library checks the other options
		// against it.
		o.Folds, o.Given = 0, []string{}
	case f.Changed("splits"):
		o.Folds, o.Random, o.Share = 0, s.random.Random, s.random.Share
	}
	if s.groupsFile != "" {
		o.Groups = []string{}
	}
}

// readFiles reads the names of folds and groups, of at most limit rows unless that is 0.
// The number of names is compared with the rows when these have been read.
func (s *splitFlags) readFiles(o *selection.Splits, limit int) (err error) {
	if o.Given, err = readNames(s.foldsFile, limit); err != nil {
		return err
	}
	o.Groups, err = readNames(s.groupsFile, limit)
	return err
}

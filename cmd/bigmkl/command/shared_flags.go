package command

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/dataset/table"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// addReadFlags defines the flags for the reading of data files. Every command that reads rows
// has all of them, so a file that one command can read needs the same flags in all others.
// The texts name the tasks that need a column, since one list of flags serves all tasks.
func addReadFlags(f *flags, o *formats.Options) {
	addWords(f, &o.Format, "format", "FORMAT", "auto", formats.Formats,
		"format of the data: "+strings.Join(formats.Formats[1:], ", ")+", or auto, which decides by names and first bytes")
	addWords(f, &o.Table.Header, "header", "WHEN", "auto", table.Headers,
		"whether the first line of a table names the columns: yes, no or auto")
	addWords(f, &o.ZeroBased, "zero-based", "WHEN", "", dataset.ZeroBased,
		"whether indices of LIBSVM text count from 0: yes, no, or auto, which decides by comments and first rows (default: an index 0 is an error)")
	f.StringVar(&o.Table.Label, "label", "",
		"`COLUMN` of a table with the labels, by name or number (default: label, class, target or y)")
	f.StringVar(&o.Table.Time, "time", "",
		"`COLUMN` of a table with the times of tasks survival and cox, in place of --label")
	f.StringVar(&o.Table.Event, "event", "",
		"`COLUMN` of a table that is 1, true, yes, event or dead if the time is the time of an event, and 0, false, no, censored or alive otherwise (default: labels T of events and T+ of censored rows)")
	f.StringVar(&o.Table.Group, "group", "",
		"`COLUMN` of a table with the groups of task rank, by name or number (default: labels R:GROUP)")
	f.StringVar(&o.Table.Upper, "time-upper", "",
		"`COLUMN` of a table with the upper bounds of times, if --time has the lower bounds: an empty cell or inf is no bound, and equal bounds are an event")
	f.StringSliceVar(&o.Table.Skip, "id", nil,
		"`COLUMN,..` of a table that are not features, by name or number")
	f.StringSliceVar(&o.Table.Categories, "categories", nil,
		"`COLUMN,..` of a table whose values are words, even if they look like numbers")
	f.StringSliceVar(&o.Table.NA, "na", nil,
		"`WORD,..` of a table that mean a missing value, besides NA, None, ? and the like")
	addWords(f, &o.Table.Decimal, "decimal", "SIGN", "point", table.Decimals,
		"decimal sign of the numbers of a table: point or comma")
	f.BoolVar(&o.Table.Thousands, "thousands", false,
		"numbers of a table may have separators between thousands, such as 1,234.5")
	f.StringSliceVar(&o.Table.Sequences, "sequence", nil,
		"`COLUMN,..` of a table with sequences, beside its columns of numbers")
	// A shell completes names of columns from the data file on the command line.
	f.offers.columns(false, "label", "time", "event", "time-upper", "group")
	f.offers.columns(true, "id", "categories", "sequence")
	f.StringVar(&o.LabelFile, "labels", "",
		"labels of the rows, if the data have none: `FILE[:COLUMN]` of text, with a column by number or name, or a .npy array")
	f.StringArrayVar(&o.ObjectFiles, "objects", nil,
		"objects that the rows name in place of features: `NAME=FILE`, with a row of features for each object. In text the name of the object comes first, and rows of .npy count from 0. Repeat the option for each column, or give A,B=FILE for two columns of the same objects")
	// The limit protects against archives that expand to more than any disk holds.
	f.BoolVar(&o.TrustCompressed, "trust-compressed", false,
		"do not limit how far compressed data may expand")
}

// addRowWeightFlag defines the flag for weights of rows.
func addRowWeightFlag(f *flags, o *formats.Options) {
	f.StringVar(&o.Weights, "row-weights", "",
		"cost factors of the rows: `FILE[:COLUMN]`, with a column by number or name; 0 leaves a row out")
}

// addMemoryFlag defines the flag for the memory budget of a command without a problem. The row of the
// table has its text, so all commands explain the budget alike.
func addMemoryFlag(f *flags, to *int64) {
	o := optionNamed("memory")
	add(f, to, o.name, o.kind, o.def, parseMemory, o.usage)
}

// addJSONFlag defines the flag for JSON output.
// The object has a version of its contract, so a program can rely on its keys.
func addJSONFlag(f *flags, to *bool) {
	f.BoolVar(to, "json", false, "print one JSON object on standard output and nothing else")
}

// addQuietFlag defines the flag that turns progress off.
// Warnings and errors are printed in any case.
func addQuietFlag(f *flags, to *bool) {
	f.BoolVar(to, "quiet", false, "show no progress on standard error")
}

// checkKernels finds faults in kernel specifications before the data are read. It skips @FILE,
// because whoever reads that file reports its faults with their lines.
// The check needs no data: it splits the list and expands nothing.
func checkKernels(list string) error {
	if list == "" || strings.HasPrefix(list, "@") {
		return nil
	}
	_, err := kernelspec.Split(list)
	return err
}

// checkModelAndData checks the arguments of predict and verify, which take a model and data files. labels is a file of labels,
// which is enough for a model of precomputed matrices.
func checkModelAndData(args []string, labels string) error {
	switch {
	case len(args) == 0:
		return fail.New(fail.Usage, "no model and no data file are named").WithHint("MODEL DATA")
	// A model of precomputed matrices needs only the labels.
	case len(args) == 1 && labels == "":
		return fail.New(fail.Usage,
			"no data file is named").WithHint("MODEL DATA, where - is standard input")
	}
	return nil
}

// addClassFlag defines --class, which chooses one of several classifiers. --machine is its former name.
// Scripts with the former name continue to work.
func addClassFlag(c *cobra.Command, to *string, usage string) {
	c.Flags().StringVar(to, "class", "", usage)
	c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		// The normalised name is also the name in the help.
		if name == "machine" {
			name = "class"
		}
		return pflag.NormalizedName(name)
	})
}

// allPrecomputed reports whether all kernels are precomputed matrices. Rows then need no features.
// An empty list is the default list of kernels, which has features.
func allPrecomputed(specs string) bool {
	list, err := kernelspec.Split(specs)
	return err == nil && len(list) > 0 && !slices.ContainsFunc(list, func(s string) bool { return !strings.HasPrefix(s, kernelspec.Precomputed.String()+":") })
}

// withFileNames returns a bank whose precomputed matrices have the names of their files. The names in a model are
// numbers: its bytes do not depend on where the files are.
func withFileNames(b *kernelspec.Bank, specs string) *kernelspec.Bank {
	list, err := kernelspec.Split(specs)
	if err != nil || len(b.Files) == 0 {
		return b
	}
	var names []string
	for _, s := range list {
		// Attributes follow the name of the file, so they are cut off first.
		file, is := strings.CutPrefix(strings.TrimSuffix(s, kernelspec.Suffix(s)), kernelspec.Precomputed.String()+":")
		if name := filepath.Base(file); is && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) != len(b.Files) {
		return b // Two folders have files of one name, or a matrix is a factor.
	}
	named := *b
	named.Files = names
	return &named
}

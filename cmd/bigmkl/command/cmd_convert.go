package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bigmkl/dataset"
	"bigmkl/internal/atomicfile"
	"bigmkl/internal/dataset/convert"
	"bigmkl/internal/dataset/formats"
)

// convertCommand holds the flags and arguments of the convert command.
type convertCommand struct {
	*app
	// read is for the input, to is the format of the output, and labels the kind of labels.
	read   formats.Options
	out    string
	to     string
	labels string
	// scratch is the folder for files that some formats need on the way.
	scratch string
	quiet   bool
	// joined is the column of identifiers by which tables are joined, or empty.
	joined string
	data   []string
}

// newConvertCommand defines the convert command.
// The command is also a test of data: it reads all rows and reports faults with file and line.
func newConvertCommand(a *app) *cobra.Command {
	v := &convertCommand{app: a}
	c := &cobra.Command{
		Use:   "convert [flags] -o OUT DATA...",
		Short: "Write data in another format",
		Long: "Convert reads data in any format and writes another one. The name of OUT or --to chooses it:\n" +
			"LIBSVM text, comma-separated values, the .npz archive of a sparse matrix (CSR, with labels in\n" +
			"y), or a packed store (.pack). All other commands map a packed store, so text is read once.\n" +
			"Numbers are written as they were read, to the bit. Words of a table become a feature each. Rows\n" +
			"may be without labels. Rows for .csv, .npz and .pack go through scratch files.\n\n" +
			"With --join ID, convert makes one table of several with the same objects, such as patients. Each\n" +
			"has a header and the column ID. Rows may have other orders, and a table may lack objects: their\n" +
			"fields are then empty. The columns of NAME=FILE are called NAME.COLUMN and are a view, while FILE\n" +
			"alone keeps its names. The rows come in the order of the first file, followed by the objects that\n" +
			"later files alone have. Text is joined as it is. All tables must fit into memory as text.",
		Example: "  bigmkl convert -o train.npz train.csv\n" +
			"  zcat huge.csv.gz | bigmkl convert --label outcome -o huge.pack -\n" +
			"  bigmkl convert --join patient -o all.csv gene=genes.tsv clinic=clinic.csv outcome.csv",
	}
	f := newFlags(c)
	addReadFlags(f, &v.read)
	f.StringVarP(&v.out, "out", "o", "", "write the rows to this file `OUT`, - for standard output")
	addWords(f, &v.to, "to", "FORMAT", "", convert.Formats,
		"format to write: "+strings.Join(convert.Formats, ", ")+" (default: the ending of OUT)")
	// The kind decides how labels are parsed. Classes are words, and all other kinds are checked.
	addWords(f, &v.labels, "kind-of-labels", "KIND", string(dataset.Classes),
		[]string{string(dataset.Classes), string(dataset.Sets), string(dataset.Targets), string(dataset.Times), string(dataset.Relevances)},
		"kind of labels: classes, sets such as 1,3, targets (numbers), times of tasks survival and cox, or relevances of task rank")
	f.StringVar(&v.scratch, "scratch", "",
		"`DIR` for scratch files (default: the system's temporary folder)")
	add(f, &v.read.Sequences, "sequences", "ALPHABET", "", dataset.ParseAlphabet,
		"the data are sequences of dna or bytes; only a packed store can hold them")
	// Shells complete these words.
	f.offers.words("sequences", string(dataset.DNA), string(dataset.Bytes))
	f.StringVar(&v.joined, "join", "",
		"join text tables, NAME=FILE or FILE, to one .csv by this `COLUMN`, by name or number, which identifies the object of each row")
	f.offers.columns(false, "join")
	addQuietFlag(f, &v.quiet)
	c.RunE = func(c *cobra.Command, args []string) error {
		v.data = args
		if v.joined != "" && v.to == "" && isStandardOutput(v.out) {
			v.to = "csv" // Standard output has no name with a format.
		}
		err := errors.Join(f.err(), v.checkFlags())
		// An empty --join is a fault of its own, so the flag itself is asked for and not its value.
		if c.Flags().Changed("join") {
			err = errors.Join(err, v.checkJoin(c.Flags()))
		}
		if err != nil {
			return err
		}
		// A join and a conversion share only their output.
		if v.joined != "" {
			return v.join(c.Context())
		}
		return v.run(c.Context())
	}
	return c
}

// checkFlags returns all faults of the command line that can be found without reading a file. The
// format follows from the ending of OUT unless --to names one. For compressed endings such as .csv.gz
// there is no format, as convert does not compress.
func (v *convertCommand) checkFlags() error {
	var faults usageFaults
	faults.require(v.out != "", "-o OUT", "no output file is named")
	faults.require(len(v.data) > 0, "- is standard input", "no data file is named")
	// The ending of OUT is the format, without regard to case.
	if v.to == "" {
		v.to = strings.TrimPrefix(strings.ToLower(filepath.Ext(v.out)), ".")
	}
	faults.require(v.out == "" || slices.Contains(convert.Formats, v.to),
		"--to "+strings.Join(convert.Formats, ", "), "the name of the result does not say its format")
	// A table with a column of sequences is DNA unless --sequences names another alphabet.
	if len(v.read.Table.Sequences) > 0 && v.read.Sequences == dataset.Numbers {
		v.read.Sequences = dataset.DNA
	}
	// Text formats have no place for letters at positions.
	faults.require(v.read.Sequences == dataset.Numbers || v.to == "pack", "-o OUT.pack",
		"sequences are written to a packed store alone")
	v.read.Labels = dataset.Labeling(v.labels)
	return errors.Join(append(faults, v.read.Validate())...)
}

// run reads the rows and writes them.
func (v *convertCommand) run(ctx context.Context) error {
	// An output that replaces one of its inputs would destroy the data.
	inputs := append(formats.Paths(v.data), v.read.Files()...)
	if err := checkOutput(v.out, inputs...); err != nil {
		return err
	}
	// Rows without labels can be written as well.
	v.read.Unlabelled = true
	src, err := v.openData(ctx, v.data, v.read)
	if err != nil {
		return err
	}
	defer src.Close()
	// Without a table, features have numbers and no names. A header line then needs a name for the
	// label.
	o := convert.Options{Format: v.to, Labels: v.read.Labels, Label: "label",
		Columns: src.Columns(), Views: src.Views(), Sequences: v.read.Sequences}
	// The names of a table beat the options above.
	if c := src.Columns(); c != nil {
		o.Sequences = c.Alphabet()
		o.Names, o.Label = featureNames(c), cmp.Or(c.Label, o.Label)
	}
	// Formats with the number of rows in front, or with columns, need all rows before the first byte.
	if o.Dir, err = v.cleanup.makeScratch(v.scratch); err != nil {
		return err
	}
	p := newProgress(v.messages, v.quiet)
	// Rows stream from the source to the writer.
	rows, err := v.write(func(w io.Writer) (int, error) { return convert.Write(ctx, p.countRows(src), w, o) })
	p.finish()
	// Standard output may be the data, so this line goes to standard error.
	if err == nil && !v.quiet {
		fmt.Fprintf(v.stderr, "%d rows written\n", rows)
	}
	return err
}

// write calls a function with the output file or standard output, and returns its number of
// rows. A file appears whole or not at all, so an interrupted conversion never leaves a part
// that later reads as data.
func (v *convertCommand) write(rows func(io.Writer) (int, error)) (int, error) {
	if isStandardOutput(v.out) {
		return rows(v.stdout)
	}
	v.cleanup.addTarget(v.out)
	f, err := atomicfile.Create(v.out)
	if err != nil {
		return 0, err
	}
	defer f.Abort()
	n, err := rows(f)
	if err != nil {
		return 0, err
	}
	return n, f.Commit()
}

// featureNames returns the names of the features of a table. A column of words has a feature for
// each word, called COLUMN=WORD. The order is the order of the features in the rows. Packages convert
// and export use these names for headers and inputs, so their number must be the number of features.
func featureNames(c *dataset.Columns) []string {
	var names []string
	for _, f := range c.Features {
		// A column of numbers is one feature.
		if f.Categories == nil {
			names = append(names, f.Name)
		}
		for _, word := range f.Categories {
			names = append(names, f.Name+"="+word)
		}
	}
	return names
}

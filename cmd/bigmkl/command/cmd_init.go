package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bigmkl/cmd/bigmkl/internal/proposal"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/dataset/table"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// initCommand holds the flags and arguments of the init command. Init exists because the defaults of
// train cannot suit data that train has not seen. Each proposal depends on the data and is written with
// its reason, so a user can disagree.
type initCommand struct {
	*app
	// read has the flags about the data, and then also what chooseColumns decides.
	read formats.Options
	// out is the file of options.
	out  string
	data []string
	// times is set if a column of times or of events is named.
	times bool
}

// configName is the file of options that init writes unless another is named.
// The name is the default of -o, and not read by other commands.
const configName = "bigmkl.toml"

// newInitCommand defines the init command.
func newInitCommand(a *app) *cobra.Command {
	i := &initCommand{app: a}
	c := &cobra.Command{
		Use:   "init [flags] DATA...",
		Short: "Look at data and write a file of options",
		Long: "Init reads the data once and writes a TOML file with the options of a training, each with its\n" +
			"reason as a comment. It chooses the column of labels, columns to leave out, the task, what\n" +
			"to do about missing values, the scaling and the kernels. Edit the file and start the training with\n" +
			"train --config. Nothing is trained.",
		Example: "  bigmkl init heart.csv\n" +
			"  bigmkl init --label disease -o run.toml heart.csv\n" +
			"  bigmkl init --labels y.npy expr=expr.npy mut=mut.npy",
	}
	f := newFlags(c)
	f.StringVarP(&i.out, "out", "o", configName, "write the options to this file `FILE`")
	addReadFlags(f, &i.read)
	c.RunE = func(_ *cobra.Command, args []string) error {
		// The data are opened several times, which a pipe does not permit.
		if i.data = args; len(args) == 0 || slices.Contains(args, "-") {
			return fail.New(fail.Usage, "no data file is named").WithHint("init DATA.., files and not standard input")
		}
		if err := f.err(); err != nil {
			return err
		}
		return i.run(c.Context())
	}
	return c
}

// run looks at the data and writes the file. An existing file is not replaced, because it may have been
// edited since init wrote it.
func (i *initCommand) run(ctx context.Context) error {
	if _, err := files.Lstat(i.out); err == nil {
		return fail.New(fail.Usage, "the file is there already").At(i.out, 0, 0).WithHint("-o FILE names another one")
	}
	facts, err := i.survey(ctx)
	if err != nil {
		return nameFiles(err, i.data)
	}
	choices := facts.Choose()
	// The head of the file names its purpose, for a reader who finds it later.
	text, err := proposal.Text("Options of bigmkl train, for --config. bigmkl init wrote them; bigmkl help train --all explains all options.", choices)
	if err != nil {
		return err
	}
	if err := writePage(i.cleanup, i.out, text); err != nil {
		return err
	}
	for _, c := range choices {
		if err := i.print("%-10s %-20s  %s\n", c.Key, c.Short(), c.Why); err != nil {
			return err
		}
	}
	if err := i.print("\n%s has these options. Next:\n\n  bigmkl train --config %s\n  bigmkl report -o report.html %s\n",
		i.out, quoteShell(i.out), quoteShell(facts.Out)); err != nil {
		return err
	}
	if err := i.print("\nThe best kernels, norm and C by cross-validation:\n\n  %s\n", commandLine("select", "selection", choices, selectingOptions(facts)...)); err != nil {
		return err
	}
	// The importance of a single source has no meaning.
	if len(facts.Views) > 1 {
		if err := i.print("\nWhich source matters?\n\n  %s\n", commandLine("importance", "importance", choices)); err != nil {
			return err
		}
	}
	if facts.Guessed() {
		return i.print("\nThe label %s is a guess. For another column, remove %s first:\n\n  bigmkl init --label COLUMN %s\n",
			fail.Label(facts.Label), fail.Label(i.out), quoteAll(i.data))
	}
	return nil
}

// nestedRows is the number of rows, times the number of classifiers, up to which a nested selection is proposed. It takes
// three times as long as the selection alone. The figure without the optimism of the selection matters
// most where rows are few.
const nestedRows = 2000

// selectingOptions returns options of select that a training does not have. If importance is proposed as well, both have
// one measure. Two figures for the same data that cannot be compared would raise the question which one
// to publish.
func selectingOptions(f *proposal.Facts) (words []string) {
	switch {
	// Without views no importance is proposed, and times have one measure.
	case len(f.Views) < 2 || f.Times:
	case f.Numeric:
		words = append(words, "--measure r2")
	case len(f.Classes) == 2:
		words = append(words, "--measure auc")
	}
	// A classifier for each class makes a selection longer.
	if f.Rows*max(1, len(f.Classes)-1) <= nestedRows {
		words = append(words, "--nested")
	}
	return words
}

// commandLine writes a command line of select or importance: the proposed options of the
// training, further options, a folder for the results, and the data. Both commands choose the
// block norm themselves, so it is left out.
func commandLine(command, folder string, choices []proposal.Choice, further ...string) string {
	// The data come last, as in all examples.
	words, data := []string{"bigmkl " + command}, ""
	for _, c := range choices {
		values, several := c.Value.([]string)
		if !several {
			values = []string{fmt.Sprint(c.Value)}
		}
		switch {
		case c.Key == "data":
			data = quoteAll(values)
		// Mentioned choices are comments of the file. Automatic scaling is the default and would
		// lengthen the line.
		case c.Key != "norm" && c.Key != "out" && !c.Mentioned && c.Value != dataset.ScaleAuto:
			words = append(words, "--"+c.Key+" "+quoteShell(strings.Join(values, ",")))
		}
	}
	words = append(words, further...)
	return strings.Join(append(words, "-o "+folder, data), " ")
}

// survey reads all rows once and returns the facts that the proposal is made from: the kind of
// labels, the format, the columns and the views. Files are opened more than once, for the columns, the
// kind of labels and the rows. Standard input is rejected for this reason.
func (i *initCommand) survey(ctx context.Context) (*proposal.Facts, error) {
	// heart.csv.gz becomes heart.model.
	base, _, _ := strings.Cut(filepath.Base(formats.Paths(i.data)[0]), ".")
	// Facts are filled in from the columns, from the kind of labels, and from the rows.
	facts := &proposal.Facts{Data: i.data, Labels: i.read.LabelFile, Out: base + ".model"}
	if err := i.chooseColumns(facts); err != nil {
		return nil, err
	}
	// LIBSVM text counts features from 0 or 1, and init cannot expect its user to have found out which.
	if i.read.ZeroBased == "" {
		i.read.ZeroBased = "auto"
	}
	// Missing values are counted, whatever is done about them.
	i.read.Impute = dataset.ImputeMedian
	labels, err := i.kindOfLabels(ctx)
	if err != nil {
		return nil, err
	}
	facts.Numeric, facts.Times, facts.Event, facts.Upper = labels.Numeric(), labels == dataset.Times, i.read.Table.Event, i.read.Table.Upper
	src, err := i.open(ctx, labels)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	facts.Views, facts.Columns = src.Views(), src.Columns()
	// The format is named in the reason for the data.
	switch c := src.Columns(); {
	case c != nil || facts.Label != "":
		facts.Format = "a table"
	case facts.Views != nil:
		facts.Format = "arrays"
	default:
		facts.Format, facts.ZeroBased = "LIBSVM text", len(i.data) > 0 && !strings.Contains(filepath.Ext(formats.Paths(i.data)[0]), "np")
	}
	if err := facts.Read(ctx, src); err != nil {
		return nil, err
	}
	if c := src.Columns(); c != nil && facts.Label == "" {
		facts.Label = c.Label
	}
	return facts, nil
}

// open opens the data with labels of a kind. The data are opened twice, so each opening gets copies of
// the lists of columns.
func (i *initCommand) open(ctx context.Context, labels dataset.Labeling) (source, error) {
	o := i.read
	o.Labels = labels
	o.Table.Skip, o.Table.Categories = slices.Clone(o.Table.Skip), slices.Clone(o.Table.Categories)
	return i.openData(ctx, i.data, o)
}

// kindOfLabels returns what the labels are: times if a column of times or events is named, numbers of a regression, or classes. Data
// that cannot be read as numbers have classes.
func (i *initCommand) kindOfLabels(ctx context.Context) (dataset.Labeling, error) {
	if i.times {
		return dataset.Times, nil
	}
	// A file whose labels cannot be parsed as numbers fails at once.
	src, err := i.open(ctx, dataset.Targets)
	if errors.Is(err, fail.Input) {
		return dataset.Classes, nil
	}
	if err != nil {
		return "", err
	}
	defer src.Close()
	// Numbers with few different values are taken as classes.
	numeric, err := proposal.IsNumeric(ctx, src)
	if numeric {
		return dataset.Targets, err
	}
	return dataset.Classes, err
}

// chooseColumns chooses the column of labels of a table, and columns to leave out. A column that
// identifies rows has no information about new rows. It makes each row far from the others, so the
// proposal leaves it out. If labels are a guess, the other candidates are listed in the file.
func (i *initCommand) chooseColumns(facts *proposal.Facts) error {
	is, err := formats.IsTable(i.data, i.read)
	if err != nil || !is {
		return err
	}
	_, columns, err := table.Survey(i.data[0], i.read.Table)
	if err != nil {
		return err
	}
	// The time column takes the place of the label, since its values are what is predicted.
	t := &i.read.Table
	i.times = t.Time != "" || t.Event != "" || t.Upper != ""
	t.Label, t.Time = cmp.Or(t.Label, t.Time), ""
	if t.Label == "" && i.read.LabelFile == "" {
		// Candidates are in the order of likelihood.
		candidates := table.Candidates(columns)
		if len(candidates) == 0 {
			return fail.New(fail.Input, "no column looks like labels").At(i.data[0], 0, 0).WithHint("--label COLUMN names it")
		}
		t.Label = candidates[0].Name
		if !candidates[0].IsKnownLabel() {
			for _, c := range candidates[1:] {
				facts.Others = append(facts.Others, c.Describe())
			}
		}
	}
	for _, c := range columns {
		switch {
		case t.Excludes(c.Name):
		case c.Unnamed || c.Names || c.Row && isRowName(c.Name) || isGroupName(&c):
			t.Skip = append(t.Skip, c.Name)
			if recurs(&c) {
				facts.Recurring = append(facts.Recurring, fail.Label(c.Name))
			}
		case c.Dates:
			t.Skip, facts.Dates = append(t.Skip, c.Name), append(facts.Dates, fail.Label(c.Name))
		}
	}
	for _, c := range columns {
		// A column of words has no median, so missing words are only reported.
		if c.Lacking && c.Words > 0 && !t.Excludes(c.Name) {
			facts.Wordless = append(facts.Wordless, fail.Label(c.Name))
		}
	}
	facts.Label, facts.Skipped = t.Label, t.Skip
	return nil
}

// isGroupName reports whether a column has a name for numbers of rows and values that recur, such as the patients of
// several visits. With at most 20 values it may be a class.
func isGroupName(c *table.Column) bool { return isRowName(c.Name) && c.Distinct > 20 && recurs(c) }

// recurs reports whether values of a column that names or numbers rows recur often enough to be of the same objects. Of
// names alone a few may be alike by chance.
func recurs(c *table.Column) bool {
	values := c.Numbers + c.Words
	return values > c.Distinct && isRowName(c.Name) || 2*values >= 3*c.Distinct
}

// isRowName reports whether a column of whole numbers, one for each row, has a name for numbers of
// rows. The name has to confirm what the values suggest: a column of years or of counts can be distinct
// in each row, too.
// Names are compared without regard to case.
func isRowName(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains([]string{"id", "index", "row", "nr", "no", "number", "key", "#"}, name) ||
		strings.HasSuffix(name, "_id") || strings.HasSuffix(name, " id") || strings.HasPrefix(name, "id_")
}

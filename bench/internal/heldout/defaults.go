// Package heldout has the experiments whose figures come from held-out rows: default options beside other programs,
// coverage of intervals and sets, verdicts of comparisons, and importance of sources.
package heldout

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"bigmkl/bench/internal/harness"
)

// Whoever tries the program once gets its defaults. The experiment compares them, on held-out rows of
// public sets, with other scalings and with what a user of scikit-learn gets for as little thought.

// defaultsComparison has the flags of the experiment defaults, and the tables that it fills.
type defaultsComparison struct {
	// only and methods restrict the comparison, and rows and splits its size.
	only, methods []string
	rows, splits  int
	seed          uint64
	// kernels and costs are further lists to compare at the default scaling.
	kernels []string
	costs   []float64
	session *harness.Session
	report  *harness.Report
	// figures has a measure of accuracy for each method, and times the processor seconds.
	figures, times *harness.Table
	listed         *harness.Table // nil as long as no list was compared
}

// Defaults compares defaults.
// The figures are means over random splits. The standard error allows for rows that splits share.
func Defaults() harness.Experiment {
	var c defaultsComparison
	return harness.Experiment{
		Name: "defaults", Short: "what the defaults reach on held-out rows, beside other scalings and scikit-learn",
		Long: "Trains on public sets at the defaults and with other scalings, and measures accuracy (R2 of a regression) and\n" +
			"processor time on 30 % of the rows, which are held out, over several splits. Where scikit-learn is installed, its\n" +
			"scaled SVC or SVR, a forest and gradient boosting stand beside, and XGBoost and LightGBM if Python has them;\n" +
			"Method select chooses kernels, norm and cost by select at its defaults, and grid cost and gamma of SVC or SVR. Every method has the same splits. --kernels and --cost add a table of\n" +
			"lists of kernels and costs at the scaling by default. The trainings run in this process.",
		Flags: func(f *pflag.FlagSet) {
			// Defaults of numbers are in the flags, since a quick run replaces them in complete.
			f.StringSliceVar(&c.only, "only", nil, "`SETS` to compare on (default: all)")
			f.StringSliceVar(&c.methods, "methods", nil, "`METHODS` to compare, of "+strings.Join(methodNames(), ", ")+" (default: all but "+strings.Join(slowMethods, " and ")+")")
			f.StringArrayVar(&c.kernels, "kernels", nil, "a `LIST` of kernels to compare as well; may be given several times")
			f.Float64SliceVar(&c.costs, "cost", nil, "`COSTS` to compare as well, of svr in deviations of the targets")
			f.IntVar(&c.rows, "rows", 5000, "rows of a set, drawn from larger ones")
			f.IntVar(&c.splits, "splits", 10, "number of splits")
			f.Uint64Var(&c.seed, "seed", 1, "seed of the rows and splits")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			c.session, c.report = s, r
			return c.run(ctx)
		},
	}
}

// run compares on one data set after the other.
func (c *defaultsComparison) run(ctx context.Context) error {
	if err := c.complete(); err != nil {
		return err
	}
	// A misspelt name ends the run here, before any training.
	sets, err := listDefaultsSets(c.session, c.report, c.only)
	if err != nil {
		return err
	}
	c.figures = c.report.Table("Accuracy, or R2 of a regression, on held-out rows: means of %d splits of at most %d rows", c.splits, c.rows)
	c.figures.Note("± is the standard error of the mean, corrected for the rows that splits share (Nadeau and Bengio 2003).")
	c.times = c.report.Table("Processor seconds of a split, training and prediction")
	// python is the interpreter that has scikit-learn, "" if there is none.
	python, err := findPeers(ctx, c.session, c.report, c.methods)
	if err != nil {
		return err
	}
	// Rows are kept for the summary, in addition to the tables.
	var rows []defaultsRow
	defer func() { summarize(c.figures, rows) }() // An interrupted run has a summary, too.
	for _, set := range sets {
		// The rows stay in memory for all methods and splits of the set.
		d, err := set.read(c.seed, c.rows)
		if err != nil {
			return err
		}
		// Splits are drawn once, for all methods.
		splits := d.split(c.seed, c.splits)
		// The error gets the name of the set.
		row, err := c.compare(ctx, d, splits, python)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		rows = append(rows, row)
		c.figures.Add(row)
		c.times.Add(row.times())
		// The line shows the result at once. The tables follow at the end.
		c.session.PrintLine("%s: %s", row.Set, row.line())
		if err := c.compareLists(ctx, d, splits); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
	}
	return nil
}

// slowMethods search on every split, which takes hours on all sets. They run only if they are
// named.
var slowMethods = []string{"select", "grid"}

// complete checks the flags and fills in what they leave open.
func (c *defaultsComparison) complete() error {
	// No method is left out silently: a misspelt name is a fault.
	names := methodNames()
	if len(c.methods) == 0 {
		c.methods = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(slowMethods, name) })
	}
	for _, m := range c.methods {
		if !slices.Contains(names, m) {
			return fmt.Errorf("no method %s (one of %s)", m, strings.Join(names, ", "))
		}
	}
	// A quick run ignores --rows and --splits.
	if c.session.Quick {
		c.rows, c.splits = 120, 2 // One split has no error.
	}
	// Twenty rows leave 6 held-out rows in a split.
	if c.rows < 20 || c.splits < 1 {
		return fmt.Errorf("%d splits of %d rows", c.splits, c.rows)
	}
	return nil
}

// compare measures all methods on one data set. All methods have the same splits, so their figures can
// be compared in pairs.
func (c *defaultsComparison) compare(ctx context.Context, d *defaultsData, splits [][]bool, python string) (defaultsRow, error) {
	// The row has a column for each method. Methods that did not run leave theirs blank.
	row := defaultsRow{Set: d.name, Task: d.task, Rows: len(d.rows), Features: d.features}
	for _, m := range defaultsMethods {
		if m.options == nil || !slices.Contains(c.methods, m.name) {
			continue
		}
		// seconds is the processor time of one split.
		figures, seconds, choice, err := d.measureAll(ctx, c.session, m, splits)
		if err != nil {
			return row, err
		}
		*m.column(&row) = newHeldOut(figures, seconds)
		if m.name == "default" {
			row.Choice = choice
		}
	}
	// One child process trains all other methods, since the start of Python takes seconds.
	theirs, err := measurePeers(ctx, c.session, python, d, splits, c.methods)
	if ctx.Err() != nil {
		return row, ctx.Err()
	}
	if err != nil { // A failure of another program is not a fault of the experiment.
		c.figures.Note("%s: %v", d.name, err)
	}
	for _, m := range defaultsMethods {
		if found, ok := theirs[m.name]; ok && m.options == nil {
			*m.column(&row) = newHeldOut(found.Figures, found.Seconds)
		}
	}
	return row, nil
}

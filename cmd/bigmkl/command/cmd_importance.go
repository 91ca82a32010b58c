package command

import (
	"errors"

	"github.com/spf13/cobra"
)

// newImportanceCommand defines the importance command. The flags are in importance_flags.go, beside
// their checks. This file has the texts alone, which the pages of the manual repeat.
func newImportanceCommand(a *app) *cobra.Command {
	// The text below names the four measurements by the words of the columns in the table. A reader can
	// match both without a glossary.
	s := &importanceFlags{}
	c := &cobra.Command{
		Use:   "importance [flags] -o FOLDER DATA...",
		Short: "Measure what each source of data is worth",
		Long: "Importance measures how much each source of data contributes. A source is a view or a group of\n" +
			"kernels (group=NAME behind kernels), or with --each every kernel or feature. All figures come\n" +
			"from held-out rows:\n\n" +
			"  alone          the source by itself\n" +
			"  left out       all sources without it, and without it and a second source\n" +
			"  permuted       all, with the rows of the source shuffled at prediction\n" +
			"  noise          all, with a shuffled copy in its place in the training\n\n" +
			"Errors are corrected for the rows that trainings share. A finding sums it up: needed, helps,\n" +
			"redundant (with another source), no sign of use, or undecided at this number of rows. Shares of\n" +
			"||w||, which inspect shows, are not importance: noise has a share, too.\n\n" +
			"Each fold chooses norm and C without its rows, unless --norm and a single --grid-C are given.\n" +
			"Folds are drawn more often if there are few rows. FOLDER/importance.json has all figures, and\n" +
			"report FOLDER makes a page of them.\n\n" +
			"--resume continues a killed run. --part 2/8 does an eighth of the work, in its own folder or in\n" +
			"a shared one. A run with --merge FOLDER for each part joins them, with the same result as one\n" +
			"run.",
		Example: "  bigmkl importance --label disease --kernels gauss:auto/5@each-view -o imp heart.csv\n" +
			"  bigmkl importance --kernels 'linear@each-view' --folds 10 --repeat 3 --measure auc --views v.txt -o imp data\n" +
			"  bigmkl importance --each feature --task svr -o imp wine.libsvm.gz",
	}
	f := newFlags(c)
	s.defineFlags(f)
	c.RunE = func(_ *cobra.Command, args []string) error {
		// A file of --config may set further flags, so it is read before any check.
		if err := s.readArguments(f, args); err != nil {
			return err
		}
		// All faults of the command line are reported together, since a user would otherwise find them one
		// by one.
		if err := errors.Join(f.err(), s.checkFlags(f, a.args)); err != nil {
			return err
		}
		// The grace bounds how long the training in progress may continue after an interrupt.
		s.options.Grace = a.grace
		// The opener reads data, and the console prints.
		return s.run(c.Context(), a.opener, a.console)
	}
	return c
}

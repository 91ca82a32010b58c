package command

import (
	"errors"

	"github.com/spf13/cobra"
)

// newSelectCommand defines the select command. The text explains the optimism of the best figure, since
// users report it as the accuracy of their model.
func newSelectCommand(a *app) *cobra.Command {
	// The flags are values of this struct. The library checks them again, so a mistake here ends in an
	// error and not in a wrong selection.
	s := &selectFlags{}
	c := &cobra.Command{
		Use:   "select [flags] -o FOLDER DATA...",
		Short: "Choose kernels, norm and C by cross-validation",
		Long: "Select trains every combination of --kernels (which may be repeated), --grid-norm and --grid-C\n" +
			"without each fold in turn. It measures each on the held-out rows, and shows the means with their\n" +
			"standard errors. The plain sum of the kernels, p = 1, each view and each kernel alone compete as\n" +
			"well. The best of all is trained on all rows: FOLDER/best.model. With --choose simplest it is\n" +
			"the simplest combination that is not shown to be worse. FOLDER/table.json has all figures.\n\n" +
			"Held-out rows do not affect scaling, widths and normalisation, unless --shared-preparation makes\n" +
			"these once from all rows. The best of many figures is optimistic: --nested measures the whole\n" +
			"selection on rows that it did not use. --tune searches for the importances of the kernels that\n" +
			"maximise the score of the best combination, and trains this combination with them.\n\n" +
			"--resume continues a killed run. --part 2/8 does an eighth of the work, in its own folder or in\n" +
			"a shared one. A run with --merge FOLDER for each part joins them, with the same result as one\n" +
			"run.\n\n" +
			"--size, --contrast, --missing and --noise make an experiment. It has trials, each with its own\n" +
			"rows. Combinations are compared for each problem and in pairs. Nothing is trained on all rows.\n" +
			"Kernels, widths and scales come from the rows of a trial. --noise makes copies VIEW~1, VIEW~2,\n" +
			".. of a view, and each copy gets all kernels of @VIEW.",
		Example: "  bigmkl select --label disease --kernels gauss:auto/5@each-view --grid-norm 1,4/3,2 -o sel heart.csv\n" +
			"  bigmkl select --grid-C 0.1..100/7 --folds 10 --nested --measure auc -o sel adverts.libsvm.gz\n" +
			"  bigmkl select --task svr --scale standard --splits 30:0.2 -o sel wine.libsvm.gz\n" +
			"  bigmkl select --multiclass labels --contrast rest --size 500 --views v.txt --measure auc \\\n" +
			"    --kernels 'linear@each-view norm=centred' --missing 0.1..0.5/5@expression -o sel yeast",
	}
	// Most flags are shared with train, because a selection passes its options to trainings.
	f := newFlags(c)
	s.defineFlags(f)
	c.RunE = func(_ *cobra.Command, args []string) error {
		// A file of --config or the settings of a resumed folder set flags, so they come before the checks.
		if err := s.readArguments(f, args); err != nil {
			return err
		}
		// The words of the command line are kept in the folder, for --resume and for the page of
		// report.
		if err := errors.Join(f.err(), s.checkFlags(f, a.args)); err != nil {
			return err
		}
		// Only now are files opened. All faults above come from the command line alone.
		return newSelectRun(a, s).run(c.Context())
	}
	return c
}

package command

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/cmd/bigmkl/internal/letters"
	"bigmkl/internal/host"
)

// lettersText is the help of a program of LIBSVM. The help is text and not a list of flags: the parser
// of the other commands cannot read options such as -w1 or -s 0.
type lettersText struct{ use, short, long, example string }

// lettersTexts has the help of each of the programs. Lines that begin with blanks stay as they are.
// The order of the options is LIBSVM's order.
var lettersTexts = map[string]lettersText{
	letters.NameTrain: {
		use:   "[options] training_set_file [model_file]",
		short: "svm-train of LIBSVM, certified",
		long: "Svm-train takes the options of the program of LIBSVM, prints its lines and writes its models. The\n" +
			"certified gap goes to standard error. docs/FROM-LIBSVM.md lists the differences.\n\n" +
			"  -s TYPE      0 C-SVC (default), 2 one-class, 3 epsilon-SVR; not 1 nu-SVC and 4 nu-SVR\n" +
			"  -t KERNEL    0 linear, 1 polynomial (gamma*u'*v + coef0)^degree, 2 exp(-gamma*|u-v|^2)\n" +
			"               (default), 3 tanh(gamma*u'*v + coef0), 4 precomputed (rows begin with 0:i)\n" +
			"  -d DEGREE    degree (default 3)\n" +
			"  -g GAMMA     gamma (default 1/number of features)\n" +
			"  -r COEF0     coef0 (default 0)\n" +
			"  -c COST      C of C-SVC and epsilon-SVR (default 1)\n" +
			"  -n NU        nu of one-class (default 0.5)\n" +
			"  -p EPSILON   half-width of the tube of epsilon-SVR (default 0.1)\n" +
			"  -e EPSILON   tolerance (default 0.001): the gap that is reached is at least as sharp\n" +
			"  -b 0|1       probabilities (default 0)\n" +
			"  -wI WEIGHT   C of class I times WEIGHT\n" +
			"  -v N         cross-validation with N folds, those of LIBSVM on Linux\n" +
			"  -m MB, -h 0|1  cache and shrinking: read, without effect\n" +
			"  -q           quiet",
		example: "  bigmkl svm-train -c 1 -g 0.01 adverts.libsvm\n" +
			"  bigmkl svm-train -v 5 adverts.libsvm\n" +
			"  bigmkl svm-train --install ~/bin && svm-grid -svmtrain ~/bin/svm-train adverts.libsvm",
	},
	letters.NamePredict: {
		use:   "[options] test_file model_file output_file",
		short: "svm-predict of LIBSVM",
		long: "Svm-predict takes the options of the program of LIBSVM, reads its models and writes a line for each\n" +
			"row of the test file.\n\n" +
			"  -b 0|1       probabilities (default 0)\n" +
			"  -q           quiet",
		example: "  bigmkl svm-predict adverts.libsvm adverts.libsvm.model adverts.out",
	},
	// The factors of -s have the format of LIBSVM, so either program can restore them.
	letters.NameScale: {
		use:   "[options] data_filename",
		short: "svm-scale of LIBSVM",
		long: "Svm-scale takes the options of the program of LIBSVM and writes the scaled rows to standard output.\n\n" +
			"  -l LOWER     lower limit (default -1)\n" +
			"  -u UPPER     upper limit (default 1)\n" +
			"  -y LOWER UPPER  limits of the labels (default: labels stay)\n" +
			"  -s FILE      save the factors to FILE\n" +
			"  -r FILE      take the factors from FILE",
		example: "  bigmkl svm-scale -l 0 -s range adverts.libsvm > adverts.scaled",
	},
}

// newLettersCommand returns the definition of the command that is a program of LIBSVM. Its options have one
// dash and several letters, and it reads them itself. Users of LIBSVM have scripts, such as grid.py,
// that start these programs and read their lines. The commands serve such scripts without a change.
func newLettersCommand(name string) func(a *app) *cobra.Command {
	return func(a *app) *cobra.Command {
		// DisableFlagParsing leaves all words to package letters.
		// The name is both the word of the command line and the key of its help.
		text := lettersTexts[name]
		c := &cobra.Command{Use: name + " " + text.use, Short: text.short, Long: text.long, Example: text.example,
			DisableFlagParsing: true}
		if name == letters.NameTrain {
			// It is defined for the help and the completions alone. Package letters reads it with the
			// other options.
			c.Flags().String("install", "", "make symbolic links to this program in `DIR`, with the names of the three programs")
		}
		c.RunE = func(_ *cobra.Command, args []string) error {
			// -h is an option of svm-train, so it is help only if it is alone.
			if slices.Contains(args, "--help") || len(args) == 1 && args[0] == "-h" {
				return a.print("%s", helpText(c, false, helpWidth(c.OutOrStdout())))
			}
			// Package letters has no console. It gets streams, the cleanup and the heap from here.
			err := letters.Run(c.Context(), &letters.Process{
				Stdout: a.stdout, Stderr: a.stderr,
				Warn:    func(format string, args ...any) { a.messages.write(fmt.Sprintf(format, args...)) },
				Scratch: func() (string, error) { return a.cleanup.makeScratch("") },
				Target:  a.cleanup.addTarget, Check: checkOutput,
				Heap: host.KeepHeap, LimitHeap: func() func() { return host.LimitHeap(host.Budget()) },
			}, name, args)
			// svm-train writes a model in any case. A gap larger than LIBSVM's tolerance is an
			// exit code here, because LIBSVM has no line for it.
			var unsure *letters.Unsure
			if errors.As(err, &unsure) {
				return &exitError{contract.ExitStopped, unsure.Message}
			}
			return err
		}
		return c
	}
}

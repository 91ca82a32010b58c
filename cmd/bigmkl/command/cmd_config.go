package command

import (
	"errors"

	"github.com/spf13/cobra"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/model"
)

// ofFlag names the model or checkpoint whose options config prints.
const ofFlag = "of"

// newConfigCommand defines the config command. It takes the flags of train: the options of a command
// line can be kept by replacing one word. The defaults are printed as well: a file of options then
// means the same in a later version with other defaults.
func newConfigCommand(a *app) *cobra.Command {
	// planned lets the command go without an output file.
	t, path := &trainFlags{planned: true}, &pathFlags{}
	of := ""
	c := &cobra.Command{
		Use:   "config [flags] [DATA...]",
		Short: "Print the options of a training as a file",
		Long: "Config takes the flags of train and prints them as a TOML file for train --config and plan\n" +
			"--config. The file has the defaults of all other flags. --of prints the options of a model, or\n" +
			"of a folder of checkpoints. Information that no option covers, such as the data, follows as\n" +
			"comments. Flags override both. Nothing is trained, and no other file is read.",
		Example: "  bigmkl config --kernels gauss:auto/10 --norm 1 -o m.model adverts.libsvm.gz > run.toml\n" +
			"  bigmkl train --config run.toml\n" +
			"  bigmkl config --of m.model > run.toml\n" +
			"  bigmkl train --config run.toml --gap 1e-5 -o finer.model adverts.libsvm.gz",
	}
	f := newFlags(c)
	t.defineFlags(f)
	path.defineFlags(f)
	f.StringVar(&of, ofFlag, "", "print the options of this `MODEL`, or of a folder of checkpoints")
	c.RunE = func(_ *cobra.Command, args []string) error {
		// Both would set the same options, and neither could be said to win.
		if of != "" && t.config != "" {
			return fail.New(fail.Usage, "--of and --config cannot be combined").
				WithHint("the file of --config has all options")
		}
		if err := t.readArguments(f, args); err != nil {
			return err
		}
		if len(args) == 1 && of == "" && isModel(args[0]) {
			return fail.New(fail.Usage, "the file is a model, and config takes data").At(args[0], 0, 0).WithHint("--of %s prints its options", quoteShell(args[0]))
		}
		// Notes are printed as comments, for the reader of the file.
		var notes []string
		if of != "" {
			var list []setting
			var err error
			if list, notes, err = settingsOf(of); err != nil {
				return err
			}
			// Flags of the command line are set already. applySettings leaves them, so they
			// override the options of the model.
			if err := atFile(applySettings(f, list, &t.problemFlags), of); err != nil {
				return err
			}
		}
		// Which files are named is left to the training.
		if err := errors.Join(f.err(), checkKernels(t.options.Kernels)); err != nil {
			return err
		}
		text, err := configText(f, &t.problemFlags, notes)
		if err != nil {
			return err
		}
		return a.print("%s", text)
	}
	return c
}

// isModel reports whether a file is a model. It serves the hint only: a model in place of data is the
// usual mistake, and the reader of data would report a binary file.
// The file is opened only to look at it.
func isModel(path string) bool {
	m, err := model.Open(path)
	if err != nil {
		return false
	}
	m.Close()
	return true
}

// settingsOf returns the options that a model or a folder of checkpoints was trained with, with
// notes on facts that are not options. Notes have facts that a user needs to repeat the training and
// cannot give as an option.
func settingsOf(path string) (list []setting, notes []string, err error) {
	info, err := files.Stat(path)
	switch {
	case err != nil:
		return nil, nil, files.InputFault("cannot open", path, err)
	// A folder can only be a folder of checkpoints here.
	case info.IsDir():
		return settingsOfCheckpoint(path)
	}
	return settingsOfModel(path)
}

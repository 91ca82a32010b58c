package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/scratch"
)

// cleaning is the clean command.
type cleaning struct {
	*app
	base string
}

func (a *app) cleanCommand() *cobra.Command {
	l := &cleaning{app: a}
	c := &cobra.Command{
		Use:   "clean",
		Short: "Remove what killed runs have left",
		Long: "Clean removes the folders of scratch files, bigmkl-*, that killed runs have left. Those of running processes are locked\n" +
			"and stay, whoever calls, as do those of other users.",
		Example: "  bigmkl clean --scratch /mnt/fast",
	}
	f := flagsOf(c)
	f.StringVar(&l.base, "scratch", "", "`DIR` to look in (default: the system's temporary folder)")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fail.New(fail.Usage, "clean takes no arguments").WithHint("--scratch DIR")
		}
		return l.run()
	}
	return c
}

func (l *cleaning) run() error {
	if l.base == "" {
		l.base = os.TempDir()
	}
	found, err := scratch.Clean(l.base)
	if err != nil {
		return files.InputFault("cannot look for scratch files", l.base, err)
	}
	if len(found) == 0 {
		return l.print("nothing to remove in %s\n", l.base)
	}
	var faults []error
	for _, f := range found {
		what := "removed"
		switch {
		case f.InUse:
			what = "in use:"
		case f.Err != nil:
			faults = append(faults, files.OwnFault("cannot remove", f.Path, f.Err))
			continue
		}
		if err := l.print("%s %s\n", what, f.Path); err != nil {
			return err
		}
	}
	return errors.Join(faults...)
}

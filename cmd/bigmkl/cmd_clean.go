package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/scratch"
)

// cleaning is the clean command.
type cleaning struct {
	*app
	base string
	dry  bool
}

func (a *app) cleanCommand() *cobra.Command {
	l := &cleaning{app: a}
	c := &cobra.Command{
		Use:   "clean",
		Short: "Remove what killed runs have left",
		Long: "Clean removes the folders of scratch files, bigmkl-*, that killed runs have left, and says how old and how large each was.\n" +
			"Those of running processes are locked and stay, whoever calls, as do those of other users. A folder stays as well, with a\n" +
			"word, if its lock is none of this program or if it holds anything that this program does not write.",
		Example: "  bigmkl clean --dry-run\n  bigmkl clean --scratch /mnt/fast",
	}
	f := flagsOf(c)
	f.StringVar(&l.base, "scratch", "", "`DIR` to look in (default: the system's temporary folder)")
	f.BoolVar(&l.dry, "dry-run", false, "say what would be removed, and remove nothing")
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
	found, err := scratch.Clean(l.base, l.dry)
	if err != nil {
		return files.InputFault("cannot look for scratch files", l.base, err)
	}
	removed := "removed"
	if l.dry {
		removed = "would remove"
	}
	var faults []error
	folders, bytes := 0, int64(0)
	for _, f := range found {
		line := ""
		switch {
		case f.Left != "":
			line = fmt.Sprintf("left alone: %s: %s", f.Path, f.Left)
		case f.InUse:
			line = "in use: " + f.Path
		case f.Err != nil:
			faults = append(faults, files.OwnFault("cannot remove", f.Path, f.Err))
			continue
		default:
			folders, bytes = folders+1, bytes+f.Size
			line = fmt.Sprintf("%s %s, %s old, %s", removed, f.Path, formatAge(time.Since(f.Modified)), formatBytes(f.Size))
		}
		if err := l.print("%s\n", line); err != nil {
			return err
		}
	}
	if folders > 0 {
		err = l.print("%s %d folders, %s\n", removed, folders, formatBytes(bytes))
	} else if len(faults) == 0 {
		err = l.print("nothing to remove in %s\n", l.base)
	}
	return errors.Join(append(faults, err)...)
}

// formatAge rounds a time that may be years.
func formatAge(d time.Duration) string {
	const day = 24 * time.Hour
	if d < 2*day {
		return formatTime(max(d, 0))
	}
	return fmt.Sprintf("%d days", d/day)
}

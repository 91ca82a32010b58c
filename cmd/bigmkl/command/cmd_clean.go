package command

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

// cleanCommand holds the flags of the clean command. A process removes its scratch folder when it ends.
// Only SIGKILL, a crash or a power failure leaves a folder behind, and nobody else would remove it.
type cleanCommand struct {
	*app
	// folder is the parent of the scratch folders, and dryRun lists them without a change.
	folder string
	dryRun bool
}

// newCleanCommand defines the clean command.
// The command needs no flag to be safe: a folder whose lock is held is in use, and it stays.
func newCleanCommand(a *app) *cobra.Command {
	l := &cleanCommand{app: a}
	c := &cobra.Command{
		Use:   "clean",
		Short: "Remove what killed runs have left",
		Long: "Clean removes the scratch folders, bigmkl-*, of killed runs, and prints the age and size of\n" +
			"each. It keeps folders of running processes, which are locked, and folders of other users. It\n" +
			"also keeps and names a folder whose lock is from another program, or that contains other files.",
		Example: "  bigmkl clean --dry-run\n  bigmkl clean --scratch /mnt/fast",
	}
	f := newFlags(c)
	f.StringVar(&l.folder, "scratch", "",
		"`DIR` to look in (default: the system's temporary folder)")
	f.BoolVar(&l.dryRun, "dry-run", false, "only list what would be removed")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fail.New(fail.Usage, "clean takes no arguments").WithHint("--scratch DIR")
		}
		return l.run()
	}
	return c
}

// run removes the scratch folders that no process uses, and prints a line for each folder. A
// folder that cannot be removed does not stop it. Its errors come last, and decide the exit
// code.
func (l *cleanCommand) run() error {
	// Runs without --scratch put their folders here as well.
	if l.folder == "" {
		l.folder = os.TempDir()
	}
	// Each folder has an error of its own. This error means that the list of folders could not be read.
	found, err := scratch.Clean(l.folder, l.dryRun)
	if err != nil {
		return files.InputFault("cannot look for scratch files", l.folder, err)
	}
	// Both lines and the sum use this word, so --dry-run never claims a removal.
	removed := "removed"
	if l.dryRun {
		removed = "would remove"
	}
	var faults []error
	// They sum up only the folders that were removed, or would be.
	folders, bytes := 0, int64(0)
	for _, f := range found {
		line := ""
		switch {
		// Left has the reason why a folder with the right name may belong to somebody else. It is never
		// removed.
		case f.Left != "":
			line = fmt.Sprintf("left alone: %s: %s", fail.Path(f.Path), f.Left)
		// A lock that another process holds means that its run is alive.
		case f.InUse:
			line = "in use: " + fail.Path(f.Path)
		// The folder stays, and its fault is reported after all lines.
		case f.Err != nil:
			faults = append(faults, files.OwnFault("cannot remove", f.Path, f.Err))
			continue
		default:
			folders, bytes = folders+1, bytes+f.Size
			line = fmt.Sprintf("%s %s, %s old, %s", removed, fail.Path(f.Path),
				formatAge(time.Since(f.Modified)), formatBytes(f.Size))
		}
		if err := l.print("%s\n", line); err != nil {
			return err
		}
	}
	// An empty result is printed too, unless a fault explains it: a script could not tell silence from a
	// crash.
	if folders > 0 {
		err = l.print("%s %d folders, %s\n", removed, folders, formatBytes(bytes))
	} else if len(faults) == 0 {
		err = l.print("nothing to remove in %s\n", fail.Path(l.folder))
	}
	return errors.Join(append(faults, err)...)
}

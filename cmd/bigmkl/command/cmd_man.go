package command

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"bigmkl/internal/atomicfile"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// newManCommand defines the man command. The pages come from the same texts as the help. An
// installation can therefore have pages of exactly its version.
// The pages are for section 1 of the manual, the commands of users.
func newManCommand(a *app) *cobra.Command {
	dir := ""
	c := &cobra.Command{
		Use:     "man --dir DIR",
		Short:   "Write the pages of the manual",
		Long:    "Man writes a page of the manual for each command, in the macros of man, to a folder.",
		Example: "  bigmkl man --dir ~/.local/share/man/man1\n  man bigmkl-train",
	}
	c.Flags().StringVar(&dir, "dir", "", "write the pages to this `DIR`, which is created if necessary")
	c.RunE = func(c *cobra.Command, args []string) error {
		if dir == "" || len(args) > 0 {
			return fail.New(fail.Usage, "no folder is named").WithHint("man --dir DIR")
		}
		// 0o777 is cut by the umask of the user, as for folders of other programs.
		if err := files.MkdirAll(dir, 0o777); err != nil {
			return files.OwnFault("cannot make", dir, err)
		}
		// The page of the program itself comes last. It lists the others.
		root := c.Root()
		for _, page := range append(root.Commands(), root) {
			// Hidden commands are not for users.
			if page.Hidden {
				continue
			}
			// The parser adds --help when a command runs. The page of a command that does not run has
			// to have it, too.
			page.InitDefaultHelpFlag()
			// The file has the name of the page and the section, such as bigmkl-train.1.
			path := filepath.Join(dir, strings.ReplaceAll(page.CommandPath(), " ", "-")+".1")
			if err := writePage(a.cleanup, path, manual(page)); err != nil {
				return err
			}
		}
		return nil
	}
	return c
}

// writePage writes a text to a file. The file appears whole or not at all. An interrupt leaves the
// previous file in place.
func writePage(d *cleanup, path, text string) error {
	d.addTarget(path)
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write([]byte(text)); err != nil {
		return err
	}
	return f.Commit()
}

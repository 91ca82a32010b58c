package letters

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// Install makes a symbolic link to this program under each name of a program of LIBSVM. It makes the
// folder if necessary. A link that leads to this program stays, and another file of that name is an
// error of class fail.Usage.
func Install(folder string, out io.Writer) error {
	// The link needs an absolute path, because it can be called from any folder.
	program, err := os.Executable()
	if err != nil {
		return fail.New(fail.Usage, "the system does not say where this program is: %w", err)
	}
	if err := files.MkdirAll(folder, 0o777); err != nil {
		return files.OwnFault("cannot make", folder, err)
	}
	for _, name := range Names {
		// An existing link to this program is accepted, so the installation can be repeated.
		link := filepath.Join(folder, name)
		err := files.Symlink(program, link)
		if err != nil && leadsTo(link, program) {
			err = nil
		}
		if err != nil {
			return files.OwnFault("cannot make the link", link, err)
		}
		// Each link is printed as soon as it exists, so an error after it does not hide it.
		if _, err := fmt.Fprintln(out, link); err != nil {
			return err
		}
	}
	return nil
}

// leadsTo reports whether a file is a link to a program.
// Both paths are resolved, because the program itself may have been started by a link.
func leadsTo(link, program string) bool {
	at, err := files.EvalSymlinks(link)
	if err != nil {
		return false
	}
	real, err := files.EvalSymlinks(program)
	return err == nil && at == real
}

// Called returns the name of the program if the first word of a command line is one of them, perhaps in a
// folder and with the ending of Windows. A link has this program's code and another name, by which it
// chooses what to do.
func Called(word string) string {
	for _, name := range Names {
		if base := filepath.Base(word); base == name || base == name+".exe" {
			return name
		}
	}
	return ""
}

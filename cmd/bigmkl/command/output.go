package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// isStandardOutput reports whether a path names standard output.
// The second name is for systems with devices as files.
func isStandardOutput(path string) bool { return path == "-" || path == "/dev/stdout" }

// checkOutput finds reasons why the result of a run could not be written, before the run begins.
// The inputs are files that the result must not replace. A training of hours whose result cannot be
// written is the fault that this function prevents. It cannot find all reasons: a disk may fill up
// later.
func checkOutput(path string, inputs ...string) error {
	if path == "" || isStandardOutput(path) {
		return nil
	}
	// A device or a pipe is accepted: it replaces no file.
	here, err := files.Stat(path)
	switch {
	case err == nil && here.IsDir():
		return fail.New(fail.Input, "cannot write: it is a directory").At(path, 0, 0)
	case err == nil && here.Mode().IsRegular():
		for _, in := range inputs {
			// Paths are compared by the files behind them, as one file may have several names.
			other, err := files.Stat(in)
			if err == nil && os.SameFile(here, other) {
				return fail.New(fail.Usage, "the result would replace an input file").At(path, 0, 0)
			}
			if err != nil && !isMissing(err) {
				return files.InputFault("cannot open", in, err)
			}
		}
	case err != nil && !isMissing(err):
		return files.OwnFault("cannot write", path, err)
	}
	folder := filepath.Dir(path)
	// A new file needs its folder. No folder is made, since a misspelt path would then pass unnoticed.
	if err == nil || folder == "." {
		return nil
	}
	parent, err := files.Stat(folder)
	if err != nil {
		return files.OwnFault("cannot write", path, err)
	}
	if !parent.IsDir() {
		return fail.New(fail.Input, "cannot write: %s is not a directory", folder).At(path, 0, 0)
	}
	return nil
}

// isMissing reports whether an error means that a file does not exist. ENOTDIR means that a part of the
// path is a file, so nothing can be below it.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

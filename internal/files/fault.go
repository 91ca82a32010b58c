package files

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"bigmkl/internal/fail"
)

// Exhausted reports whether an error means that memory, disk space or descriptors ran out.
func Exhausted(err error) bool { return isAny(err, exhausted) }

// Broken reports whether an error means that a device fails.
func Broken(err error) bool { return isAny(err, broken) }

// Readerless reports whether an error means that nobody reads what is written to a pipe any more.
func Readerless(err error) bool { return isAny(err, readerless) }

// Busy reports whether an error means that a file stays because a process has it open. Only systems
// in which open files keep their names have such errors.
func Busy(err error) bool { return isAny(err, busy) }

// NotEmpty reports whether an error means that a folder stays because something is in it.
func NotEmpty(err error) bool { return isAny(err, notEmpty) }

func isAny(err error, list []error) bool {
	return slices.ContainsFunc(list, func(e error) bool { return errors.Is(err, e) })
}

// OwnFault returns the error for a file that the program writes, for itself or as a result. The
// class is fail.Budget, also for a device that fails, unless the system states what is wrong with
// the path. The user gave the path, so the class is then fail.Input.
func OwnFault(what, path string, err error) *fail.Error {
	var errno syscall.Errno
	if errors.As(err, &errno) && !Broken(err) && !Exhausted(err) {
		return fault(fail.Input, what, path, err)
	}
	return fault(fail.Budget, what, path, err)
}

// InputFault returns the error for a file that the user gave. The class is fail.Input, or
// fail.Budget if a resource ran out.
func InputFault(what, path string, err error) *fail.Error {
	if Exhausted(err) {
		return fault(fail.Budget, what, path, err)
	}
	return fault(fail.Input, what, path, err)
}

// fault names the path once, as the place, because the path in the error of the system may be a
// temporary one.
func fault(class error, what, path string, err error) *fail.Error {
	var pe *fs.PathError
	var le *os.LinkError
	if errors.As(err, &pe) {
		err = pe.Err
	} else if errors.As(err, &le) {
		err = le.Err
	}
	return fail.New(class, "%s: %w", what, err).At(path, 0, 0)
}

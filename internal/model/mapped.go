package model

import (
	"errors"
	"os"
	"runtime/debug"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/mmap"
)

// mapped is the file in which the support vectors of a model have stayed.
type mapped struct {
	path string
	info os.FileInfo // info describes the file when it was opened.
	data *mmap.Map
}

// guard calls read and turns faults into errors. Pages beyond the end of a file that was cut short
// fault, and numbers that changed after they were checked may cause any panic. A file that was cut
// short and then replaced under its name shows in the fault alone.
func (f *mapped) guard(read func() error) (err error) {
	defer func(old bool) {
		debug.SetPanicOnFault(old)
		r := recover()
		if e := f.changed(); e != nil {
			err = e
		} else if r != nil && f.data.Faulted(r) {
			err = f.change()
		} else if r != nil {
			panic(r)
		}
	}(debug.SetPanicOnFault(true))
	return read()
}

// changed returns an error if the file is no longer what was opened.
func (f *mapped) changed() error {
	now, err := files.Stat(f.path)
	replaced := err == nil && !os.SameFile(now, f.info) || errors.Is(err, os.ErrNotExist)
	if replaced || err == nil && now.Size() == f.info.Size() && now.ModTime().
		Equal(f.info.ModTime()) {
		return nil
	}
	if err != nil {
		return unreadable(f.path, err)
	}
	return f.change()
}

// change is the error of a file that changed.
func (f *mapped) change() error {
	return fail.New(fail.Input, "the file changed while it was in use").At(f.path, 0, 0)
}

func unreadable(path string, err error) *fail.Error {
	return files.InputFault("cannot read the model", path, err)
}

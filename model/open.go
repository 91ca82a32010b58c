package model

import (
	"bytes"
	"errors"
	"os"
	"runtime/debug"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/mmap"
)

// mapped is the file that the support vectors of a model have stayed in.
type mapped struct {
	path string
	info os.FileInfo // when it was opened
	data *mmap.Map
}

// Open reads a model file but for its support vectors, which stay in the file: they are mapped, so that the system may take their
// pages back, and valid until Close. Who reads them does so within Guard. What is no regular file is read whole, as Read does.
func Open(path string) (*Model, error) {
	info, err := files.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return Read(path)
	}
	data, err := mmap.OpenRead(path)
	if err != nil {
		return nil, err
	}
	f := &mapped{path, info, data}
	var m *Model
	err = f.guard(func() (err error) {
		if err = f.changed(); err == nil { // between the look at the file and the map
			m, err = decodeFrom(bytes.NewReader(data.Bytes()), int64(len(data.Bytes())), path, data.Bytes())
		}
		return err
	})
	if err != nil {
		data.Close()
		return nil, err
	}
	m.file = f
	return m, nil
}

// Close unmaps the file of a model that Open has read. Its support vectors are gone then.
func (m *Model) Close() error {
	if m.file == nil {
		return nil
	}
	m.Vectors, m.Sparse, m.Rows = nil, nil, nil
	return m.file.data.Close()
}

// Mapped tells whether the support vectors are in a file and take no memory.
func (m *Model) Mapped() bool { return m.file != nil }

// Guard runs a function that reads the support vectors, in its goroutine. If these are in a file that was cut short or written to
// since it was opened, what it does is of no use: it is fail.Input then, whatever came of it. A file that was replaced by another of
// its name is still there for us, unchanged.
func (m *Model) Guard(read func() error) error {
	if m.file == nil {
		return read()
	}
	return m.file.guard(read)
}

// guard turns faults into errors: pages beyond the end of a file that was cut short, and whatever may come of numbers that are others
// than those that were checked.
func (f *mapped) guard(read func() error) (err error) {
	defer func(old bool) {
		debug.SetPanicOnFault(old)
		r := recover()
		if e := f.changed(); e != nil {
			err = e
		} else if r != nil {
			panic(r)
		}
	}(debug.SetPanicOnFault(true))
	return read()
}

// changed is an error if the file is no longer what was opened.
func (f *mapped) changed() error {
	now, err := files.Stat(f.path)
	replaced := err == nil && !os.SameFile(now, f.info) || errors.Is(err, os.ErrNotExist)
	if replaced || err == nil && now.Size() == f.info.Size() && now.ModTime().Equal(f.info.ModTime()) {
		return nil
	}
	if err != nil {
		return unreadable(f.path, err)
	}
	return fail.New(fail.Input, "the file changed while it was in use").At(f.path, 0, 0)
}

package model

import (
	"bytes"

	"bigmkl/internal/files"
	"bigmkl/mmap"
)

// Open reads a model file without its support vectors, which stay in the file. They are mapped, so
// the system may reclaim their pages, and valid until Close. Code that reads them must run within
// Guard. If path is not a regular file, Open reads it into memory as Read does. The errors are the
// errors of Read; families names the families that the caller knows.
func Open(path string, families ...string) (*Model, error) {
	info, err := files.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return Read(path, families...)
	}
	data, err := mmap.OpenRead(path)
	if err != nil {
		return nil, err
	}
	f := &mapped{path, info, data}
	var m *Model
	err = f.guard(func() (err error) {
		if err = f.changed(); err == nil { // The file may have changed before it was mapped.
			m, err = decodeFrom(bytes.NewReader(data.Bytes()), int64(len(data.Bytes())), path,
				data.Bytes(), families)
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

package model

import (
	"bytes"

	"bigmkl/internal/files"
	"bigmkl/mmap"
)

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

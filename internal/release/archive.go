package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"time"
)

// entry is a file of an archive. Its name has slashes.
type entry struct {
	name, file string
	mode       fs.FileMode
}

// writeTar writes files into an archive, below a folder, all with the same time and without owners.
func writeTar(to, folder string, list []entry, at time.Time) error {
	return create(to, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		t := tar.NewWriter(z)
		for _, e := range list {
			b, err := os.ReadFile(e.file)
			if err != nil {
				return err
			}
			h := &tar.Header{Name: path.Join(folder, e.name), Mode: int64(e.mode), Size: int64(len(b)), ModTime: at}
			if err := t.WriteHeader(h); err != nil {
				return err
			}
			if _, err := t.Write(b); err != nil {
				return err
			}
		}
		if err := t.Close(); err != nil {
			return err
		}
		return z.Close()
	})
}

// writeZip does the same as writeTar, for systems without tar.
func writeZip(to, folder string, list []entry, at time.Time) error {
	return create(to, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, e := range list {
			b, err := os.ReadFile(e.file)
			if err != nil {
				return err
			}
			h := &zip.FileHeader{Name: path.Join(folder, e.name), Method: zip.Deflate, Modified: at}
			h.SetMode(e.mode)
			f, err := z.CreateHeader(h)
			if err != nil {
				return err
			}
			if _, err := f.Write(b); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// create makes a file with what a function writes.
func create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

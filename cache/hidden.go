package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bigmkl/internal/files"
)

// hiddenFile is a mapped file, without a name where that can be.
type hiddenFile struct {
	*files.File
	// size is the size of the file when it is new. When a file is full, the log cuts off the part
	// that it did not use.
	size int64
}

// mappedFiles are the files that badger has mapped for one database.
type mappedFiles struct {
	dir string
	// hidden lists the files, which have no names any more unless files.NamesLast.
	hidden []hiddenFile
	// sizes maps the suffix of a file name to the size of such a file when it is new.
	sizes map[string]int64
	// measured is the number of allocated bytes when they were last counted.
	measured int64
	// since counts the bytes written after that.
	since int64
}

// hide removes the names of the files that badger has mapped since the last call. Badger stores
// into its maps in goroutines of its own. If somebody cuts such a file short, the process ends by
// SIGBUS and no caller can prevent it, but nobody can cut a file without a name short. hide must be
// called before more than the header of a file is written. Where open files keep their names, the
// system rejects to cut a mapped file short.
func (s *mappedFiles) hide() error {
	entries, err := files.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		for end, size := range s.sizes {
			if strings.HasSuffix(e.Name(), end) {
				if err := s.take(filepath.Join(s.dir, e.Name()), size); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// take opens a mapped file and removes its name. Then it sets its length to size, in case that
// somebody has cut it short before; the header need not survive, because the database is never
// opened again. The call also waits for a process that is just cutting the file.
func (s *mappedFiles) take(path string, size int64) error {
	if slices.ContainsFunc(s.hidden, func(f hiddenFile) bool { return f.Name() == path }) {
		return nil // It kept its name.
	}
	f, err := files.OpenFile(path, os.O_RDWR|files.NoFollow, 0)
	if err != nil {
		return err
	}
	s.hidden = append(s.hidden, hiddenFile{f, size})
	if files.NamesLast {
		return nil
	}
	if err := files.Remove(path); err != nil {
		return err
	}
	return f.Truncate(size)
}

// whole returns an error if a file that is being stored into has another length than it should.
func (s *mappedFiles) whole() error {
	last := map[string]bool{}
	for i := len(s.hidden) - 1; i >= 0; i-- {
		f := s.hidden[i]
		if end := filepath.Ext(f.Name()); !last[end] {
			last[end] = true
			if info, err := f.Stat(); err != nil || info.Size() != f.size {
				return fmt.Errorf("%s: another has changed its length", f.Name())
			}
		}
	}
	return nil
}

// measure counts the allocated blocks of the files. Other files take a few KiB and are not counted.
// The apparent sizes do not help, because the files are sparse. If counting fails,
// the number of bytes written, which is never too low, stays in use.
func (s *mappedFiles) measure() {
	var sum int64
	for _, f := range s.hidden {
		info, err := f.Stat()
		if err != nil {
			return
		}
		sum += files.Allocated(info)
	}
	s.measured, s.since = sum, 0
}

// forget frees the blocks of the files under the open database, which would otherwise write them
// all to the device when it closes. The sizes stay, so the maps stay valid. If the file system does
// not support this, closing is slow.
func (s *mappedFiles) forget() {
	for _, f := range s.hidden {
		if info, err := f.Stat(); err == nil {
			_ = f.Free(info.Size())
		}
	}
}

// release closes the files.
func (s *mappedFiles) release() {
	for _, f := range s.hidden {
		f.Close()
	}
	s.hidden = nil
}

// allocated returns the disk space of the files. It is never less than what was written.
func (s *mappedFiles) allocated() int64 { return s.measured + s.since }

package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"bigmkl/internal/files"
)

// hiddenFile is a mapped file without a name.
type hiddenFile struct {
	*files.File
	size int64 // when it is new; the log cuts off what was not used of a file that is full
}

// mappedFiles are the files of one database that badger has mapped.
type mappedFiles struct {
	dir      string
	hidden   []hiddenFile     // those that badger has mapped, which have no names any more
	sizes    map[string]int64 // of mapped files when they are new, by the ends of their names
	measured int64            // allocated blocks when last looked at
	since    int64            // bytes written after that
}

// hide takes away the names of the files that badger has mapped since the last call. Badger stores into its maps in
// goroutines of its own, where a file that somebody cuts short ends the process by SIGBUS and no caller can help it; a file
// without a name cannot be cut short. It is called before more than the header of a file was written.
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

// take opens a mapped file of so many bytes and removes its name. Then it gives it its length, in case that somebody has
// cut it short before: the database is never opened again and needs no header. That also waits for one who is about to.
func (s *mappedFiles) take(path string, size int64) error {
	f, err := files.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	s.hidden = append(s.hidden, hiddenFile{f, size})
	if err := files.Remove(path); err != nil {
		return err
	}
	return f.Truncate(size)
}

// whole makes sure that the files which are stored into have their length.
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

// measure counts the allocated blocks of the files; those that keep their names take a few KiB. Apparent sizes say
// nothing: the files are sparse. If it cannot, the count of what was written, which errs on the high side, stands.
func (s *mappedFiles) measure() {
	var sum int64
	for _, f := range s.hidden {
		info, err := f.Stat()
		if err != nil {
			return
		}
		sum += info.Sys().(*syscall.Stat_t).Blocks * 512
	}
	s.measured, s.since = sum, 0
}

// forget frees the blocks of the files under the open database, which would otherwise write them all to the device when
// it closes. The sizes stay, so the maps stay valid. Where the file system cannot do it, closing is slow.
func (s *mappedFiles) forget() {
	for _, f := range s.hidden {
		if info, err := f.Stat(); err == nil {
			_ = f.Free(info.Size())
		}
	}
}

// allocated is what the files take, never less than is known to have been written.
func (s *mappedFiles) allocated() int64 { return s.measured + s.since }

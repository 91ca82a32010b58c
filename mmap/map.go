package mmap

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"bigmkl/internal/fail"
)

// Map is a region of memory outside the Go heap. Bytes and the views of it are valid until Close.
type Map struct {
	data  []byte
	close sync.Once
	err   error
}

// Advice tells the kernel how a map will be used.
type Advice int

// The advices of madvise(2). DontNeed frees the resident pages: file pages are read again on the next access, those of
// an anonymous map come back as zeros.
const (
	Normal Advice = iota
	Sequential
	Random
	WillNeed
	DontNeed
)

// Create makes a scratch file of size zero bytes in dir (the system's temporary folder if empty), named by pattern as in
// os.CreateTemp, maps it for reading and writing and unlinks it. A full disk is fail.Budget.
func Create(dir, pattern string, size int64) (*Map, error) {
	if err := checkSize(size); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, classify("cannot create a scratch file", dir, err)
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return nil, classify("cannot unlink the scratch file", f.Name(), err)
	}
	if err := reserve(f, size); err != nil {
		e := classify("cannot reserve the scratch file", dir, err)
		e.Hint = "the folder needs that much free space"
		return nil, e
	}
	return mapFile(f, size, unix.PROT_READ|unix.PROT_WRITE)
}

// OpenRead maps an existing regular file for reading. Storing into the map is a fault.
func OpenRead(path string) (*Map, error) {
	// The check comes before the open, which would wait for ever on a pipe without a writer.
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fail.New(fail.Input, "not a regular file").At(path, 0, 0)
	}
	if err != nil {
		return nil, classify("cannot open", path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, classify("cannot open", path, err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, classify("cannot open", path, err)
	}
	if err := checkSize(info.Size()); err != nil {
		return nil, err
	}
	return mapFile(f, info.Size(), unix.PROT_READ)
}

// Anonymous returns size zero bytes of private memory that the garbage collector does not see.
func Anonymous(size int64) (*Map, error) {
	if err := checkSize(size); err != nil || size == 0 {
		return &Map{}, err
	}
	data, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fail.New(fail.Budget, "cannot get %d bytes of memory: %w", size, err)
	}
	return &Map{data: data}, nil
}

// Bytes is the whole region.
func (m *Map) Bytes() []byte { return m.data }

// Advise passes a hint for the whole region to the kernel.
func (m *Map) Advise(a Advice) error {
	if len(m.data) == 0 {
		return nil
	}
	advice := [...]int{unix.MADV_NORMAL, unix.MADV_SEQUENTIAL, unix.MADV_RANDOM, unix.MADV_WILLNEED, unix.MADV_DONTNEED}
	return unix.Madvise(m.data, advice[a])
}

// Close unmaps the region; the blocks of a scratch file are freed. Further calls do nothing and return the first result.
func (m *Map) Close() error {
	m.close.Do(func() {
		if m.data != nil {
			m.err = unix.Munmap(m.data)
			m.data = nil
		}
	})
	return m.err
}

func mapFile(f *os.File, size int64, prot int) (*Map, error) {
	if size == 0 { // mmap(2) refuses an empty region; an empty array is a fair one.
		return &Map{}, nil
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), prot, unix.MAP_SHARED)
	if err != nil {
		return nil, classify("cannot map", f.Name(), err)
	}
	return &Map{data: data}, nil
}

// reserve gives the file its blocks. File systems without fallocate get zeros written, which reserves as well.
func reserve(f *os.File, size int64) error {
	if size == 0 {
		return nil
	}
	// Asked first: a reservation that cannot succeed takes all that is left, from everyone, before it fails.
	var disk unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &disk); err == nil && uint64(size)/uint64(disk.Bsize) > disk.Bavail {
		return unix.ENOSPC
	}
	for {
		err := unix.Fallocate(int(f.Fd()), 0, 0, size)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return writeZeros(f, size)
		}
		return err
	}
}

func writeZeros(f *os.File, size int64) error {
	zeros := make([]byte, min(size, 1<<20))
	for off := int64(0); off < size; off += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(size-off, int64(len(zeros)))], off); err != nil {
			return err
		}
	}
	return nil
}

func checkSize(size int64) error {
	if size < 0 || size > math.MaxInt {
		return fail.New(fail.Budget, "an array of %d bytes cannot be mapped", size)
	}
	return nil
}

// classify makes shortages fail.Budget and everything else, which comes from a path that was given, fail.Input.
func classify(what, path string, err error) *fail.Error {
	class := fail.Input
	for _, shortage := range []unix.Errno{unix.ENOSPC, unix.EDQUOT, unix.EFBIG, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.EIO} {
		if errors.Is(err, shortage) {
			class = fail.Budget
		}
	}
	var pe *fs.PathError
	if errors.As(err, &pe) { // the path is named once, in the place
		err = pe.Err
	}
	return fail.New(class, "%s: %w", what, err).At(path, 0, 0)
}

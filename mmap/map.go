package mmap

import (
	"io"
	"math"
	"sync"

	"golang.org/x/sys/unix"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/invariant"
)

// Map is a region of memory outside the Go heap. Its bytes and views are valid until Close.
type Map struct {
	data   []byte
	close  sync.Once
	err    error
	closed bool // closed is only set if invariants are checked.
}

var _ io.Closer = (*Map)(nil)

// Advice tells the kernel how a map will be used.
type Advice int

// These are the advices of madvise(2). DontNeed frees the resident pages. Pages of a file are read
// again on the next access, and those of an anonymous map come back as zeros.
const (
	Normal Advice = iota
	Sequential
	Random
	WillNeed
	DontNeed
)

// Create makes a scratch file of size zero bytes in dir, maps it for reading and writing, and
// unlinks it. If dir is empty, the temporary folder of the system is used. The pattern names the
// file as in os.CreateTemp. A full disk gives an error of class fail.Budget.
func Create(dir, pattern string, size int64) (*Map, error) {
	if err := checkSize(size); err != nil {
		return nil, err
	}
	f, err := files.CreateTemp(dir, pattern)
	if err != nil {
		return nil, files.OwnFault("cannot create a scratch file", dir, err)
	}
	defer f.Close()
	if err := files.Remove(f.Name()); err != nil {
		return nil, files.OwnFault("cannot unlink the scratch file", f.Name(), err)
	}
	if err := f.Reserve(size); err != nil {
		return nil, files.OwnFault("cannot reserve the scratch file", dir, err).
			WithHint("the folder needs that much free space")
	}
	m, err := mapFile(f, size, true)
	if err != nil {
		return nil, files.OwnFault("cannot map the scratch file", dir, err)
	}
	return m, nil
}

// OpenRead maps an existing regular file for reading. Storing into the map is a fault. A file that
// cannot be opened, or is not regular, gives an error of class fail.Input.
func OpenRead(path string) (*Map, error) {
	// This check comes before the open, which would wait for ever on a pipe without a writer.
	info, err := files.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fail.New(fail.Input, "not a regular file").At(path, 0, 0)
	}
	if err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	if err := checkSize(info.Size()); err != nil {
		return nil, err
	}
	m, err := mapFile(f, info.Size(), false)
	if err != nil {
		return nil, files.InputFault("cannot map", path, err)
	}
	return m, nil
}

// Anonymous returns size zero bytes of private memory that the garbage collector does not see. A
// lack of memory is an error of class fail.Budget.
func Anonymous(size int64) (*Map, error) {
	if err := checkSize(size); err != nil || size == 0 {
		return &Map{}, err
	}
	data, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fail.New(fail.Budget, "cannot get %d bytes of memory: %w", size, err)
	}
	return &Map{data: data}, nil
}

// Bytes returns the whole region.
func (m *Map) Bytes() []byte {
	m.assertOpen()
	return m.data
}

// assertOpen checks, behind the build tag invariants, that the map is not closed.
func (m *Map) assertOpen() {
	if invariant.Enabled {
		invariant.Check(!m.closed, "a map that was closed is used")
	}
}

// Advise passes advice about the whole region to the kernel.
func (m *Map) Advise(a Advice) error {
	m.assertOpen()
	if len(m.data) == 0 {
		return nil
	}
	advice := [...]int{unix.MADV_NORMAL, unix.MADV_SEQUENTIAL, unix.MADV_RANDOM, unix.MADV_WILLNEED,
		unix.MADV_DONTNEED}
	return unix.Madvise(m.data, advice[a])
}

// Close unmaps the region and frees the blocks of a scratch file. Further calls do nothing and
// return the first result.
func (m *Map) Close() error {
	m.close.Do(func() {
		m.closed = invariant.Enabled
		if m.data != nil {
			m.err = unix.Munmap(m.data)
			m.data = nil
		}
	})
	return m.err
}

func mapFile(f *files.File, size int64, writable bool) (*Map, error) {
	if size == 0 { // mmap(2) refuses an empty region, but an empty array is valid.
		return &Map{}, nil
	}
	data, err := f.Map(size, writable)
	if err != nil {
		return nil, err
	}
	return &Map{data: data}, nil
}

func checkSize(size int64) error {
	if size < 0 || size > math.MaxInt {
		return fail.New(fail.Budget, "an array of %d bytes cannot be mapped", size)
	}
	return nil
}

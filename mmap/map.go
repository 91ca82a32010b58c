package mmap

import (
	"io"
	"math"
	"sync"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/invariant"
)

// Map is a region of memory outside the Go heap. Its bytes and views are valid until Close.
type Map struct {
	data []byte
	// anonymous is true for memory without a file, and lasting if it represents a scratch file.
	anonymous, lasting bool
	// file is the mapped file if it has to be open as long as the map.
	file   *files.File
	close  sync.Once
	err    error
	closed bool // closed is only set if invariants are checked.
}

var _ io.Closer = (*Map)(nil)

// advice informs the system how a map will be used.
type advice int

// These are the advices of madvise(2). dontNeed frees the resident pages. Pages of a file are read
// again on the next access. Those of an anonymous map come back as zeros on Linux and Windows; on
// macOS they may also keep what they held, until the system needs them.
const (
	normal advice = iota
	sequential
	random
	willNeed
	dontNeed
)

// Create makes a scratch file of size zero bytes in dir and maps it for reading and writing. The file
// has no name, or none after Close where mapped files keep their names. If dir is empty, the temporary folder of the system is used. The pattern names the
// file as in os.CreateTemp. A full disk gives an error of class fail.Budget.
func Create(dir, pattern string, size int64) (*Map, error) {
	if err := checkSize(size); err != nil {
		return nil, err
	}
	f, err := files.CreateScratch(dir, pattern)
	if err != nil {
		return nil, err
	}
	m, err := reserve(f, dir, size)
	if err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

// smallArray is the largest size for which Array takes memory: to make and to remove a file takes
// longer than to fill so many bytes.
const smallArray = 256 << 10

// Array returns size zero bytes: private memory if they are at most 256 KiB, and otherwise a scratch file
// as Create makes it. advice does not touch the memory, and dir has to exist for it, too.
func Array(dir, pattern string, size int64) (*Map, error) {
	if size > smallArray {
		return Create(dir, pattern, size)
	}
	if dir != "" {
		if _, err := files.Stat(dir); err != nil {
			return nil, files.OwnFault("cannot create a scratch file", dir, err)
		}
	}
	m, err := Anonymous(size)
	if err != nil {
		return nil, err
	}
	m.lasting = true
	return m, nil
}

// reserve reserves and maps a new scratch file.
func reserve(f *files.File, dir string, size int64) (*Map, error) {
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
	m, err := mapWhole(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

// mapWhole maps an open file for reading.
func mapWhole(f *files.File) (*Map, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, files.InputFault("cannot open", f.Name(), err)
	}
	if err := checkSize(info.Size()); err != nil {
		return nil, err
	}
	m, err := mapFile(f, info.Size(), false)
	if err != nil {
		return nil, files.InputFault("cannot map", f.Name(), err)
	}
	return m, nil
}

// Anonymous returns size zero bytes of private memory that the garbage collector does not see. A
// lack of memory is an error of class fail.Budget.
func Anonymous(size int64) (*Map, error) {
	m, used, err := memory(size)
	if used {
		clear(m.data)
	}
	return m, err
}

// Unset returns memory as Anonymous does, of which the content is undefined.
func Unset(size int64) (*Map, error) {
	m, _, err := memory(size)
	return m, err
}

// memory returns private memory, and whether it may hold something.
func memory(size int64) (_ *Map, used bool, _ error) {
	if err := checkSize(size); err != nil || size == 0 {
		return &Map{}, false, err
	}
	data, used, err := region(size)
	if err != nil {
		return nil, false, fail.New(fail.Budget, "cannot get %d bytes of memory: %w", size, err)
	}
	return &Map{data: data[:size], anonymous: true}, used, nil
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

// advise passes advice about the whole region to the kernel.
func (m *Map) advise(a advice) error {
	m.assertOpen()
	if len(m.data) == 0 || m.lasting {
		return nil
	}
	return advise(m.data, a, m.anonymous)
}

// Discard frees the resident pages of an anonymous map from an offset on, which is a multiple of
// the page size. What they held is lost.
func (m *Map) Discard(from int64) error {
	m.assertOpen()
	if from >= int64(len(m.data)) {
		return nil
	}
	return advise(m.data[from:], dontNeed, m.anonymous)
}

// Close unmaps the region and frees the blocks of a scratch file. Further calls do nothing and
// return the first result.
func (m *Map) Close() error {
	m.close.Do(func() {
		m.closed = invariant.Enabled
		switch {
		case m.data == nil:
		case m.anonymous:
			m.err = giveBack(m.data)
		default:
			m.err = files.Unmap(m.data)
		}
		m.data = nil
		if m.file != nil {
			if err := m.file.Close(); err != nil && m.err == nil {
				m.err = files.OwnFault("cannot close a mapped file", m.file.Name(), err)
			}
		}
	})
	return m.err
}

// mapFile maps a file and closes it, unless it has to be open as long as the map: where a mapped
// file cannot lose its name, closing a scratch file removes it and comes after the end of the map.
func mapFile(f *files.File, size int64, writable bool) (*Map, error) {
	m := &Map{}
	if size > 0 { // The system rejects an empty region, but an empty array is valid.
		data, err := f.Map(size, writable)
		if err != nil {
			return nil, err
		}
		m.data = data
	}
	if files.NamesLast {
		m.file = f
	} else {
		f.Close()
	}
	return m, nil
}

func checkSize(size int64) error {
	if size < 0 || size > math.MaxInt {
		return fail.New(fail.Budget, "an array of %d bytes cannot be mapped", size)
	}
	return nil
}

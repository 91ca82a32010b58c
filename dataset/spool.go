package dataset

import (
	"bufio"
	"encoding/binary"
	"io"
	"slices"

	"bigmkl/internal/files"
	"bigmkl/mmap"
)

// spool keeps the rows in an unlinked scratch file while the number of features is not known. A row
// is a head of 24 bytes, its indices and its values, all little-endian as the hosts are. The file
// is written once, front to back, and read once for each pass, in large pieces, so that the disk
// never has to find a single row.
type spool struct {
	file *files.File
	out  *bufio.Writer
	in   *bufio.Reader
	rows int
	// width is the greatest 1-based feature number so far.
	width int
	// values counts the values of all rows.
	values int64
	// limit is the largest size of the file in bytes, or 0 for none.
	limit int64
	// dropped is true once the rows exceeded the limit. From then on they are only counted.
	dropped bool
	// lengths counts the rows by their number of values.
	lengths Lengths
	// files lists the names to which heads refer.
	files []string
	head  [spoolHead]byte
	// row is the row that was read last. Its memory is used again.
	row Row
}

const spoolBuffer = 256 << 10

func newSpool(dir string, limit int64) (*spool, error) {
	f, err := files.CreateScratch(dir, "bigmkl-rows-*")
	if err != nil {
		return nil, err
	}
	return &spool{file: f, out: bufio.NewWriterSize(f, spoolBuffer), limit: limit}, nil
}

// These are the bytes that a row takes, and each of its values.
const (
	spoolHead  = 24
	spoolValue = 4 + 8
)

// bytes returns the size of the rows so far, whether they were kept or only counted.
func (s *spool) bytes() int64 { return spoolHead*int64(s.rows) + spoolValue*s.values }

// drop gives the disk space back, because there are too many rows. From then on they are only
// counted.
func (s *spool) drop() error {
	s.dropped = true
	s.out.Reset(s.file) // This discards what was not written yet.
	if err := s.file.Truncate(0); err != nil {
		return files.OwnFault("cannot empty the scratch file", "", err)
	}
	return nil
}

func (s *spool) write(r *Row) error {
	if len(s.files) == 0 || s.files[len(s.files)-1] != r.File {
		s.files = append(s.files, r.File)
	}
	if n := len(r.Index); n > 0 {
		s.width = max(s.width, int(r.Index[n-1])+1)
	}
	s.rows++
	s.values += int64(len(r.Index))
	if s.lengths == nil {
		s.lengths = Lengths{}
	}
	s.lengths.Add(len(r.Index))
	if s.limit > 0 && s.bytes() > s.limit && !s.dropped {
		return s.drop()
	}
	if s.dropped {
		return nil
	}
	binary.LittleEndian.PutUint64(s.head[0:], uint64(len(r.Index)))
	binary.LittleEndian.PutUint64(s.head[8:], uint64(len(s.files)-1))
	binary.LittleEndian.PutUint64(s.head[16:], uint64(r.Line))
	// A bufio.Writer keeps its first error and returns it from every later write.
	s.out.Write(s.head[:])
	s.out.Write(mmap.Bytes(r.Index))
	if _, err := s.out.Write(mmap.Bytes(r.Value)); err != nil {
		return files.OwnFault("cannot write the scratch file", s.file.Name(), err)
	}
	return nil
}

// rewind flushes what was written and makes next start from the first row.
func (s *spool) rewind() error {
	if s.out != nil {
		if err := s.out.Flush(); err != nil {
			return files.OwnFault("cannot write the scratch file", s.file.Name(), err)
		}
		s.out = nil
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return files.OwnFault("cannot read the scratch file", s.file.Name(), err)
	}
	if s.in == nil {
		s.in = bufio.NewReaderSize(s.file, spoolBuffer)
	} else {
		s.in.Reset(s.file)
	}
	return nil
}

// next returns a row without label and weight. It is valid until the following call.
func (s *spool) next() (*Row, error) {
	if _, err := io.ReadFull(s.in, s.head[:]); err != nil {
		return nil, files.OwnFault("cannot read the scratch file", s.file.Name(), err)
	}
	n := int(binary.LittleEndian.Uint64(s.head[0:]))
	r := &s.row
	r.File = s.files[binary.LittleEndian.Uint64(s.head[8:])]
	r.Line = int(binary.LittleEndian.Uint64(s.head[16:]))
	r.Index, r.Value = slices.Grow(r.Index[:0], n)[:n], slices.Grow(r.Value[:0], n)[:n]
	if _, err := io.ReadFull(s.in, mmap.Bytes(r.Index)); err != nil {
		return nil, files.OwnFault("cannot read the scratch file", s.file.Name(), err)
	}
	if _, err := io.ReadFull(s.in, mmap.Bytes(r.Value)); err != nil {
		return nil, files.OwnFault("cannot read the scratch file", s.file.Name(), err)
	}
	return r, nil
}

func (s *spool) close() { s.file.Close() }

package decode

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/arrio"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// arrowTable is an open file or stream of Arrow IPC.
type arrowTable struct {
	columns []column
	batches arrio.Reader
	// end returns an error if batches ended before the end of the data.
	end func() error
}

// These are the first bytes of files of Arrow IPC, and of the format that had the name Feather before.
const (
	arrowMagic   = "ARROW1"
	featherMagic = "FEA1"
)

// maxArrowMetadata bounds the bytes of a message without the values: a table of dataset.MaxColumns columns has less.
const maxArrowMetadata = 256 << 20

// openArrow opens data in the file format of Arrow IPC, or in its stream format.
//
// Reference: Apache Arrow Columnar Format 1.5, "Serialization and Interprocess Communication".
func openArrow(f file, skip []string, most int64) (table, error) {
	options := []ipc.Option{ipc.WithAllocator(bounded{memory.NewGoAllocator(), most}),
		ipc.WithMetadataSizeLimit(maxArrowMetadata), ipc.WithBodySizeLimit(most)}
	in := bufio.NewReaderSize(f, 64<<10)
	start, err := in.Peek(len(arrowMagic))
	if err != nil && err != io.EOF {
		return nil, err
	}
	t := &arrowTable{end: func() error { return nil }}
	var schema *arrow.Schema
	switch {
	case string(start) == arrowMagic:
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, errors.New("the file format is read from a file, and not from a pipe")
		}
		r, err := ipc.NewFileReader(f, options...)
		if err != nil {
			return nil, err
		}
		t.batches, schema = r, r.Schema()
	case len(start) >= len(featherMagic) && string(start[:len(featherMagic)]) == featherMagic:
		return nil, errors.New("it is in version 1 of Feather, and version 2 is read")
	default:
		s := &arrowStream{in: in}
		r, err := ipc.NewReaderFromMessageReader(ipc.NewMessageReader(s, options...), options...)
		if err != nil {
			return nil, err
		}
		t.batches, t.end, schema = r, s.end, r.Schema()
	}
	var names, unread []string
	for _, field := range schema.Fields() {
		names, unread = append(names, field.Name), append(unread, unreadArrow(field.Type))
	}
	if t.columns, err = columnsOf(names, unread, skip); err != nil {
		return nil, err
	}
	for _, c := range t.columns {
		if !c.empty { // Without values, a few bytes could claim any number of rows.
			return t, nil
		}
	}
	return nil, errors.New("no column has values")
}

func (t *arrowTable) names() []string { return namesOf(t.columns) }

func (t *arrowTable) write(record []string, next func() error) error {
	for {
		batch, err := t.batches.Read()
		if err == io.EOF {
			return t.end()
		}
		if err != nil {
			return err
		}
		values := make([]arrow.Array, len(t.columns))
		for k := range values {
			values[k] = withoutExtension(batch.Column(k))
		}
		for i := range int(batch.NumRows()) {
			for k, c := range t.columns {
				if c.empty {
					continue
				}
				if record[k], err = arrowText(values[k], i, c.name); err != nil {
					return err
				}
			}
			if err := next(); err != nil {
				return err
			}
		}
	}
}

// arrowStream yields the bytes of a stream, and finds out how it ends.
type arrowStream struct {
	in *bufio.Reader
	// cut is true once the bytes have ended, which a reader that has found the mark of the end does not see.
	cut bool
}

func (s *arrowStream) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.cut = s.cut || err == io.EOF
	return n, err
}

// end returns an error unless the stream ended with its mark and nothing follows. Arrow permits streams without the
// mark, but a stream whose writer was killed between two batches looks the same.
func (s *arrowStream) end() error {
	if s.cut {
		return errors.New("the stream has no mark of its end, and may be cut off")
	}
	switch _, err := s.in.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return errors.New("data follow the end of the stream")
	default:
		return err
	}
}

// bounded is an allocator of buffers with at most a number of bytes each. The data state the size of a buffer, so a
// larger one is an error of the data.
type bounded struct {
	memory.Allocator
	most int64
}

func (b bounded) Allocate(size int) []byte {
	b.check(size)
	return b.Allocator.Allocate(size)
}

func (b bounded) Reallocate(size int, old []byte) []byte {
	b.check(size)
	return b.Allocator.Reallocate(size, old)
}

// check panics if a buffer is too large. The reader turns the panic into an error.
func (b bounded) check(size int) {
	if size < 0 || int64(size) > b.most {
		panic(fmt.Errorf("a buffer of %d bytes, and %d MiB of memory", size, b.most>>20))
	}
}

package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

const (
	// bombFloor and bombRatio bound what compressed text may expand to: a ratio of 1000 beyond the
	// first 64 MiB. Real text shrinks by less than 100, and gzip by 1032 at most.
	bombFloor = 64 << 20
	bombRatio = 1000
	// zstdWindow bounds the memory that the header of a frame can make the decoder allocate. It
	// suffices for zstd -19, and the description of the format asks every decoder for that much.
	zstdWindow = 8 << 20
)

// openFile opens a file for reading; "-" is standard input. It rejects directories here, because an
// attempt to read one gives an error that names no reason.
func openFile(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.IsDir() {
		return f, nil
	}
	f.Close()
	if err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	return nil, fail.New(fail.Input, "is a directory").At(path, 0, 0)
}

// inflater reads a stream that may be compressed, which it recognises by the first bytes. It turns
// faults into errors of class fail.Input with the offset in the compressed bytes.
//
// Both decoders report a stream that ends early, verify its checksum (for zstd only if the frame
// has one, as all common tools write it), and continue with a further member or frame if one
// follows. Any other bytes behind the end are a fault.
type inflater struct {
	name string
	// trusted turns the limits off (see ReadOptions.TrustCompressed).
	trusted bool
	// in is the stream before decompression.
	in *bufio.Reader
	// fetched counts the bytes that in has taken, including those in its buffer.
	fetched int64
	// below is the error that ended the reading of the stream, if it was not io.EOF.
	below error
	// out is the stream as text. It is nil before the first read.
	out io.Reader
	// close frees the decoder.
	close func()
	// packed is true if out is a decoder.
	packed bool
	// written counts the bytes that the decoder returned.
	written int64
}

var _ io.Reader = (*inflater)(nil)

func newInflater(r io.Reader, name string, trusted bool) *inflater {
	f := &inflater{name: name, trusted: trusted, close: func() {}}
	f.in = bufio.NewReaderSize(readerFunc(func(p []byte) (int, error) {
		n, err := r.Read(p)
		f.fetched += int64(n)
		if err != nil && err != io.EOF {
			f.below = err
		}
		return n, err
	}), 128<<10)
	return f
}

// readerFunc makes an io.Reader of a function.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func (f *inflater) Read(p []byte) (int, error) {
	if f.out == nil {
		if err := f.start(); err != nil {
			return 0, err
		}
	}
	n, err := f.out.Read(p)
	if !f.packed {
		if _, bare := f.out.(bareReader); !bare && err != nil && err != io.EOF {
			err = files.InputFault("cannot read", f.name, err)
		}
		return n, err
	}
	f.written += int64(n)
	consumed := f.consumed()
	if err != nil && err != io.EOF {
		return n, f.damaged(err)
	}
	if !f.trusted && f.written > bombFloor && f.written/bombRatio > consumed {
		return n, fail.New(fail.Input, "%d compressed bytes gave more than %d times as many: a "+
			"decompression bomb?", consumed, bombRatio).
			At(f.name, 0, 0).WithHint("trust the compressed file explicitly if it is yours")
	}
	return n, err
}

// consumed returns how many bytes of the compressed stream the decoder has taken.
func (f *inflater) consumed() int64 { return f.fetched - int64(f.in.Buffered()) }

// most returns the largest length of a line that is accepted now, at most max. It keeps a few
// compressed bytes from making the program hold many.
func (f *inflater) most(max int) int {
	if !f.packed || f.trusted {
		return max
	}
	return int(min(int64(max), packedLine+f.consumed()))
}

// start chooses the decoder by the magic bytes: 1f 8b for gzip, and 28 b5 2f fd or a skippable
// frame (5x 2a 4d 18) for zstd.
func (f *inflater) start() error {
	start, _ := f.in.Peek(longestMagic) // An error shows again on reading.
	if err := rejectForeign(start, f.name); err != nil {
		return err
	}
	f.out = f.in
	magic := start[:min(4, len(start))]
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		f.packed = true
		z, err := gzip.NewReader(f.in)
		if err != nil {
			return f.damaged(err)
		}
		f.out, f.close = z, func() { z.Close() }
	case len(magic) == 4 && (bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2a, 0x4d, 0x18})):
		f.packed = true
		window := uint64(zstdWindow)
		if f.trusted {
			window = 1 << 31
		}
		// The decoder starts no goroutines, so it stops when reading stops.
		z, err := zstd.NewReader(f.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return f.damaged(err)
		}
		f.out, f.close = z, z.Close
	}
	return nil
}

func (f *inflater) damaged(err error) error {
	if f.below != nil { // The fault of the stream explains whatever the decoder made of it.
		return files.InputFault("cannot read", f.name, f.below)
	}
	what := "is damaged"
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		what = "is truncated"
	case f.written > 0 && (errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrMagicMismatch)):
		what = "is followed by other bytes"
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrWindowSizeTooSmall):
		what = "has an unusual window size"
	}
	// The error is wrapped as text, so an io.EOF in it does not pass for the end of the rows.
	return fail.New(fail.Input, "compressed stream %s near byte %d: %v", what, f.consumed(), err).
		At(f.name, 0, 0)
}

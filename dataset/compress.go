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
	// bombFloor and bombRatio: real text shrinks by less than 100, gzip by 1032 at the very most.
	bombFloor = 64 << 20
	bombRatio = 1000
	// zstdWindow bounds what a frame header can make the decoder allocate: up to zstd -19, and as much as the format's
	// description asks of every decoder.
	zstdWindow = 8 << 20
)

// openFile opens a file for reading, "-" being standard input. Directories are refused here because reading one gives
// an error that names no reason.
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

// inflater reads a stream that may be compressed, which its first bytes tell, and turns faults into fail.Input with the
// offset in the compressed bytes.
//
// Both decoders report a stream that ends early, verify its checksum (zstd: where the frame has one, as all common tools
// write it) and go on with a further member or frame if one follows; anything else behind the end is a fault.
type inflater struct {
	name    string
	trusted bool          // no limits: see ReadOptions.TrustCompressed
	in      *bufio.Reader // the stream as it is
	fetched int64         // bytes that in has taken from below, including those that it still holds
	below   error         // why no more could be taken, other than by the end
	out     io.Reader     // the stream as text; nil until the first read
	close   func()        // frees the decoder
	packed  bool          // out is a decoder
	written int64         // bytes that it gave
}

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

// readerFunc is a function as an io.Reader.
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
		if err != nil && err != io.EOF {
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
		return n, fail.New(fail.Input, "%d compressed bytes gave more than %d times as many: a decompression bomb?", consumed, bombRatio).
			At(f.name, 0, 0).WithHint("trust the compressed file explicitly if it is yours")
	}
	return n, err
}

// consumed is how many bytes of the stream as it is the decoder has taken.
func (f *inflater) consumed() int64 { return f.fetched - int64(f.in.Buffered()) }

// start looks at the magic bytes: 1f 8b for gzip, 28 b5 2f fd (or a skippable frame, 5x 2a 4d 18) for zstd.
func (f *inflater) start() error {
	f.out = f.in
	magic, _ := f.in.Peek(4) // an error shows again on reading
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
		// One goroutine, ours: decoding stops when reading stops.
		z, err := zstd.NewReader(f.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return f.damaged(err)
		}
		f.out, f.close = z, z.Close
	}
	return nil
}

func (f *inflater) damaged(err error) error {
	if f.below != nil { // whatever the decoder made of it
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
	// Wrapped as text: an io.EOF below must not pass for the end of the rows.
	return fail.New(fail.Input, "compressed stream %s near byte %d: %v", what, f.consumed(), err).At(f.name, 0, 0)
}

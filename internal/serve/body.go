package serve

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"bigmkl/internal/fail"
)

// errEncoding means that a body is in a coding that is not read.
var errEncoding = errors.New("unknown coding")

// leastWindow is a window that a frame of zstd may always have: encoders use it for the smallest bodies.
const leastWindow = 128 << 10

// mostDropped is how many times the largest body is read and dropped of one that is too long.
const mostDropped = 16

// dropBody reads the rest of a body that is too long. Then its client sees the answer: many clients send all of a
// body before they read, and the end of the connection would take the answer from them. A client that waits for
// leave to send gets none. The deadline of the connection bounds the time.
func dropBody(r *http.Request, most int64) {
	if r.Header.Get("Expect") == "" && r.ContentLength <= mostDropped*most {
		_, _ = io.CopyN(io.Discard, r.Body, mostDropped*most)
	}
}

// readBody reads the body of a request, which may be compressed. Neither what is sent nor what it expands to
// may exceed most bytes. The window of a frame is bounded likewise, since its header makes the decoder allocate it.
func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	sent := &noted{Reader: http.MaxBytesReader(w, r.Body, most)}
	var packed io.Reader
	switch coding := strings.ToLower(strings.Join(r.Header.Values("Content-Encoding"), ",")); coding {
	case "", "identity":
		return io.ReadAll(sent)
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(sent)
		if err != nil {
			return nil, sent.explain(err)
		}
		defer z.Close()
		packed = z
	case "zstd":
		// The decoder starts no goroutines.
		z, err := zstd.NewReader(sent, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(uint64(max(most, leastWindow))))
		if err != nil {
			return nil, sent.explain(err)
		}
		defer z.Close()
		packed = z
	default:
		return nil, errEncoding
	}
	body, err := io.ReadAll(io.LimitReader(packed, most+1))
	switch {
	case err != nil:
		return nil, sent.explain(err)
	case int64(len(body)) > most:
		return nil, &http.MaxBytesError{Limit: most}
	}
	return body, nil
}

// noted is a reader that keeps the error at which it ended.
type noted struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (n *noted) Read(p []byte) (int, error) {
	k, err := n.Reader.Read(p)
	if err != nil && err != io.EOF {
		n.err = err
	}
	return k, err
}

// explain returns why a body could not be decompressed: the fault of the connection if it has one, and else that of
// the bytes.
func (n *noted) explain(err error) error {
	switch {
	case n.err != nil:
		return n.err
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fail.New(fail.Budget, "the window of the compressed body is larger than a body may be").WithHint("a lower level of compression, or none")
	}
	return fail.New(fail.Input, "the compressed body is damaged or cut short")
}

package serve

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A conn gives net/http one request after the other, each with a head that no two parsers read in
// different ways. What net/http would reject by itself, with a text, becomes a request for a path that
// nobody else knows, so its answer is the object of every other rejection and is counted like it.

const (
	mostHead  = 20 << 10 // bytes of a head
	headTime  = 5 * time.Second
	readAhead = 4 << 10 // bytes that are read at once where a head is expected

	// leastDigits is a length that no int64 holds, and no limit allows.
	leastDigits = 19
)

// rejection is what is wrong with a head.
type rejection struct {
	code          int
	message, hint string
}

// conn is a connection of a client. One goroutine reads at a time, as net/http does.
type conn struct {
	net.Conn
	// rejecting is the head of the request in place of a rejected one, and rejected states why.
	rejecting string
	rejected  rejection

	raw   []byte // what has come and belongs to no request yet
	ready []byte // what is left of the head in hand
	body  int64  // bytes of the body in hand that have not been handed over
	last  bool   // nothing that follows is a request
	used  bool   // a head has been handed over

	mu       sync.Mutex
	deadline time.Time // of reading, as net/http has set it
}

// listener makes conns.
type listener struct {
	net.Listener
	rejecting string
}

// Accept waits for the next connection.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, rejecting: l.rejecting}, nil
}

// CloseWrite lets net/http end an answer before the client has sent all, without a reset that would
// take the answer with it.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// SetReadDeadline keeps the time that net/http gives.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return c.Conn.SetReadDeadline(t)
}

// hurry gives a head that has begun its time, which net/http counts from the last answer on. While an
// answer is made there is no deadline, and none in the past is undone, by which net/http ends a Read.
func (c *conn) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := time.Now().Add(headTime); t.Before(c.deadline) {
		c.deadline = t
		c.Conn.SetReadDeadline(t)
	}
}

// Read implements io.Reader.
func (c *conn) Read(p []byte) (int, error) {
	for len(p) > 0 {
		switch {
		case len(c.ready) > 0:
			n := copy(p, c.ready)
			c.ready = c.ready[n:]
			return n, nil
		case c.body > 0:
			p = p[:min(int64(len(p)), c.body)]
			n, err := copy(p, c.raw), error(nil)
			if c.raw = c.raw[n:]; n == 0 {
				n, err = c.Conn.Read(p)
			}
			c.body -= int64(n)
			return n, err
		case c.last: // To read what is left spares the client a reset.
			if _, err := c.Conn.Read(p); err != nil {
				return 0, err
			}
		default:
			if err := c.readHead(); err != nil {
				return 0, err
			}
		}
	}
	return 0, nil
}

// preface is what a client of HTTP/2 sends first.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// readHead waits for a whole head. It may be called again after an error.
func (c *conn) readHead() error {
	for begun := false; ; {
		c.raw = bytes.TrimLeft(c.raw, "\r\n") // which old clients send behind a body
		if len(c.raw) > 0 && !begun {
			begun = true
			c.hurry()
		}
		if !c.used && bytes.HasPrefix(c.raw, []byte(preface)) {
			// Frames have lengths, which leave no doubt where a request ends.
			c.ready, c.raw, c.body = c.raw, nil, 1<<63-1
			return nil
		}
		end := endOfHead(c.raw)
		if !c.used && len(c.raw) < len(preface) && strings.HasPrefix(preface, string(c.raw)) {
			end = 0 // It may become the preface yet.
		}
		if end > mostHead || end == 0 && len(c.raw) > mostHead {
			c.reject(rejection{http.StatusRequestHeaderFieldsTooLarge, "the head of the request is too large", "20 KiB at most"})
			return nil
		}
		if end > 0 {
			c.take(c.raw[:end], c.raw[end:])
			return nil
		}
		c.raw = slices.Grow(c.raw, readAhead)
		n, err := c.Conn.Read(c.raw[len(c.raw) : len(c.raw)+readAhead])
		c.raw = c.raw[:len(c.raw)+n]
		if n == 0 && err != nil {
			return err
		}
	}
}

// endOfHead returns the number of bytes up to the first empty line, that included, or 0.
func endOfHead(b []byte) int {
	for at := 0; ; {
		n := bytes.IndexByte(b[at:], '\n')
		if n < 0 {
			return 0
		}
		if at += n + 1; bytes.HasPrefix(b[at:], []byte("\n")) {
			return at + 1
		} else if bytes.HasPrefix(b[at:], []byte("\r\n")) {
			return at + 2
		}
	}
}

// take hands over a head, or rejects it. rest is what has come behind it.
func (c *conn) take(head, rest []byte) {
	c.used = true
	r, why := readStrictly(head)
	if why != nil {
		c.reject(*why)
		return
	}
	c.ready, c.raw, c.body = head, rest, max(r.ContentLength, 0)
	if len(r.TransferEncoding) > 0 {
		// Chunks are net/http's to read, and nothing behind them is a request.
		line := bytes.IndexByte(head, '\n') + 1
		c.ready = slices.Concat(head[:line], []byte("Connection: close\r\n"), head[line:])
		c.body, c.last = 1<<63-1, true
	}
}

// reject hands over a request whose answer is the rejection.
func (c *conn) reject(why rejection) {
	c.rejected, c.ready, c.raw, c.last = why, []byte(c.rejecting), nil, true
}

// readStrictly reads a head, or reports what is wrong with it.
func readStrictly(head []byte) (*http.Request, *rejection) {
	bad := func(message, hint string) (*http.Request, *rejection) {
		return nil, &rejection{http.StatusBadRequest, message, hint}
	}
	fields := map[string][]string{}
	_, rest, _ := strings.Cut(string(head), "\n")
	for line := range strings.Lines(rest) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if value = strings.Trim(value, " \t"); !ok || !isToken(name) || strings.ContainsFunc(value, isControl) {
			return bad("a line of the head is no field", "Name: value")
		}
		name = strings.ToLower(name)
		fields[name] = append(fields[name], value)
	}
	lengths, codings, hosts := fields["content-length"], fields["transfer-encoding"], fields["host"]
	switch {
	case len(lengths) > 0 && len(codings) > 0:
		return bad("Content-Length beside Transfer-Encoding", "send one of them")
	case len(codings) > 1 || len(codings) == 1 && !strings.EqualFold(codings[0], "chunked"):
		return nil, &rejection{http.StatusNotImplemented, "the transfer coding is not read", "Transfer-Encoding: chunked, or none"}
	case len(lengths) > 1:
		return bad("Content-Length comes twice", "")
	case len(lengths) == 1 && (lengths[0] == "" || !consists(lengths[0], "0123456789")):
		return bad("Content-Length is no number", "")
	case len(lengths) == 1 && len(strings.TrimLeft(lengths[0], "0")) >= leastDigits:
		return nil, &rejection{http.StatusRequestEntityTooLarge, "the body is too large", "send several requests"}
	case len(hosts) > 1 || len(hosts) == 1 && !consists(hosts[0], hostBytes):
		return bad("Host comes twice or is no name", "")
	case len(fields["expect"]) > 0 && !slices.EqualFunc(fields["expect"], []string{"100-continue"}, strings.EqualFold):
		return nil, &rejection{http.StatusExpectationFailed, "the expectation is not known", "Expect: 100-continue"}
	}
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
	switch {
	case err != nil:
		return bad("this is no request of HTTP", "")
	case r.ProtoMajor != 1 || r.ProtoMinor > 1:
		return nil, &rejection{http.StatusHTTPVersionNotSupported, "the version of HTTP is not spoken", "HTTP/1.1"}
	case r.ProtoMinor == 1 && len(hosts) == 0:
		return bad("the request has no Host", "")
	case r.ProtoMinor == 0 && len(codings) > 0:
		return bad("HTTP/1.0 has no Transfer-Encoding", "HTTP/1.1")
	}
	return r, nil
}

// letters are the letters of tokens and of names of hosts.
const (
	letters   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	hostBytes = letters + "!$%&'()*+,-.:;=[]_~"
)

// isToken reports whether a text may be the name of a field.
func isToken(s string) bool {
	return s != "" && consists(s, letters+"!#$%&'*+-.^_`|~")
}

// consists reports whether a text has no other bytes than these.
func consists(s, of string) bool {
	for i := range len(s) {
		if strings.IndexByte(of, s[i]) < 0 {
			return false
		}
	}
	return true
}

// isControl reports whether a character may not be in the value of a field.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// Package access decides who may use a server: a token that requests have to bring, and the certificate
// by which the server is known.
//
// Purpose. A Token compares what a request brings with a secret. A Certificate reads a certificate and its key from files, and
// again when it is told to, so a renewed one needs no new process.
//
// Invariants. The comparison takes the same time wherever a wrong token differs. A certificate that cannot be read leaves the
// one that was there.
//
// Concurrency. All methods may be called at the same time.
package access

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// mostBytes bounds the files of this package.
const mostBytes = 1 << 20

// The numbers of characters that a token may have. Sixteen of base64 are 96 bits.
const leastToken, mostToken = 16, 4096

// Token is a secret. A nil one admits every request.
type Token struct{ hash [sha256.Size]byte }

// ReadToken reads a token from a file that has nothing else in it but white space around it.
func ReadToken(path string) (*Token, error) {
	text, err := read(path, "token")
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSpace(text)
	if len(text) < leastToken || len(text) > mostToken || bytes.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fail.New(fail.Input, "a token has %d to %d printable characters of ASCII and no blanks", leastToken, mostToken).At(path, 0, 0).
			WithHint("openssl rand -base64 32 writes one")
	}
	return &Token{sha256.Sum256(text)}, nil
}

// Admits reports whether a request brings the token, as Authorization: Bearer.
func (t *Token) Admits(r *http.Request) bool {
	if t == nil {
		return true
	}
	fields := r.Header.Values("Authorization")
	if len(fields) != 1 {
		return false
	}
	scheme, text, _ := strings.Cut(fields[0], " ")
	hash := sha256.Sum256([]byte(strings.TrimSpace(text)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(hash[:], t.hash[:]) == 1
}

// Certificate is a certificate with its key.
type Certificate struct {
	cert, key string
	current   atomic.Pointer[tls.Certificate]
}

// ReadCertificate reads a certificate with those that lead to a root behind it, and its key, both as PEM.
func ReadCertificate(cert, key string) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key}
	return c, c.Reload()
}

// Reload reads the files again. After an error the certificate stays what it was.
func (c *Certificate) Reload() error {
	if c == nil {
		return nil
	}
	cert, err := read(c.cert, "certificate")
	if err != nil {
		return err
	}
	key, err := read(c.key, "key")
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		// The text of the error names kinds of blocks and keys, and quotes neither.
		return fail.New(fail.Input, "no certificate with the key %s: %s", fail.Quote(c.key), fail.Line(err.Error())).At(c.cert, 0, 0)
	}
	c.current.Store(&pair)
	return nil
}

// Config returns how connections are encrypted: by TLS 1.2 or 1.3, for HTTP/1.1 and HTTP/2.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
	}
}

// read reads a small file.
func read(path, what string) ([]byte, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, files.InputFault("cannot open the "+what, path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return nil, files.InputFault("cannot read the "+what, path, err)
	}
	if len(text) > mostBytes {
		return nil, fail.New(fail.Input, "the %s has more than 1 MiB", what).At(path, 0, 0)
	}
	return text, nil
}

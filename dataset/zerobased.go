package dataset

import (
	"bytes"

	"bigmkl/internal/fail"
)

// These are the values of ReadOptions.ZeroBased.
const (
	zeroYes  = "yes"
	zeroNo   = "no"
	zeroAuto = "auto"
)

// ZeroBased lists the values of ReadOptions.ZeroBased.
var ZeroBased = []string{zeroYes, zeroNo, zeroAuto}

// zeroHint is the hint for text that counts from 0.
const zeroHint = "--zero-based yes reads indices that count from 0"

// zeroComment is how scikit-learn's dump_svmlight_file writes in a comment that its text counts from
// 0, which is its default.
var zeroComment = []byte("indices are zero-based")

// zeroBased looks at a line of text for whether indices count from 0. A comment before the first row
// reports this. Without one, auto looks at as much of the text as is in memory: what counts from 0
// nearly always has its first feature early. Text that turns out otherwise later is rejected by the
// parser, and never read by a number that is off by one.
func (r *Reader) zeroBased(line []byte) error {
	if r.decided {
		return nil
	}
	o := r.options.ZeroBased
	if o == zeroYes {
		r.parser.zero = 1
	}
	start := skipBlanks(line, 0)
	comment := start < len(line) && line[start] == '#'
	switch {
	case o == zeroYes || o == zeroNo:
		r.decided = true
	case comment && bytes.Contains(line, zeroComment):
		if o != zeroAuto {
			return fail.New(fail.Input, "the comment says that indices count from 0").
				WithHint("%s, and --zero-based no those that count from 1", zeroHint)
		}
		r.parser.zero, r.decided = 1, true
	case comment || start == len(line):
	default:
		r.decided = true
		if o == zeroAuto && (hasZero(line) || hasZero(r.current.ahead())) {
			r.parser.zero = 1
		}
	}
	return nil
}

// hasZero reports whether text has the index 0 outside of comments.
func hasZero(text []byte) bool {
	for line := range bytes.Lines(text) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		for _, pair := range [][]byte{[]byte(" 0:"), []byte("\t0:")} {
			if bytes.Contains(line, pair) || bytes.HasPrefix(line, pair[1:]) {
				return true
			}
		}
	}
	return false
}

// ahead returns what has been read of the text behind the latest line.
func (l *lines) ahead() []byte { return l.buf[l.start:l.end] }

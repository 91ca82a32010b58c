package labeltext

import "bytes"

// Quoted returns the text of the word in quotes that b begins with, and the number of bytes of the word with its quotes.
// Two quotes within the word represent one, as in RFC 4180. If b does not begin with such a word, ok is false.
func Quoted(b []byte) (text []byte, n int, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, 0, false
	}
	doubled := false
	for i := 1; i < len(b); i++ {
		switch {
		case b[i] != '"':
		case i+1 < len(b) && b[i+1] == '"':
			doubled = true
			i++
		case doubled:
			return bytes.ReplaceAll(b[1:i], []byte(`""`), []byte(`"`)), i + 1, true
		default:
			return b[1:i], i + 1, true
		}
	}
	return nil, 0, false
}

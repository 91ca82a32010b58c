package fail

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// These constants bound what messages show of data and files. A token suffices to find the place,
// and a message must not be a copy of the data.
const (
	mostQuoted = 32 // mostQuoted is the largest number of bytes shown of a token.
	mostListed = 10 // mostListed is the largest number of tokens shown of a list.
	mostOfLine = 1 << 10
)

// Quote quotes at most 32 bytes of a token of the command line or of a file that this program
// wrote.
func Quote[T ~string | ~[]byte](s T) string { return quote(s, len(s)) }

// Word quotes a word of the data. A word with several commas is most likely a row in a format that
// is not read, so only its first column is shown.
func Word[T ~string | ~[]byte](s T) string {
	start := string(s[:min(len(s), mostQuoted)])
	first := strings.IndexFunc(start, separates)
	if first > 0 && strings.ContainsFunc(start[first+1:], separates) {
		return quote(s, first)
	}
	return Quote(s)
}

// quote quotes the first bytes of a token and reports this if there are more.
func quote[T ~string | ~[]byte](s T, first int) string {
	text := head(string(s[:min(len(s), mostQuoted+utf8.UTFMax)]), min(first, mostQuoted))
	if len(text) < len(s) {
		return strconv.Quote(text) + "..."
	}
	return strconv.Quote(text)
}

// Label returns a label as it is if it is a short word, and quotes it as Word does otherwise.
func Label[T ~string | ~[]byte](s T) string {
	plain := len(s) > 0 && len(s) <= mostQuoted && utf8.ValidString(string(s)) &&
		!strings.ContainsFunc(string(s), func(r rune) bool {
			return separates(r) || unicode.IsControl(r)
		})
	if plain {
		return string(s)
	}
	return Word(s)
}

// Name returns a name that may have blanks, such as "drug and target", as Label does, but not cut at its blanks.
func Name(s string) string {
	if text := Label(s); text == s {
		return text
	}
	return Quote(s)
}

// Path returns the name of a file as it is, so it can be copied, and quotes all of it if it has
// control characters, which a terminal would obey, or bytes that are not UTF-8, which may be
// such.
func Path(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl) {
		return name
	}
	return strconv.Quote(name)
}

// Columns reports whether a word may be a row of comma-separated values or of a table with other
// separators.
func Columns[T ~string | ~[]byte](s T) bool {
	return strings.ContainsFunc(string(s), separates)
}

func separates(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) }

// Cut returns at most 32 bytes of a text that needs no quotes, such as the specification of a
// kernel.
func Cut(s string) string {
	if len(s) <= mostQuoted {
		return s
	}
	return head(s, mostQuoted-2) + ".."
}

// List joins the first of many tokens for a message.
func List(shown func(i int) string, n int) string {
	var parts []string
	for i := range min(n, mostListed) {
		parts = append(parts, shown(i))
	}
	if n > mostListed {
		parts = append(parts, "..")
	}
	return strings.Join(parts, ", ")
}

// Decoding returns the text of an error of encoding/json without the value at fault, which the
// error may quote in full.
func Decoding(err error) string {
	var kind *json.UnmarshalTypeError
	var form *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		what, _, _ := strings.Cut(kind.Value, " ")
		return fmt.Sprintf("a JSON %s where there should be a %s", what, kind.Type)
	case errors.As(err, &form):
		return form.Error() // It quotes one letter.
	}
	return Quote(err.Error())
}

// Line turns a text into one line of bounded length. It leaves the middle of a long text out,
// because the name of a file comes first and the hint comes last. Control characters that are not
// quoted in the text are escaped as in quotes.
func Line(s string) string {
	s = escape(strings.Join(strings.FieldsFunc(s, isBreak), " "))
	if len(s) <= mostOfLine {
		return s
	}
	const end = mostOfLine / 3
	tail := s[len(s)-end:]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return head(s, mostOfLine-end-len(" .. ")) + " .. " + tail
}

// escape writes control characters, and bytes that are not UTF-8, as quotes would have them.
func escape(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) {
			quoted := strconv.Quote(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// isBreak reports whether a rune is a line break or a tab. Blanks are none, because names of files
// may contain several.
func isBreak(r rune) bool { return r == '\n' || r == '\r' || r == '\t' || r == '\v' || r == '\f' }

// head returns at most the given number of bytes of a text and does not cut a letter.
func head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for cut := most; cut > max(0, most-utf8.UTFMax); cut-- {
		if utf8.RuneStart(s[cut]) {
			return s[:cut]
		}
	}
	return s[:most] // The bytes are not UTF-8.
}

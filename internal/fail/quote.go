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

// What messages show of data and files: a token tells the place, and a message is no copy of the data.
const (
	mostQuoted = 32 // bytes of a token
	mostListed = 10 // tokens of a list
	mostOfLine = 1 << 10
)

// Quote quotes a token of a file of ours or of the command line, at most 32 bytes of it.
func Quote[T ~string | ~[]byte](s T) string { return quote(s, len(s)) }

// Word quotes a word of the data. One with several commas within is a row of a format that is not read: its first column is shown.
func Word[T ~string | ~[]byte](s T) string {
	start := string(s[:min(len(s), mostQuoted)])
	first := strings.IndexFunc(start, separates)
	if first > 0 && strings.ContainsFunc(start[first+1:], separates) {
		return quote(s, first)
	}
	return Quote(s)
}

// quote quotes the first bytes of a token, and says so if there are more.
func quote[T ~string | ~[]byte](s T, first int) string {
	text := head(string(s[:min(len(s), mostQuoted+utf8.UTFMax)]), min(first, mostQuoted))
	if len(text) < len(s) {
		return strconv.Quote(text) + "..."
	}
	return strconv.Quote(text)
}

// Label gives the label of a row as it is, if it is a short word, and else quotes it as Word does.
func Label[T ~string | ~[]byte](s T) string {
	plain := len(s) > 0 && len(s) <= mostQuoted && utf8.ValidString(string(s)) &&
		!strings.ContainsFunc(string(s), func(r rune) bool { return separates(r) || unicode.IsControl(r) })
	if plain {
		return string(s)
	}
	return Word(s)
}

// Columns tells a word that may be a row of comma-separated values, or of a table with other separators.
func Columns[T ~string | ~[]byte](s T) bool {
	return strings.ContainsFunc(string(s), separates)
}

func separates(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) }

// Cut gives at most 32 bytes of a text that needs no quotes, such as the specification of a kernel.
func Cut(s string) string {
	if len(s) <= mostQuoted {
		return s
	}
	return head(s, mostQuoted-2) + ".."
}

// List joins what messages show of the first of many tokens.
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

// Decoding words an error of encoding/json without the value that it is about, which the error may quote whole.
func Decoding(err error) string {
	var kind *json.UnmarshalTypeError
	var form *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		what, _, _ := strings.Cut(kind.Value, " ")
		return fmt.Sprintf("a JSON %s where there should be a %s", what, kind.Type)
	case errors.As(err, &form):
		return form.Error() // which quotes one letter
	}
	return Quote(err.Error())
}

// Line makes a text one line of bounded length. Of one that is too long the middle is left out: names of files come first and what
// is to be done comes last.
func Line(s string) string {
	s = strings.Join(strings.FieldsFunc(s, isBreak), " ")
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

// isBreak tells line breaks, and tabs, from blanks, which names of files may contain more than one of.
func isBreak(r rune) bool { return r == '\n' || r == '\r' || r == '\t' || r == '\v' || r == '\f' }

// head gives at most so many bytes of a text, and no part of a letter.
func head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for cut := most; cut > max(0, most-utf8.UTFMax); cut-- {
		if utf8.RuneStart(s[cut]) {
			return s[:cut]
		}
	}
	return s[:most] // no text
}

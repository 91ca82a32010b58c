package objects

import (
	"bytes"

	"bigmkl/internal/dataset/labeltext"
)

// isBlank reports whether a byte separates words of a line without commas.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// skipBlanks returns the place of the first byte from i on that is not a blank.
func skipBlanks(line []byte, i int) int {
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	return i
}

// quotedWord returns the word in quotes at a place, and the place behind it. A quote that is not closed, or has another
// byte than a separator behind it, is a part of a word without quotes.
func quotedWord(line []byte, at int, comma bool) (word []byte, end int, ok bool) {
	word, n, ok := labeltext.Quoted(line[at:])
	end = at + n
	if next := skipBlanks(line, end); ok && next < len(line) {
		ok = comma && line[next] == ',' || !comma && next > end
	}
	return word, end, ok
}

// hasComma reports whether a line has a comma outside of quotes. Commas then separate its words.
func hasComma(line []byte) bool {
	for i := 0; i < len(line); i++ {
		if start := i == 0 || isBlank(line[i-1]); start {
			if _, n, ok := labeltext.Quoted(line[i:]); ok {
				i += n - 1
				continue
			}
		}
		if line[i] == ',' {
			return true
		}
	}
	return false
}

// split cuts a line into words at its commas or at its blanks, and returns where each starts. A word in quotes may have
// any of them.
func split(line []byte, comma bool) (words [][]byte, starts []int) {
	separators := " \t"
	if comma {
		separators = ","
	}
	for i := 0; ; i++ {
		i = skipBlanks(line, i)
		if !comma && i == len(line) {
			return words, starts
		}
		word, end, ok := quotedWord(line, i, comma)
		if !ok {
			n := bytes.IndexAny(line[i:], separators)
			if n < 0 {
				n = len(line) - i
			}
			word, end = bytes.TrimRight(line[i:i+n], " \t"), i+n
		}
		words, starts = append(words, word), append(starts, i)
		if i = skipBlanks(line, end); i == len(line) { // A comma at the end has an empty word behind it.
			return words, starts
		}
		if !comma {
			i-- // Words are separated by blanks, which were skipped.
		}
	}
}

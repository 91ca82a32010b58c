package kernelspec

import (
	"slices"
	"strings"
	"unicode"

	"bigmkl/internal/fail"
)

// clip quotes a part of a specification for a message, and cuts it short.
func clip(s string) string { return fail.Quote(s) }

// usage returns an error of class fail.Usage that names the specification.
func usage(text string, err error) *fail.Error {
	return fail.New(fail.Usage, "kernel %s: %s", fail.Quote(text), err)
}

// maxText is the largest length of one specification in bytes.
const maxText = 1 << 20

// projectionPrefix begins a kernel on features that are learned, which package projection reads. Lists
// may hold it, and it cannot be expanded.
const projectionPrefix = "proj("

// isProduct reports whether a specification is a product or a power.
func isProduct(text string) bool {
	return strings.HasPrefix(text, "prod(") || strings.HasPrefix(text, "pow(")
}

// closing returns the end of the parentheses of a product or pair at the start of a text. It returns the
// length of the text if they stay open, and 0 if the text does not start with one.
func closing(text string) int {
	if !isProduct(text) && !isPair(text) &&
		!strings.HasPrefix(text, projectionPrefix) {
		return 0
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// next splits the first specification off a list, up to a comma outside the parentheses of a
// product.
func next(list string) (first, rest string, more bool) {
	from := len(list) - len(strings.TrimLeftFunc(list, unicode.IsSpace))
	from += closing(list[from:])
	i := strings.IndexByte(list[from:], ',')
	if i < 0 {
		return list, "", false
	}
	return list[:from+i], list[from+i+1:], true
}

// Suffix returns the attributes at the end of a specification with the blank before them, or "" if
// there are none.
func Suffix(text string) string { return text[len(bare(text)):] }

// bare returns a specification without its attributes.
func bare(text string) string {
	end := closing(text)
	for {
		i := strings.LastIndexAny(text, " \t")
		if end > 0 && i < end {
			return text
		}
		if name, _, ok := strings.Cut(text[i+1:], "="); !ok ||
			!slices.Contains([]string{"group", "prior", "cost", "norm", "copies", "gate", "missing"}, name) {
			return text
		}
		text = strings.TrimRight(text[:max(i, 0)], " \t")
	}
}

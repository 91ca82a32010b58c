package kernelspec

import (
	"slices"
	"strings"
	"unicode"

	"bigmkl/internal/fail"
)

// clip quotes a part of a specification.
func clip(s string) string { return fail.Quote(s) }

// usage reports what is wrong with a specification.
func usage(text string, err error) *fail.Error {
	return fail.New(fail.Usage, "kernel %s: %s", fail.Quote(text), err)
}

// maxText is the bytes of one specification.
const maxText = 1 << 20

// isProduct tells specifications of products and powers.
func isProduct(text string) bool {
	return strings.HasPrefix(text, "prod(") || strings.HasPrefix(text, "pow(")
}

// closing is the end of the parentheses of a product that a text begins with, all of it if they stay open; 0 of any other text.
func closing(text string) int {
	if !isProduct(text) {
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

// next takes the first specification off a list: up to a comma that is not within the parentheses of a product.
func next(list string) (first, rest string, more bool) {
	from := len(list) - len(strings.TrimLeftFunc(list, unicode.IsSpace))
	from += closing(list[from:])
	i := strings.IndexByte(list[from:], ',')
	if i < 0 {
		return list, "", false
	}
	return list[:from+i], list[from+i+1:], true
}

// Suffix is the attributes at the end of a specification, with the blank before them; "" if there are none.
func Suffix(text string) string { return text[len(bare(text)):] }

// bare is a specification without its attributes.
func bare(text string) string {
	end := closing(text)
	for {
		i := strings.LastIndexAny(text, " \t")
		if end > 0 && i < end {
			return text
		}
		if name, _, ok := strings.Cut(text[i+1:], "="); !ok || !slices.Contains([]string{"group", "prior", "cost", "norm"}, name) {
			return text
		}
		text = strings.TrimRight(text[:max(i, 0)], " \t")
	}
}

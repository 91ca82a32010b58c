// Package labeltext has the text of labels: the canonical names of classes, sets of classes and times, and their
// orders. Rows hold labels in this form, and so do models.
package labeltext

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bigmkl/internal/fail"
)

// Longest is the largest length in bytes of a label or of the name of a view. Such names are kept
// in memory and shown in messages.
const Longest = 1 << 10

// Canonical gives every spelling of a class the same name. Integers in any decimal form become
// plain: "+1", "1.0" and "1e0" are "1", and "-0" is "0". Other strings stay as they are. A string
// that looks like a number but is no 64-bit integer gives an error of class fail.Input, because it
// is a target of regression and not a class.
func Canonical(s string) (string, error) {
	if s == "" {
		return "", fail.New(fail.Input, "empty class label")
	}
	if len(s) > Longest {
		return "", fail.New(fail.Input, "label %s is longer than %d bytes", fail.Word(s), Longest)
	}
	if !Printable(s) {
		return "", fail.New(fail.Input, "label %s is no text", fail.Word(s)).WithHint("%s", TextHint(s))
	}
	neg, rest := s[0] == '-', s
	if s[0] == '+' || s[0] == '-' {
		rest = s[1:]
	}
	whole, fraction, exponent, ok := splitDecimal(rest)
	if !ok {
		return s, checkName(s, rest)
	}
	// The value of s is 0.digits times ten to the power of places, where digits has no zeros at
	// either end. The digits are moved as text, because a float64 would take 1.00000000000000000001
	// for an integer.
	digits, point := whole+fraction, len(whole)
	digits = strings.TrimRight(digits, "0")
	lead := len(digits) - len(strings.TrimLeft(digits, "0"))
	digits = digits[lead:]
	if digits == "" {
		return "0", nil
	}
	places := point - lead + exponent
	if places < len(digits) { // Some digits follow the point.
		return "", fail.New(fail.Input, "label %s is not an integer: regression data?", fail.Word(s)).
			WithHint("--task svr or square predicts numbers; classes are integers or names")
	}
	if places > 19 { // This avoids the long string that 1e999999 would become.
		return "", fail.New(fail.Input, "label %s is too large for a class number", fail.Word(s))
	}
	digits += strings.Repeat("0", places-len(digits))
	if neg {
		digits = "-" + digits
	}
	if _, err := strconv.ParseInt(digits, 10, 64); err != nil {
		return "", fail.New(fail.Input, "label %s is too large for a class number", fail.Word(s))
	}
	return digits, nil
}

// Printable reports whether a name is UTF-8 without control characters. A model file could not hold
// any other name, and on a terminal or in a file of predictions such a name could pass for
// something else.
func Printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// TextHint states what to do about a name that is not Printable, or is empty.
func TextHint(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "text is read as UTF-8: iconv -f WINDOWS-1252 -t UTF-8 FILE converts the text of many programs of Windows"
	case strings.Contains(s, "\r") && !strings.Contains(s, "\n"):
		return "lines end with LF or CR LF: tr '\\r' '\\n' converts lines that end with CR"
	case strings.ContainsFunc(s, unicode.IsControl):
		return "names and labels have no line ends, tabs and other control characters: replace them by blanks"
	}
	return fmt.Sprintf("a name has 1 to %d bytes", Longest)
}

// splitDecimal splits a number of the form [digits][.digits][e[sign]digits] into its parts. It
// returns ok = false for anything else. It cuts exponents to a million, where every number but zero
// is out of range anyway.
func splitDecimal(s string) (whole, fraction string, exponent int, ok bool) {
	mantissa, power := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, power = s[:i], s[i+1:]
		sign := 1
		if power != "" && (power[0] == '+' || power[0] == '-') {
			if power[0] == '-' {
				sign = -1
			}
			power = power[1:]
		}
		if power == "" || !AllDigits(power) {
			return "", "", 0, false
		}
		n, err := strconv.Atoi(power)
		if err != nil || n > 1e6 {
			n = 1e6
		}
		exponent = sign * n
	}
	whole, fraction, _ = strings.Cut(mantissa, ".")
	if whole+fraction == "" || !AllDigits(whole) || !AllDigits(fraction) {
		return "", "", 0, false
	}
	return whole, fraction, exponent, true
}

// checkName rejects names that some reader would take for numbers: those that strconv accepts
// although they are not plain decimals (NaN, Inf, 0x1p3), hexadecimal integers, and digits grouped
// as in 1_000.
func checkName(s, unsigned string) error {
	_, err := strconv.ParseFloat(s, 64)
	looksNumeric := err == nil || len(unsigned) > 1 && unsigned[0] == '0' &&
		(unsigned[1] == 'x' || unsigned[1] == 'X')
	if plain := strings.ReplaceAll(unsigned, "_", ""); plain != unsigned {
		_, _, _, ok := splitDecimal(plain)
		looksNumeric = looksNumeric || ok
	}
	if looksNumeric {
		return fail.New(fail.Input, "label %s is not an integer: regression data?", fail.Word(s)).
			WithHint("--task svr or square predicts numbers; classes are integers or names that do not " +
				"look like numbers")
	}
	return nil
}

// AllDigits reports whether a text has no other bytes than digits.
func AllDigits(s string) bool {
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return true
}

// Sort sorts class names in the order in which stores number them: by value if all names are
// integers, and as text otherwise. The names must be canonical, so every integer among them fits an
// int64.
func Sort(names []string) {
	number := make(map[string]int64, len(names))
	for _, name := range names {
		n, err := strconv.ParseInt(name, 10, 64)
		if err != nil {
			slices.Sort(names)
			return
		}
		number[name] = n
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(number[a], number[b]) })
}

// Compare orders the labels of a set: integers come first, by value, and then names, as text.
// Unlike the order of Sort, the order of two labels does not depend on the others.
func Compare(a, b string) int {
	x, notX := strconv.ParseInt(a, 10, 64)
	y, notY := strconv.ParseInt(b, 10, 64)
	switch {
	case notX == nil && notY == nil:
		return cmp.Compare(x, y)
	case notX == nil:
		return -1
	case notY == nil:
		return 1
	}
	return strings.Compare(a, b)
}

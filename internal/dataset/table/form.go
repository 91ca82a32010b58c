package table

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// form is the form of a word that is not a plain number.
type form int

const (
	wordForm      form = iota
	pointForm          // 0.5 where the decimal sign is a comma
	commaForm          // 0,5
	thousandsForm      // 1,234.5
	eitherForm         // 1,234, which is one of both
	bothForm           // 1.234,5
	signForm           // $5, 12 %, <0.1, (5)
	dateForm
	forms // forms is the number of forms.
)

// maxForm is the length in bytes up to which a word may be a number or a date.
const maxForm = 40

// formOf returns the form of a word that is not a plain number.
func formOf(word string) form {
	if len(word) > maxForm || !strings.ContainsAny(word, "0123456789") {
		return wordForm
	}
	bare := withoutSigns(word)
	f := writtenOtherwise(bare)
	switch _, plain := dataset.ParseNumber(bare); {
	case bare != word && (plain || f != wordForm):
		return signForm
	case f != wordForm:
		return f
	case isDate(word):
		return dateForm
	}
	return wordForm
}

// formOf returns the form of a word that is not a number as the options have it.
func (o *Options) formOf(word string) form {
	if _, plain := dataset.ParseNumber(word); plain {
		return pointForm
	}
	return formOf(word)
}

// writtenOtherwise returns what form of a number a word is, besides a plain one.
func writtenOtherwise(word string) form {
	is := func(comma, thousands bool) bool {
		plain, ok := plainNumber(word, comma, thousands)
		if ok {
			_, ok = dataset.ParseNumber(plain)
		}
		return ok
	}
	if _, plain := dataset.ParseNumber(word); plain {
		return wordForm
	}
	comma, thousands := is(true, false), is(false, true)
	switch {
	case comma && thousands:
		return eitherForm
	case comma:
		return commaForm
	case thousands:
		return thousandsForm
	case is(true, true):
		return bothForm
	}
	return wordForm
}

// currencies are codes and words beside amounts. Signs such as $ are known to package unicode.
var currencies = []string{"USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "SEK",
	"NOK", "DKK", "PLN", "BRL", "MXN", "ZAR", "kr", "Rs", "US", "R"}

// withoutSigns takes from a word what may stand around a number: signs and codes of currency,
// percent, bounds of detection, parentheses of accountants, and a minus that is not a hyphen.
func withoutSigns(word string) string {
	sign := func(r rune) bool {
		return unicode.Is(unicode.Sc, r) || unicode.IsSpace(r) || strings.ContainsRune("%‰<>=≤≥~±()", r)
	}
	s := word
	for {
		before := s
		s = strings.TrimFunc(s, sign)
		for _, minus := range []string{"−", "–"} {
			s = strings.TrimPrefix(s, minus)
		}
		for _, code := range currencies {
			s = strings.TrimSuffix(strings.TrimPrefix(s, code), code)
		}
		// The minus of -$5 stands before the sign.
		if rest := strings.TrimLeft(s, "-+"); len(rest) == len(s)-1 && rest != "" &&
			strings.TrimLeftFunc(rest, sign) != rest {
			s = rest
		}
		if s == before {
			return s
		}
	}
}

// layouts are forms of dates and times, as package time writes them.
var layouts = layoutsOf()

func layoutsOf() []string {
	days := []string{"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2-1-2006", "2/1/2006",
		"1/2/2006", "1-2-2006", "2.1.06", "2/1/06", "1/2/06", "2-Jan-2006", "2-Jan-06", "2 Jan 2006",
		"2 January 2006", "Jan 2, 2006", "January 2, 2006", "Jan 2 2006", "2Jan2006", "2006-01",
		"Jan 2006", "January 2006", "Jan-06", "Jan-2006"}
	times := []string{"15:04", "15:04:05", "3:04 PM", "3:04:05 PM"}
	all := slices.Concat(days, times, []string{time.RFC3339, "2006-01-02T15:04:05",
		"Mon, 02 Jan 2006 15:04:05 MST", time.ANSIC, "2006-01-02T15:04:05Z0700",
		"2006-01-02 15:04:05Z07:00"})
	for _, day := range days {
		for _, clock := range times {
			all = append(all, day+" "+clock)
		}
	}
	return all
}

// isDate reports whether a word is a date or a time.
func isDate(word string) bool {
	if !strings.ContainsAny(word, "-/.: ,") && !strings.ContainsFunc(word, unicode.IsLetter) {
		return false
	}
	return slices.ContainsFunc(layouts, func(layout string) bool {
		_, err := time.Parse(layout, word)
		return err == nil
	})
}

// hint states what to do with words of a form in the column of a name. It is empty for plain
// words.
func (f form) hint(name string) string {
	words := "--categories " + fail.Label(name) + " takes each for a word"
	leave := "--id " + fail.Label(name) + " leaves the column out"
	switch f {
	case pointForm:
		return "--decimal point reads them; " + words
	case commaForm:
		return "--decimal comma reads them; " + words
	case thousandsForm:
		return "--thousands reads them; " + words
	case eitherForm:
		return "--thousands or --decimal comma says what the comma is; " + words
	case bothForm:
		return "--decimal comma --thousands reads them; " + words
	case signForm:
		return "write plain numbers without signs; " + leave + "; " + words
	case dateForm:
		return leave + "; days since a date are a number; " + words
	}
	return ""
}

// what names the words of a form.
func (f form) what() string {
	switch f {
	case pointForm:
		return "numbers with a decimal point"
	case commaForm:
		return "numbers with a decimal comma"
	case thousandsForm, bothForm, eitherForm:
		return "numbers with separators"
	case dateForm:
		return "dates"
	}
	return "numbers with signs around them"
}

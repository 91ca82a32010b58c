package dataset

import (
	"bytes"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// timeHint states how times are written.
const timeHint = "the label of a row is its time T, T+ or -T if no event was seen until then, ..U if it came by U, or L..U"

// timeOf returns Row.Target and Row.Upper of the word b[start:end]: T, T+ or -T of a censored row, T:E with an event word E, or the bounds
// L..U, of which one may be missing.
func timeOf(b []byte, start, end int) (target, upper float64, err error) {
	word, censored := b[start:end], false
	if before, after, found := bytes.Cut(word, []byte("..")); found {
		return intervalOf(b, start, end, before, after)
	}
	if before, after, found := bytes.Cut(word, []byte(":")); found {
		event, ok := labeltext.Event(string(after[:min(len(after), fewLetters+1)]))
		if !ok {
			return 0, 0, badToken(b, start, "time %s has no event behind its colon", clip(word)).WithHint("%s", labeltext.EventHint)
		}
		word, censored = before, !event
	} else if rest, ok := bytes.CutSuffix(word, []byte("+")); ok {
		word, censored = rest, true
	} else if rest, ok := bytes.CutPrefix(word, []byte("-")); ok {
		word, censored = rest, true
	} else if bytes.HasSuffix(word, []byte("-")) && len(word) > 1 {
		// As R prints times that are censored on the left. Beside -3, which is censored on the right, it would be misread.
		return 0, 0, badToken(b, start, "time %s has its sign behind it", clip(word)).WithHint("%s", timeHint)
	}
	v, ok := plainTime(word)
	switch {
	case !ok:
		return 0, 0, badToken(b, start, "time %s is not a plain decimal number", clip(b[start:end])).WithHint("%s", timeHint)
	case v == 0:
		return 0, 0, badToken(b, start, "time %s is not above 0", clip(b[start:end])).
			WithHint("the logarithms of times are learned; half a day may stand for an event on the first")
	case censored:
		return -v, 0, nil
	}
	return v, 0, nil
}

// plainTime reads a number without a sign.
func plainTime(word []byte) (v float64, ok bool) {
	v, stop := number(word, 0)
	return v, len(word) > 0 && stop == len(word) && word[0] != '-' && word[0] != '+'
}

// intervalOf returns what timeOf does of two bounds. A lower bound that is missing or 0 excludes nothing. Bounds that are equal are the time
// of an event.
func intervalOf(b []byte, start, end int, from, to []byte) (target, upper float64, err error) {
	fault := func(format string, args ...any) error {
		return badToken(b, start, "time %s "+format, append([]any{clip(b[start:end])}, args...)...).WithHint("%s", timeHint)
	}
	if bytes.HasPrefix(to, []byte(".")) { // One of the points is decimal.
		return 0, 0, fault("has three points, where 0 goes before a decimal one")
	}
	lower, ok := plainTime(from)
	if !ok && len(from) > 0 {
		return 0, 0, fault("has a lower bound that is not a plain decimal number")
	}
	if upper, ok = plainTime(to); !ok && len(to) > 0 {
		return 0, 0, fault("has an upper bound that is not a plain decimal number")
	}
	switch {
	case len(to) == 0 && lower == 0:
		return 0, 0, fault("has no bound")
	case len(to) == 0:
		return -lower, 0, nil
	case upper == 0:
		return 0, 0, fault("has an upper bound that is not above 0")
	case lower > upper:
		return 0, 0, fault("has a lower bound above its upper bound")
	case lower == upper:
		return lower, 0, nil
	case lower == 0:
		return 0, upper, nil
	}
	return -lower, upper, nil
}

// hintTime adds how times are written to an error of a row whose label may have been taken for a feature.
func (p *parser) hintTime(err *fail.Error) error {
	if p.labeling == Times {
		return err.WithHint("%s", timeHint)
	}
	return err
}

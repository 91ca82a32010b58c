package dataset

import (
	"bytes"
	"strings"

	"bigmkl/internal/fail"
)

// EventHint names the words that Event knows.
const EventHint = "an event is 1, true, yes, event or dead, and none is 0, false, no, censored or alive"

// timeHint states how times are written.
const timeHint = "the label of a row is its time T, or T+ or -T if no event was seen until then"

// events has the words for an event and for its absence.
var events = map[string]bool{
	"1": true, "1.0": true, "true": true, "t": true, "yes": true, "y": true, "event": true, "dead": true, "died": true, "deceased": true,
	"0": false, "0.0": false, "false": false, "f": false, "no": false, "n": false, "none": false, "censored": false, "alive": false,
}

// Event reports whether a word, in capitals or not, means an event or for its absence. ok is false for any other
// word.
func Event(word string) (event, ok bool) {
	event, ok = events[strings.ToLower(word)]
	return event, ok
}

// timeOf returns the time that the word b[start:end] represents: T, T+ or -T of a censored row, or T:E with an
// event word E. It is negative where the row is censored.
func timeOf(b []byte, start, end int) (float64, error) {
	word, censored := b[start:end], false
	if before, after, found := bytes.Cut(word, []byte(":")); found {
		event, ok := Event(string(after[:min(len(after), fewLetters+1)]))
		if !ok {
			return 0, badToken(b, start, "time %s has no event behind its colon", clip(word)).WithHint("%s", EventHint)
		}
		word, censored = before, !event
	} else if rest, ok := bytes.CutSuffix(word, []byte("+")); ok {
		word, censored = rest, true
	} else if rest, ok := bytes.CutPrefix(word, []byte("-")); ok {
		word, censored = rest, true
	}
	v, stop := number(word, 0)
	switch {
	case len(word) == 0 || stop != len(word) || word[0] == '-' || word[0] == '+':
		return 0, badToken(b, start, "time %s is not a plain decimal number", clip(b[start:end])).WithHint("%s", timeHint)
	case v == 0:
		return 0, badToken(b, start, "time %s is not above 0", clip(b[start:end])).
			WithHint("the logarithms of times are learned; half a day may stand for an event on the first")
	case censored:
		return -v, nil
	}
	return v, nil
}

// hintTime adds how times are written to an error of a row whose label may have been taken for a feature.
func (p *parser) hintTime(err *fail.Error) error {
	if p.labeling == Times {
		return err.WithHint("%s", timeHint)
	}
	return err
}

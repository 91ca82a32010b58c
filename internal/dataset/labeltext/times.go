package labeltext

import (
	"math"
	"strconv"
	"strings"
)

// EventHint names the words that Event knows.
const EventHint = "an event is 1, true, yes, event or dead, and none is 0, false, no, censored or alive"

// MissingHint states why a row of a table may have no target, or no time. The row alone does not show which of its cells is missing.
func MissingHint(times bool) string {
	if times {
		return "leave the row out; in a table its cell of --time, --event or --time-upper is missing or NA"
	}
	return "leave the row out; in a table its cell of --label is missing or NA"
}

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

// TimeBounds returns the bounds of the time of a row, by its Target and Upper: 0 or +Inf where it has none, and equal ones of an event.
func TimeBounds(target, upper float64) (from, to float64) {
	switch {
	case target > 0:
		return target, target
	case upper == 0:
		return -target, math.Inf(1)
	}
	return -target, upper
}

// FormatTime returns the word that represents the time of a row, by its Target and Upper.
func FormatTime(target, upper float64) string {
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch {
	case upper == 0:
		return text(target)
	case target == 0:
		return ".." + text(upper)
	}
	return text(-target) + ".." + text(upper)
}

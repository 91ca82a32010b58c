package table

import (
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// label returns the label of a record as the labels of text are written, or nothing if the record has none. Of times, other columns may have
// the event or the upper bound.
func (s *Source) label(record []string) (string, error) {
	p := s.plan
	label := s.labelField(record[p.label])
	if p.upper >= 0 && s.options.Labels == dataset.Times {
		return interval(label, s.labelField(record[p.upper])), nil
	}
	if label == "" || p.event < 0 || s.options.Labels != dataset.Times {
		return label, nil
	}
	word := strings.TrimSpace(record[p.event])
	if s.options.unlabelled(word) {
		return "", nil
	}
	event, ok := dataset.Event(word)
	if !ok {
		return "", s.records.fault(p.event, "%s of column %s says neither that there was an event nor that there was none",
			fail.Word(word), fail.Label(s.columns.Event)).WithHint("%s", dataset.EventHint)
	}
	if !event {
		label += "+"
	}
	return label, nil
}

// labelField returns the label of a field, with a number in its plain form, or nothing if the field has none.
func (s *Source) labelField(field string) string {
	label := strings.TrimSpace(field)
	if s.options.unlabelled(label) {
		return ""
	}
	if s.options.Labels.Numeric() && (s.options.Decimal == DecimalComma || s.options.Thousands) {
		if plain, ok := plainNumber(label, s.options.Decimal == DecimalComma, s.options.Thousands); ok {
			return plain
		}
	}
	return label
}

// interval returns the word for a time between two bounds. As in R and lifelines, infinity is no upper bound and 0 no lower one. Without
// either there is no time.
func interval(lower, upper string) string {
	switch strings.ToLower(strings.TrimLeft(upper, "+")) {
	case "inf", "infinity":
		upper = ""
	}
	switch strings.ToLower(lower) {
	case "0", "0.0", "-inf", "-infinity":
		lower = ""
	}
	if lower == "" && upper == "" {
		return ""
	}
	// Beside the two points of an interval, a decimal point that begins or ends a number would be a third.
	if strings.HasPrefix(upper, ".") {
		upper = "0" + upper
	}
	return strings.TrimSuffix(lower, ".") + ".." + upper
}

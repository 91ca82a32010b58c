package table

import (
	"math"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// labelOf returns the label of a record as the labels of text are written, or nothing if the record has none. Of times, other columns may have
// the event or the upper bound.
func (p *plan) labelOf(record []string, o *Options, r *records) (string, error) {
	label := o.labelField(record[p.label])
	if p.upper >= 0 && o.Labels == dataset.Times {
		return interval(label, o.labelField(record[p.upper])), nil
	}
	if label == "" || p.event < 0 || o.Labels != dataset.Times {
		return label, nil
	}
	// The marks of a lone column of times, such as the sign of a censored row, would overrule the event.
	if t, ok := dataset.ParseNumber(label); !ok || t < 0 || strings.HasPrefix(label, "+") || math.Signbit(t) {
		return "", r.fault(p.label, "time %s is not a plain decimal number above 0", fail.Word(label)).
			WithHint("column %s has the event of each time", fail.Label(p.columns.Event))
	} else if t == 0 {
		return label, nil // Another message names a way out.
	}
	word := strings.TrimSpace(record[p.event])
	if o.unlabelled(word) {
		return "", nil
	}
	event, ok := labeltext.Event(word)
	if !ok {
		return "", r.fault(p.event, "%s of column %s says neither that there was an event nor that there was none",
			fail.Word(word), fail.Label(p.columns.Event)).WithHint("%s", labeltext.EventHint)
	}
	if !event {
		label += "+"
	}
	return label, nil
}

// labelField returns the label of a field, with a number in its plain form, or nothing if the field has none.
func (o *Options) labelField(field string) string {
	label := strings.TrimSpace(field)
	if o.unlabelled(label) {
		return ""
	}
	if o.Labels.Numeric() && (o.Decimal == DecimalComma || o.Thousands) {
		if plain, ok := plainNumber(label, o.Decimal == DecimalComma, o.Thousands); ok {
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

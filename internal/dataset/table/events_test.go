package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// rowsOf reads the rows of a table of times up to an error, and its columns if there is none.
func rowsOf(t *testing.T, text string, o Options, take func(r dataset.Row)) (*dataset.Columns, error) {
	o.Labels = dataset.Times
	s, err := Open(context.Background(), []string{put(t, "t.csv", text)}, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for {
		r, err := s.Next()
		if err == io.EOF {
			return s.Columns(), nil
		}
		if err != nil {
			return nil, err
		}
		take(r)
	}
}

// timesOf reads the times of a table of one feature, NaN for rows without.
func timesOf(t *testing.T, text string, o Options) (times []float64, columns *dataset.Columns, err error) {
	columns, err = rowsOf(t, text, o, func(r dataset.Row) {
		if len(r.Index) != 1 {
			t.Errorf("features %v", r.Index)
		}
		times = append(times, r.Target)
	})
	return times, columns, err
}

// TestEvents: a column marks the times of events, in any of its words, and is not a feature.
func TestEvents(t *testing.T) {
	o := Options{Label: "t", Event: "d"}
	times, columns, err := timesOf(t, "a,d,t\n1,yes,3\n2,no,4.5\n3,1,5\n4,0,6\n5,TRUE,7\n6,False,8\n7,dead,9\n8,,10\n9,1,\n", o)
	if got := fmt.Sprint(times); err != nil || got != "[3 -4.5 5 -6 7 -8 9 NaN NaN]" || columns.Event != "d" || columns.Label != "t" || len(columns.Features) != 1 {
		t.Errorf("%s, %+v, %v", got, columns, err)
	}
	// Further rows are read by the columns of the model, in another order, or without labels.
	o = Options{Columns: columns, Unlabelled: true}
	if times, _, err := timesOf(t, "t,a,d\n3,1,0\n", o); err != nil || fmt.Sprint(times) != "[-3]" {
		t.Errorf("%v, %v", times, err)
	}
	for _, text := range []string{"a\n1\n", "t,a\n3,1\n"} {
		if times, _, err := timesOf(t, text, o); err != nil || len(times) != 1 || !math.IsNaN(times[0]) {
			t.Errorf("%q without an event: %v, %v", text, times, err)
		}
	}
	if times, _, err := timesOf(t, "a,t\n1,3+\n2,4\n", Options{Label: "t"}); err != nil || fmt.Sprint(times) != "[-3 4]" {
		t.Errorf("marks in place of a column: %v, %v", times, err)
	}
	if times, _, err := timesOf(t, "a;d;t\n1;1;3,5\n2;0;4,5\n", Options{Label: "t", Event: "d", Decimal: DecimalComma}); err != nil || fmt.Sprint(times) != "[3.5 -4.5]" {
		t.Errorf("decimal commas: %v, %v", times, err)
	}
	for name, c := range map[string]struct {
		text, want string
		o          Options
	}{
		"another word":         {"a,d,t\n1,2,3\n", `"2" of column d says neither`, Options{Label: "t", Event: "d"}},
		"no such column":       {"a,d,t\n1,1,3\n", `no column is called "e"`, Options{Label: "t", Event: "e"}},
		"the label":            {"a,d,t\n1,1,3\n", "has the events and is the label", Options{Label: "t", Event: "t"}},
		"the label, by number": {"a,d,t\n1,1,3\n", "has the events and is the label", Options{Label: "t", Event: "3"}},
		"left out":             {"a,d,t\n1,1,3\n", "is the label or left out", Options{Label: "t", Event: "d", Skip: []string{"d"}}},
		"a sign":               {"a,d,t\n1,0,-3\n", "plain decimal", Options{Label: "t", Event: "d"}},
		"a sign of an event":   {"a,d,t\n1,1,-3\n", `t.csv:2:5: time "-3" is not a plain decimal number above 0 (column d has`, Options{Label: "t", Event: "d"}},
		"a plus of an event":   {"a,d,t\n1,1,+3\n", `time "+3" is not a plain decimal`, Options{Label: "t", Event: "d"}},
		"a mark of an event":   {"a,d,t\n1,1,3+\n", `time "3+" is not a plain decimal`, Options{Label: "t", Event: "d"}},
		"two events":           {"a,d,t\n1,1,3:0\n", `time "3:0" is not a plain decimal`, Options{Label: "t", Event: "d"}},
		"bounds and an event":  {"a,d,t\n1,1,3..5\n", `time "3..5" is not a plain decimal`, Options{Label: "t", Event: "d"}},
		"a date":               {"a,d,t\n1,0,2020-01-02\n", `time "2020-01-02" is not a plain decimal`, Options{Label: "t", Event: "d"}},
		"no time is named":     {"a,d,b\n1,1,3\n", "no column of times is named (--time COLUMN; the columns are a, d, b)", Options{Event: "d"}},
		"a time of 0":          {"a,d,t\n1,0,0\n", "not above 0", Options{Label: "t", Event: "d"}},
		"0 of an event":        {"a,d,t\n1,1,0.0\n", "half a day", Options{Label: "t", Event: "d"}},
		"a feature of a model": {"a,d,t\n1,0,3\n", "is a feature of the model", Options{Columns: columns, Event: "a"}},
		"none for a training":  {"a,t\n1,3\n", "no column is called d", Options{Columns: columns}},
		"sequences":            {"a,d,t\n1,0,3\n", "is the label", Options{Label: "t", Event: "d", Sequences: []string{"d"}, Letters: dataset.DNA}},
	} {
		_, _, err := timesOf(t, c.text, c.o)
		if err == nil || !errors.Is(err, fail.Input) && !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUpperBounds: two columns have the bounds of times, where an empty field, 0 and infinity are none, and equal bounds are an event.
func TestUpperBounds(t *testing.T) {
	read := func(text string, o Options) (times []string, columns *dataset.Columns, err error) {
		columns, err = rowsOf(t, text, o, func(r dataset.Row) { times = append(times, labeltext.FormatTime(r.Target, r.Upper)) })
		return times, columns, err
	}
	o := Options{Label: "t", Upper: "u"}
	times, columns, err := read("a,t,u\n1,3,4.5\n2,3,3\n3,2,\n4,2,inf\n5,2,+Inf\n6,,7\n7,0,7\n8,NA,7\n9,-inf,7\n10,,\n11,0,Infinity\n12,NA,NA\n", o)
	if got := strings.Join(times, " "); err != nil || got != "3..4.5 3 -2 -2 -2 ..7 ..7 ..7 ..7 NaN NaN NaN" || columns.Upper != "u" || columns.Label != "t" || len(columns.Features) != 1 {
		t.Errorf("%s, %+v, %v", got, columns, err)
	}
	o = Options{Columns: columns, Unlabelled: true}
	for text, want := range map[string]string{"u,a,t\n3,1,2\n": "2..3", "a\n1\n": "NaN", "t,a\n3,1\n": "NaN", "u,a\n3,1\n": "NaN", "t,u,a\n2.,.5e1,1\n": "2..5"} {
		if times, _, err := read(text, o); err != nil || strings.Join(times, " ") != want {
			t.Errorf("%q: %v, %v", text, times, err)
		}
	}
	if times, _, err := read("a;t;u\n1;3,5;1.000,5\n", Options{Label: "t", Upper: "u", Decimal: DecimalComma, Thousands: true}); err != nil || strings.Join(times, " ") != "3.5..1000.5" {
		t.Errorf("decimal commas: %v, %v", times, err)
	}
	for name, c := range map[string]struct {
		text, want string
		o          Options
	}{
		"a bound above the other":   {"a,t,u\n1,2,3\n2,5,4\n", "t.csv:3:3: time \"5..4\" has a lower bound above", Options{Label: "t", Upper: "u"}},
		"a word":                    {"a,t,u\n1,2,x\n", "upper bound that is not", Options{Label: "t", Upper: "u"}},
		"an upper bound of 0":       {"a,t,u\n1,2,0\n", "not above 0", Options{Label: "t", Upper: "u"}},
		"events and upper bounds":   {"a,d,t,u\n1,1,2,3\n", "column \"d\" has the events, and column \"u\" the upper bounds", Options{Label: "t", Upper: "u", Event: "d"}},
		"no such column":            {"a,t,u\n1,2,3\n", `no column is called "e"`, Options{Label: "t", Upper: "e"}},
		"the label":                 {"a,t,u\n1,2,3\n", "upper bounds of times and is the label", Options{Label: "t", Upper: "t"}},
		"the label, by number":      {"a,t,u\n1,2,3\n", "upper bounds of times and is the label", Options{Label: "t", Upper: "2"}},
		"a feature of a model":      {"a,t,u\n1,2,3\n", "is a feature of the model", Options{Columns: columns, Upper: "a"}},
		"none for a training":       {"a,t\n1,3\n", "no column is called u", Options{Columns: columns}},
		"sequences":                 {"a,t,u\n1,2,3\n", "is the label", Options{Label: "t", Upper: "u", Sequences: []string{"u"}, Letters: dataset.DNA}},
		"a lower bound with a sign": {"a,t,u\n1,-2,3\n", "lower bound that is not", Options{Label: "t", Upper: "u"}},
	} {
		_, _, err := read(c.text, c.o)
		if err == nil || !errors.Is(err, fail.Input) && !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

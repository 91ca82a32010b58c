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
	"bigmkl/internal/fail"
)

// timesOf reads the times of a table, NaN for rows without.
func timesOf(t *testing.T, text string, o Options) (times []float64, columns *dataset.Columns, err error) {
	o.Labels = dataset.Times
	s, err := Open(context.Background(), []string{put(t, "t.csv", text)}, o)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	for {
		r, err := s.Next()
		if err == io.EOF {
			return times, s.Columns(), nil
		}
		if err != nil {
			return times, nil, err
		}
		if len(r.Index) != 1 {
			t.Errorf("features %v", r.Index)
		}
		times = append(times, r.Target)
	}
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
		"a time of 0":          {"a,d,t\n1,0,0\n", "not above 0", Options{Label: "t", Event: "d"}},
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

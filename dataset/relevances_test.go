package dataset

import (
	"context"
	"strings"
	"testing"
)

// TestRelevances reads relevances and groups, and builds a store of them.
func TestRelevances(t *testing.T) {
	read := func(text string) *Reader {
		return NewReader(strings.NewReader(text), "text", ReadOptions{Labels: Relevances})
	}
	r := read("2 qid:007 1:1\n0.5 qid:12 1:2\n1:3\n3 1:4\n")
	for k, want := range []struct {
		label  string
		target float64
	}{{"7", 2}, {"12", 0.5}, {"", -1}, {"", 3}} {
		row, err := r.Next()
		if err != nil || row.Label != want.label || row.Target != want.target && (want.target >= 0 || row.Target == row.Target) {
			t.Errorf("row %d: group %q, relevance %g, %v", k+1, row.Label, row.Target, err)
		}
	}
	s, err := Build(context.Background(), read("2 qid:9 1:1\n0 qid:10 1:2\n1 qid:9 1:3\n"), StoreOptions{Dir: t.TempDir(), Scale: ScaleNone, Labels: Relevances})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.Classes(); len(got) != 2 || got[0] != "9" || s.Labels()[1] != 1 || s.Targets()[2] != 1 {
		t.Errorf("groups %q, %v, relevances %v", got, s.Labels(), s.Targets())
	}
	for text, want := range map[string]string{
		"-1 qid:1 1:1\n": `relevance "-1" is below 0`, "x qid:1 1:1\n": `relevance "x" is not a finite decimal number`, "1 qid:a 1:1\n": "query id",
		"1 1:1\n": "the row has no group", "1:1\n": "the row has no relevance",
	} {
		_, err := Build(context.Background(), read(text), StoreOptions{Dir: t.TempDir(), Labels: Relevances})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	l := NewLabeler(Relevances)
	for word, want := range map[string]Row{"2:a b": {Label: "a b", Target: 2}, "0": {}, "1e0:+3": {Label: "3", Target: 1}} {
		var row Row
		if err := l.Set(&row, []byte(word)); err != nil || row.Label != want.Label || row.Target != want.Target {
			t.Errorf("%q is %q, %g, %v", word, row.Label, row.Target, err)
		}
	}
	for _, word := range []string{":3", "1:", "1:nan", "-1:2", "2:0x1"} {
		if err := l.Set(&Row{}, []byte(word)); err == nil {
			t.Errorf("%q is a relevance", word)
		}
	}
}

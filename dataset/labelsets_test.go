package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
	"bigmkl/internal/heaptest"
)

// TestSetsAreRead: rows without labels, spellings, and what a store makes of them.
func TestSetsAreRead(t *testing.T) {
	text := "3,1 1:1\n 1:2\n1:3\n+1,3.0 2:1\n, 1:1\n- 1:1\n5 qid:1 1:1\n"
	rows, err := readBytes([]byte(text), ReadOptions{Labels: Sets})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1,3", "-", "-", "1,3", "-", "-", "5"}
	for i, r := range rows {
		if r.Label != want[i] {
			t.Errorf("row %d: %q, want %q", i, r.Label, want[i])
		}
	}
	build := func(rows []Row, o StoreOptions) (*Store, error) {
		o.Labels = Sets
		return Build(t.Context(), FromSeq(slices.Values(rows)), o)
	}
	rows[0].Label = " 3 , 1" // of somebody else's source
	s, err := build(rows, StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !slices.Equal(s.Classes(), []string{"-", "1,3", "5"}) || !slices.Equal(s.Labels(), []int32{1, 0, 0, 1, 0, 0, 2}) {
		t.Errorf("%q, %v", s.Classes(), s.Labels())
	}
	if _, err := build(rows, StoreOptions{Positive: []string{"1"}}); !errors.Is(err, fail.Usage) {
		t.Errorf("positive labels: %v", err)
	}
	_, err = readBytes([]byte("1 1:1\n1,2.5 1:1\n"), ReadOptions{Labels: Sets})
	wantFault(t, err, fail.Input, "in", 2, 1, `label "2.5" is not an integer`)
	_, err = readBytes([]byte("1 1:1\n1,- 1:1\n"), ReadOptions{Labels: Sets})
	wantFault(t, err, fail.Input, "in", 2, 1, "among other labels")
	many := make([]Row, MaxClasses+1)
	for i := range many {
		many[i] = Row{Label: fmt.Sprintf("%d,%d", i%1000, 1000+i), Line: i + 1, File: "in"}
	}
	_, err = build(many, StoreOptions{})
	wantFault(t, err, fail.Input, "in", MaxClasses+1, 0, "more than 65536 different sets of labels")
}

// FuzzSets: what is read has canonical sets, which print and parse again, and are what their labels make of them.
func FuzzSets(f *testing.F) {
	for _, seed := range []string{
		"3,1 1:1\n 1:2\n1:3\n", "+1,3.0 1:1\n, 1:1\n- 2:1\n", "1,- 1:1\n", "1,1,1,,a,b 1:1\n", "1,2.5", "1,3:1\n", "-1,-2 1:1\n-0,0 1:1", "1,\xff 1:1", "a:b,c 1:1\n",
		"10,9,x 1:1\n", ",,,,\n", "1e5,100000 1:1", "-,- 1:1", "1,\u00a03 1:1", "1\t,2 1:1", "\ufeff1,2 1:1\r\n", " >",
	} {
		f.Add([]byte(seed))
	}
	o := ReadOptions{Labels: Sets}
	f.Fuzz(func(t *testing.T, data []byte) {
		var rows []Row
		var err error
		used := heaptest.Allocated(func() { rows, err = readBytes(data, o) })
		frugal(t, data, used-int64(1000*len(rows)))
		for _, r := range inPieces(data) {
			chunked, e := readAll(NewReader(r, "in", o))
			if !sameRows(rows, chunked) || (err == nil) != (e == nil) {
				t.Fatalf("whole: %v, %v; in pieces: %v, %v", rows, err, chunked, e)
			}
		}
		placed(t, err, data)
		var sets []string
		for _, r := range rows {
			if again, err := labeltext.CanonicalSet(r.Label); err != nil || again != r.Label {
				t.Fatalf("%q is not canonical: %q, %v", r.Label, again, err)
			}
			sets = append(sets, r.Label)
		}
		labels, of := labeltext.Sets(sets)
		for i, set := range sets {
			var list []string
			for _, k := range of[i] {
				list = append(list, labels[k])
			}
			if text, err := labeltext.CanonicalSet(strings.Join(list, ",")); err != nil || text != set || !slices.IsSorted(of[i]) {
				t.Fatalf("%q is made of %q", set, list)
			}
		}
		text := printRows(rows)
		pairs := func(set string) bool { return startsPairs([]byte(set)) } // the order of labels with colons may make it look so
		if len(rows) == 0 || hasMagic([]byte(text)) || columnsMislead(text) || slices.ContainsFunc(sets, pairs) {
			return
		}
		again, err := readAll(NewReader(strings.NewReader(text), "in", o))
		if err != nil || !sameRows(rows, again) {
			t.Fatalf("%v\nprinted as %q\nreads as %v, %v", rows, text, again, err)
		}
	})
}

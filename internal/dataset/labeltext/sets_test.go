package labeltext

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

func TestCanonicalSet(t *testing.T) {
	for in, want := range map[string]string{
		"": "-", ",": "-", " , ,": "-", "-": "-", "-,": "-", "1": "1", "+1": "1", "3,1": "1,3", "+1,3.0": "1,3", "1,3,1,1e0": "1,3", "1,,3,": "1,3", "10,9,-2": "-2,9,10",
		"b,a,10,9": "9,10,a,b", "-1": "-1", "x": "x",
	} {
		got, err := CanonicalSet(in)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"1.5", "1,nan", "1,-", "-,x", "1,\x00", strings.Repeat("1,", 1<<14), strings.Repeat("x", 1<<11)} {
		if got, err := CanonicalSet(in); !errors.Is(err, fail.Input) {
			t.Errorf("%.20q: %q, %v, want an error", in, got, err)
		}
	}
}

func TestLabelSets(t *testing.T) {
	labels, of := Sets([]string{"1,3", ",", "a,+2,10,2", "3"})
	if !slices.Equal(labels, []string{"1", "10", "2", "3", "a"}) || fmt.Sprint(of) != "[[0 3] [] [1 2 4] [3]]" {
		t.Errorf("%q, %v", labels, of)
	}
	if labels, of := Sets([]string{"9,10"}); labels[0] != "9" || of[0][0] != 0 {
		t.Errorf("%q, %v", labels, of)
	}
	if labels, of := Sets([]string{EmptySet}); labels != nil || len(of) != 1 {
		t.Errorf("%q, %v", labels, of)
	}
}

package train

import (
	"fmt"
	"testing"
)

// TestRepeatedWarning: a warning that comes again with other numbers is counted.
func TestRepeatedWarning(t *testing.T) {
	t.Parallel()
	w := &warnings{result: &Result{}}
	for i := range 1000 {
		w.warn("the checkpoint after iteration %d could not be written: %v", i, "disk full")
		if news := w.takeFresh(); (news != "") != (i < namedCases) {
			t.Errorf("warning %d is told as %q", i, news)
		}
	}
	w.warn("another")
	want := []string{"the checkpoint after iteration 0 could not be written: disk full (and 999 more like it)", "another"}
	if fmt.Sprint(w.result.Warnings) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", w.result.Warnings, want)
	}
}

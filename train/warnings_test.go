package train

import (
	"fmt"
	"testing"
)

// TestRepeatedWarning: a warning that comes again with other numbers is counted.
func TestRepeatedWarning(t *testing.T) {
	t.Parallel()
	run := &run{Workspace: &Workspace{}, result: &Result{}}
	for i := range 1000 {
		run.warn("the checkpoint after iteration %d could not be written: %v", i, "disk full")
		if news := run.warned.takeFresh(); (news != "") != (i < namedCases) {
			t.Errorf("warning %d is told as %q", i, news)
		}
	}
	run.warn("another")
	want := []string{"the checkpoint after iteration 0 could not be written: disk full (and 999 more like it)", "another"}
	if fmt.Sprint(run.result.Warnings) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", run.result.Warnings, want)
	}
}

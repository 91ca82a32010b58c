package command

import (
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/internal/train"
)

// TestCheckpointAdvice: a training that was cut without a model names --checkpoint where that would have kept its state.
func TestCheckpointAdvice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		while    string
		possible bool
		names    bool
	}{
		"cut": {train.InProgress, true, true}, "reading": {"the data were read", true, false}, "kept": {train.InProgress, false, false},
	} {
		u := &bigmkl.Unfinished{Status: chunking.Interrupted, While: c.while}
		adviseCheckpoint(u, c.possible)
		if text := explainError(u); strings.Contains(text, "--checkpoint DIR keeps") != c.names || !strings.Contains(text, "no model is written") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

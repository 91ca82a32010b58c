package command

import (
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/train"
)

// TestCheckpointAdvice: a training that was cut without a model names --checkpoint where that would have kept its state.
func TestCheckpointAdvice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		while string
		o     bigmkl.Options
		names bool
	}{
		"cut": {train.InProgress, bigmkl.Options{}, true}, "reading": {"the data were read", bigmkl.Options{}, false},
		"kept": {train.InProgress, bigmkl.Options{Checkpoint: "c"}, false}, "probabilities": {train.InProgress, bigmkl.Options{Folds: 5}, false},
	} {
		u := &bigmkl.Unfinished{Status: chunking.Interrupted, While: c.while}
		(&trainCommand{options: c.o}).adviseCheckpoint(u)
		if text := explainError(u); strings.Contains(text, "--checkpoint DIR keeps") != c.names || !strings.Contains(text, "no model is written") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

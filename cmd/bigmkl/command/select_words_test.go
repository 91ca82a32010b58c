package command

import (
	"slices"
	"strings"
	"testing"
)

// TestKeptWords: a folder keeps what is selected, and not where and how one run went.
func TestKeptWords(t *testing.T) {
	for line, want := range map[string]string{
		"select --grid-C 1,2 -o d data":                     "--grid-C 1,2 data",
		"select data --part 1/3 --merge=a --out d -oe":      "data",
		"select --quiet --json --resume=true --folds=3 x":   "--folds=3 x",
		"select --measure auc --merge a --merge b -o=d x y": "--measure auc x y",
		"select -C 1 -- --part":                             "-C 1 -- --part",
		"select":                                            "",
	} {
		if got := keptWords(strings.Fields(line)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q", line, got)
		}
	}
}

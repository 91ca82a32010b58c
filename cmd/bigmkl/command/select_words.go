package command

import (
	"slices"
	"strings"
)

// keptWords returns the words of a command line of select that say what is selected, for a folder to
// keep: without the command itself and without what says where and how this one run goes.
func keptWords(args []string) []string {
	var kept []string
	for i := 1; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			return append(kept, args[i:]...)
		}
		name, _, joined := strings.Cut(word, "=")
		switch {
		case slices.Contains([]string{"--resume", "--quiet", "--json"}, name):
		case slices.Contains([]string{"--out", "--part", "--merge", "-o"}, name):
			if !joined {
				i++
			}
		case strings.HasPrefix(word, "-o"):
		default:
			kept = append(kept, word)
		}
	}
	return kept
}

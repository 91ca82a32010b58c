package command

import (
	"slices"
	"strings"
)

// keptWords returns the words of a command line of select that define the selection, for a folder to
// keep. The command itself is left out, and so are the words about the place and the method of this
// one run.
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

package command

import (
	"slices"
	"strings"
)

// keptWords returns the words of a command line of select that define the selection, for a folder to
// keep. The command itself is left out. So are words that differ between runs of one selection: its
// folder, its parts and its output. A report prints the kept words as the command that makes the same
// folder again.
func keptWords(args []string) []string {
	var kept []string
	for i := 1; i < len(args); i++ {
		word := args[i]
		// Everything behind -- is a file.
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
		// The parser accepts a value that follows its letter directly.
		case strings.HasPrefix(word, "-o"):
		default:
			kept = append(kept, word)
		}
	}
	return kept
}

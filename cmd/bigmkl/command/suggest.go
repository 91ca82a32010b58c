package command

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bigmkl/internal/fail"
)

// explainFlag returns the error of class fail.Usage for a fault of the command line that the parser
// has found. It names flags that may have been meant, and the help that lists all of them.
func explainFlag(c *cobra.Command, err error) error {
	help := c.CommandPath() + " --help"
	if c.HasParent() {
		help = c.Root().Name() + " help " + c.Name()
	}
	hint := help + " lists the flags"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if near := nearFlags(c.Flags(), unknown); near != nil {
			hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
		}
	}
	return fail.New(fail.Usage, "%s", fail.Line(err.Error())).WithHint("%s", hint)
}

// nearFlags lists the flags whose names are like the one that was given.
func nearFlags(set *pflag.FlagSet, unknown *pflag.NotExistError) []string {
	name, letters := unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames()
	var near []string
	set.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden:
		case letters != "" && strings.EqualFold(f.Shorthand, name):
			near = append(near, "-"+f.Shorthand)
		// A word with one dash, such as -norm, is a list of letters to the parser.
		case len(letters) > 1 && isNear(f.Name, letters), letters == "" && isNear(f.Name, name):
			near = append(near, "--"+f.Name)
		}
	})
	if exact := "--" + letters; slices.Contains(near, exact) {
		return []string{exact}
	}
	return near[:min(len(near), mostNear)]
}

// mostNear is the number of names that an unknown one may stand for in a message.
const mostNear = 3

// flagNames lists the flags of a command that are not hidden.
func flagNames(set *pflag.FlagSet) (names []string) {
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// isNear reports whether a word that was typed may stand for a name: it begins like the name, or at
// most a third of its letters differ.
func isNear(name, typed string) bool {
	name, typed = strings.ToLower(name), strings.ToLower(typed)
	const leastPrefix = 3
	if len(typed) >= leastPrefix && strings.HasPrefix(name, typed) {
		return true
	}
	return editDistance(name, typed) <= max(len(typed), len(name))/3
}

// editDistance counts the letters that have to be added, removed or replaced to make a of b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1) // distances of the letters of a so far to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := before
			if a[i] != b[j] {
				replaced++
			}
			before = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

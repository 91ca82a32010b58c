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
	// The root has no page of its own in help.
	help := c.CommandPath() + " --help"
	if c.HasParent() {
		help = c.Root().Name() + " help " + c.Name()
	}
	hint := help + " lists the flags"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := strings.TrimSpace(unknown.GetSpecifiedName() + " " + unknown.GetSpecifiedShortnames())
		// Commands without kernels have other flags, so the hints would be wrong there.
		if said := elsewhere[canonicalWord(name)]; said != "" && c.Flags().Lookup("kernels") != nil {
			hint = said + "; " + hint
		} else if near := nearFlags(c.Flags(), unknown); near != nil {
			hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
		}
	}
	return fail.New(fail.Usage, "%s", fail.Line(err.Error())).WithHint("%s", hint)
}

// elsewhere are flags of other programs, by their names, and what does the same here. The key of a flag
// of one letter has the letter and the letters behind its dash, such as "g g": the parser reports both.
// They are the flags of LIBSVM and scikit-learn that their users try first.
var elsewhere = map[string]string{
	"gamma": "gamma is part of a kernel: --kernels gauss:V", "g g": "gamma is part of a kernel: --kernels gauss:V",
	"sigma": "the width is part of a kernel: --kernels gauss:V, V = 1/(2 sigma^2)", "degree": "the degree is part of a kernel: --kernels poly:D", "d d": "the degree is part of a kernel: --kernels poly:D",
	"rbf": "write --kernels gauss:V",
	"t t": "write --kernels linear, poly:D, gauss:V or sigmoid:V for -t 0, 1, 2 or 3", "s s": "write --task class, oneclass or svr for -s 0, 2 or 3",
	"cost": "write -C", "b b": "write --probability", "v v": "bigmkl select --folds K cross-validates", "cv": "bigmkl select --folds K cross-validates",
	"e e": "write --gap, the relative duality gap", "tol": "write --gap, the relative duality gap", "p p": "write --epsilon", "m m": "write --memory", "w w": "write --class-weight LABEL=W",
	"random-state": "write --seed", "n-jobs": "write --threads", "cache-size": "write --memory", "coef0": "the constant is part of a kernel: --kernels poly:D:GAMMA:COEF", "r r": "the constant is part of a kernel: --kernels poly:D:GAMMA:COEF",
	"shrinking": "leave it out: points that are at a bound are always set aside", "q q": "write --quiet", "verbose": "write --json for all figures; progress is shown unless --quiet",
	"decision-function-shape": "write --multiclass ovr or ovo", "penalty": "write --norm, the block norm p", "regularizer": "write --norm, the block norm p",
	"n n": "write --nu for task oneclass", "svm-type": "write --task class, oneclass or svr", "kernel-type": "write --kernels linear, poly:D, gauss:V or sigmoid:V",
	"c-svc": "write --task class", "nu-svc": "write --task class, with -C in place of nu", "epsilon-svr": "write --task svr", "nu-svr": "write --task svr, with --epsilon in place of nu", "one-class": "write --task oneclass",
	"target": "write --label", "labels-column": "write --label",
	"test": "bigmkl predict MODEL FILE measures a model on the rows of a file", "test-size": "bigmkl select --splits N:SHARE measures on rows that are left out",
	"C C": "write --grid-C, a list of costs", "mkl-norm": "write --theta-norm, the norm of theta",
	"gram": "a kernel matrix is a kernel: --kernels precomputed:FILE, with --labels FILE for the classes", "matrix": "a kernel matrix is a kernel: --kernels precomputed:FILE",
}

// canonicalWord writes a word of another program as the lists here have it: with dashes, and in small letters if it has several.
func canonicalWord(word string) string {
	if len(word) > 3 { // Of one letter, -C and -c differ.
		word = strings.ToLower(word)
	}
	return strings.ReplaceAll(word, "_", "-")
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
	// -norm in place of --norm is the most frequent slip. It makes further guesses useless.
	if exact := "--" + letters; slices.Contains(near, exact) {
		return []string{exact}
	}
	return near[:min(len(near), mostNear)]
}

// mostNear is the largest number of names that a message suggests for an unknown one.
const mostNear = 3

// flagNames lists the flags of a command that are not hidden.
// The order is pflag's order by name.
func flagNames(set *pflag.FlagSet) (names []string) {
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// isNear reports whether a word that was typed may mean a name: it begins like the name, or at
// most a third of its letters differ. A third is one letter of a short name, and three of a long one:
// slips of typing, but not other words.
func isNear(name, typed string) bool {
	name, typed = strings.ToLower(name), strings.ToLower(typed)
	const leastPrefix = 3
	// Beginnings are meant as abbreviations. One or two letters begin too many names.
	if len(typed) >= leastPrefix && strings.HasPrefix(name, typed) {
		return true
	}
	// The distance is by Levenshtein.
	return editDistance(name, typed) <= max(len(typed), len(name))/3
}

// editDistance counts the letters that have to be added, removed or replaced to make a of b. It works
// on bytes, as names of flags are ASCII.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1) // distances of the letters of a so far to each beginning of b
	for j := range row {
		row[j] = j
	}
	// Two rows of the table of distances are enough (Wagner and Fischer 1974), of which one is
	// overwritten in place.
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

// otherTasks are names of tasks in other programs. They are hints and not synonyms: a command line has
// one name for a task.
var otherTasks = map[string]string{
	"c-svc": "class", "nu-svc": "class, with -C in place of nu", "svc": "class", "classification": "class", "epsilon-svr": "svr", "eps-svr": "svr", "nu-svr": "svr, with --epsilon in place of nu",
	"regression": "svr or square", "one-class": "oneclass", "one-svc": "oneclass", "ridge": "square", "coxph": "cox", "aft": "survival",
}

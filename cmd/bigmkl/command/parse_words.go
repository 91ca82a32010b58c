package command

import (
	"fmt"
	"slices"
	"strings"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// These are the parsers of labels and of fixed words, as parse.go has the parsers of numbers.

// parseClassWeights parses cost factors of classes, such as +1=2,-1=0.5. Labels are compared in their
// canonical form, in which 1, +1 and 1.0 are one class.
// The factors multiply C for the rows of a class, so they must be above 0.
func parseClassWeights(text string) (map[string]float64, error) {
	weights := map[string]float64{}
	for part := range strings.SplitSeq(text, ",") {
		// A label may contain an equals sign, a weight does not.
		i := strings.LastIndexByte(part, '=')
		if i < 0 {
			return nil, fmt.Errorf("%s is not of the form LABEL=WEIGHT", fail.Quote(part))
		}
		label, err := labeltext.Canonical(strings.TrimSpace(part[:i]))
		if err != nil {
			return nil, err
		}
		// Two spellings of one label would otherwise hide a mistake.
		if _, twice := weights[label]; twice {
			return nil, fmt.Errorf("class %s has two weights", fail.Quote(label))
		}
		if weights[label], err = parsePositive(part[i+1:]); err != nil {
			return nil, err
		}
	}
	return weights, nil
}

// parseLabels parses labels that are separated by commas, such as 0,2,4.
// Labels keep their spelling, and only their form is checked.
func parseLabels(text string) ([]string, error) {
	var labels []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if _, err := labeltext.Canonical(part); err != nil {
			return nil, err
		}
		labels = append(labels, part)
	}
	return labels, nil
}

// oneOf returns a parser that accepts the given words only.
// The error lists the words in the given order, which is the order of the help.
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		for _, w := range words {
			if w == text {
				return w, nil
			}
		}
		// Words of other programs, such as C_SVC of LIBSVM, and other spellings get an error
		// with the word to use. They are not accepted, because a configuration has one name for a
		// thing.
		small := strings.ReplaceAll(strings.ToLower(text), "_", "-")
		if task := otherTasks[small]; task != "" && slices.Contains(words, "oneclass") {
			return "", fmt.Errorf("unknown %s (it is called %s here)", fail.Quote(text), task)
		}
		if slices.Contains(words, small) {
			return "", fmt.Errorf("unknown %s (it is called %s here)", fail.Quote(text), small)
		}
		return "", fmt.Errorf("unknown %s (%s)", fail.Quote(text), strings.Join(words, ", "))
	}
}

package kernelspec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"bigmkl/dataset"
)

// fits checks that the kernels suit the data, and that their words suit the alphabet.
func (it *item) fits(letters dataset.Alphabet) error {
	kind := it.proto.Kind
	switch {
	case kind == Precomputed || kind == Product: // The factors are checked one by one.
		return nil
	case kind.OfStrings() && letters == dataset.Numbers:
		return errors.New("the data are numbers, and string kernels take sequences")
	case !kind.OfStrings() && letters != dataset.Numbers:
		return errors.New("the data are sequences, which have string kernels such as wd:20 and " +
			"spectrum:6, or precomputed ones")
	case kind != Spectrum:
		return nil
	}
	longest, m := it.proto.Degree+it.count-1, int(it.proto.Mismatches)
	if most := wordBits / letters.Planes(); longest > most {
		return fmt.Errorf("words of %d letters, and %d are the limit for %s", longest, most,
			letters)
	}
	if m > 0 && letters != dataset.DNA {
		return fmt.Errorf("mismatches are counted of dna alone: of %s there are too many other "+
			"letters", letters)
	}
	if n := Neighbours(longest, m); n > maxNeighbours {
		return fmt.Errorf("a word of %d letters with %d mismatches stands for %d words, and %d "+
			"are the limit", longest, m, n, maxNeighbours)
	}
	return nil
}

// Neighbours returns the number of words that differ from a word of k letters of DNA in at most m
// letters. It stops counting at a billion.
func Neighbours(k, m int) int {
	sum, term := 1, 1
	for j := 1; j <= min(m, k) && sum < 1<<30; j++ {
		term = term * 3 * (k - j + 1) / j
		sum += term
	}
	return sum
}

// AskForSequences reports whether the list has kernels of sequences.
func AskForSequences(list []string) bool {
	return slices.ContainsFunc(list, func(text string) bool {
		if isProduct(text) { // Either all of its factors are such kernels, or none.
			text = strings.TrimPrefix(strings.TrimPrefix(text, "prod("), "pow(")
		}
		name, _, _ := strings.Cut(text, ":")
		kind, ok := kindOf(name)
		return ok && kind.OfStrings()
	})
}

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
	case !kind.OfStrings() && letters != dataset.Numbers && letters.Before() == 0:
		return errors.New("the data are sequences, which have string kernels such as wd:20 and " +
			"spectrum:6, or precomputed ones")
	case kind != Spectrum:
		return nil
	}
	longest, m := it.proto.Degree+it.count-1, int(it.proto.Mismatches)
	if most := wordBits / letters.Planes(); longest > most {
		return fmt.Errorf("words of %d letters, and %d are the limit for %s", longest, most,
			letters.Letters())
	}
	if m > 0 && letters.Letters() != dataset.DNA {
		return fmt.Errorf("mismatches are counted of dna alone: of %s there are too many other "+
			"letters", letters)
	}
	if n := Neighbours(longest, m); n > maxNeighbours {
		return fmt.Errorf("a word of %d letters with %d mismatches stands for %d words, and %d "+
			"are the limit", longest, m, n, maxNeighbours)
	}
	return nil
}

// sideOf returns the features that a kernel may look at where rows have numbers beside letters: a
// string kernel at letters alone, and any other at numbers.
func (it *item) sideOf(c *Context) interval {
	before := c.Sequences.Before()
	if it.proto.Kind.OfStrings() {
		return interval{before + 1, c.Features}
	}
	return interval{1, before}
}

// takeSide gives a kernel that names no features the features of its side, and rejects others. It
// does so where rows have numbers beside letters alone.
func (it *item) takeSide(c *Context, named *names) error {
	if c.Sequences.Before() == 0 || it.proto.Kind == Precomputed || it.proto.Kind == Product {
		return nil
	}
	side, within := it.sideOf(c), true
	check := func(r interval) {
		within = within && r.first >= side.first && r.last <= side.last
	}
	switch text := it.features; {
	case text == "":
		it.features = fmt.Sprintf("%d-%d", side.first, side.last)
	case text == "each-feature" || strings.HasPrefix(text, "random:"):
		return fmt.Errorf("@%s takes letters and numbers together: name a view of one kind", text)
	case text == "each-view":
		for _, v := range c.Views {
			check(interval{v.First, v.Last})
		}
	case isRanges(text):
		if err := eachRange(text, c.Features, check); err != nil {
			return err
		}
	default:
		if v, ok := named.find(text); ok {
			check(interval{v.First, v.Last})
		}
	}
	if !within {
		return fmt.Errorf("the features of this kernel are %d-%d: string kernels take letters, "+
			"and all others numbers", side.first, side.last)
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

package kernelspec

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// attributes are what a specification says of its kernels after the kernel itself.
type attributes struct {
	group      string  // group is "" for none.
	importance float64 // importance is prior/cost.
	normalizer Normalizer
}

// parseAttributes parses the text that Suffix returns.
func parseAttributes(text string, features int) (attributes, error) {
	a := attributes{importance: 1}
	seen := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(word, "=")
		if seen[name] {
			return a, fmt.Errorf("%s= is there twice", name)
		}
		seen[name] = true
		if name == "group" {
			if value == "" {
				return a, errors.New("group= without a name")
			}
			a.group = value
			continue
		}
		if name == "norm" {
			var err error
			if a.normalizer, err = ParseNormalizer(value); err != nil {
				return a, fmt.Errorf("norm=: %w", err)
			}
			continue
		}
		x, err := width(value, features)
		if err != nil {
			return a, fmt.Errorf("%s=: %w", name, err)
		}
		if name == "prior" {
			a.importance *= x
		} else {
			a.importance /= x
		}
	}
	if !(a.importance > 0) || math.IsInf(a.importance, 0) {
		return a, fmt.Errorf("an importance of %g", a.importance)
	}
	return a, nil
}

package kernelspec

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// attributes are the attributes that a specification gives its kernels after the kernel itself.
type attributes struct {
	group string // group is "" for none.
	// prior and cost are above 0. cost is 0 if the specification names none.
	prior, cost float64
	normalizer  Normalizer
	// copies is how often each kernel is there, at least 1, and gate names a gate that kernels share,
	// or is "".
	copies  int
	gate    string
	missing Missing
}

// parseAttributes parses the text that Suffix returns.
func parseAttributes(text string, features int) (attributes, error) {
	a := attributes{prior: 1, copies: 1}
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
		if name == "gate" {
			if value == "" {
				return a, errors.New("gate= without a name")
			}
			a.gate = value
			continue
		}
		if name == "copies" {
			var err error
			if a.copies, err = strconv.Atoi(value); err != nil || a.copies < 1 || a.copies > mostCopies {
				return a, fmt.Errorf("copies=: %s is no number from 1 to %d", clip(value), mostCopies)
			}
			continue
		}
		if name == "norm" {
			var err error
			if a.normalizer, err = ParseNormalizer(value); err != nil {
				return a, fmt.Errorf("norm=: %w", err)
			}
			continue
		}
		if name == "missing" {
			var err error
			if a.missing, err = parseMissing(value); err != nil {
				return a, err
			}
			continue
		}
		x, err := width(value, features)
		if err != nil {
			return a, fmt.Errorf("%s=: %w", name, err)
		}
		if name == "prior" {
			a.prior = x
		} else {
			a.cost = x
		}
	}
	return a, nil
}

// importance returns prior/cost^(2 power), the factor that a kernel has in a norm in which its
// ||w_m|| is multiplied by cost^power.
func importance(prior, cost, power float64) float64 { return prior / math.Pow(cost, 2*power) }

// checkImportance rejects attributes whose importance is not a positive number at the power. The
// importance is monotone in the power: if it is one at two powers, it is one between them.
func (a *attributes) checkImportance(power float64) error {
	e := a.prior
	if a.cost != 0 {
		e = importance(a.prior, a.cost, power)
	}
	if !(e > 0) || math.IsInf(e, 0) {
		return fmt.Errorf("an importance of %g", e)
	}
	return nil
}

// NamesCost reports whether one of the specifications states what its kernels cost.
func NamesCost(specs []string) bool {
	return slices.ContainsFunc(specs, func(text string) bool {
		return slices.ContainsFunc(strings.Fields(Suffix(text)),
			func(word string) bool { return strings.HasPrefix(word, "cost=") })
	})
}

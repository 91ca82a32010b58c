package kernelspec

import (
	"fmt"
	"slices"
	"strings"
)

// Normalizer says what a kernel is divided by.
type Normalizer uint8

// The normalisers. Unsaid is that of the run.
const (
	Unsaid         Normalizer = iota
	Unnormalized              // nothing
	Multiplicative            // its variance in feature space
	Spherical                 // the root of k(x,x) k(z,z)
)

var normalizerNames = [...]string{"", "none", "multiplicative", "spherical"}

// String gives the name used in options and specifications.
func (n Normalizer) String() string { return normalizerNames[n] }

// ParseNormalizer reads none, multiplicative or spherical.
func ParseNormalizer(name string) (Normalizer, error) {
	i := slices.Index(normalizerNames[:], name)
	if i <= 0 {
		return Unsaid, fmt.Errorf("%s is none of none, multiplicative and spherical", clip(name))
	}
	return Normalizer(i), nil
}

// Or is the normaliser, or another if that was left open.
func (n Normalizer) Or(other Normalizer) Normalizer {
	if n == Unsaid {
		return other
	}
	return n
}

// AskFor tells whether some specification asks for a normaliser of its own.
func (n Normalizer) AskFor(specs []string) bool {
	return slices.ContainsFunc(specs, func(s string) bool { return slices.Contains(strings.Fields(Suffix(s)), "norm="+n.String()) })
}

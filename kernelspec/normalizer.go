package kernelspec

import (
	"fmt"
	"slices"
	"strings"
)

// Normalizer says by what a kernel is divided.
type Normalizer uint8

var _ fmt.Stringer = Normalizer(0)

// These are the normalisers. Unsaid stands for the one of the run.
const (
	Unsaid         Normalizer = iota
	Unnormalized              // The kernel is not divided.
	Multiplicative            // The kernel is divided by its variance in feature space.
	Spherical                 // The kernel is divided by the square root of k(x,x) k(z,z).
)

var normalizerNames = [...]string{"", "none", "multiplicative", "spherical"}

// String returns the name used in options and specifications.
func (n Normalizer) String() string { return normalizerNames[n] }

// ParseNormalizer returns the normaliser named none, multiplicative or spherical. Another name is
// an error.
func ParseNormalizer(name string) (Normalizer, error) {
	i := slices.Index(normalizerNames[:], name)
	if i <= 0 {
		return Unsaid, fmt.Errorf("%s is none of none, multiplicative and spherical", clip(name))
	}
	return Normalizer(i), nil
}

// Or returns the normaliser itself, or other if it is Unsaid.
func (n Normalizer) Or(other Normalizer) Normalizer {
	if n == Unsaid {
		return other
	}
	return n
}

// AskFor reports whether some specification asks for this normaliser.
func (n Normalizer) AskFor(specs []string) bool {
	return slices.ContainsFunc(specs, func(s string) bool {
		return slices.Contains(strings.Fields(Suffix(s)), "norm="+n.String())
	})
}

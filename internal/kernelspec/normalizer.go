package kernelspec

import (
	"fmt"
	"slices"
	"strings"
)

// Normalizer is the divisor of a kernel.
type Normalizer uint8

var _ fmt.Stringer = Normalizer(0)

// These are the normalisers. Unsaid means the normaliser of the run.
const (
	Unsaid         Normalizer = iota
	Unnormalized              // The kernel is not divided.
	Multiplicative            // The kernel is divided by its variance in feature space.
	Spherical                 // The kernel is divided by the square root of k(x,x) k(z,z).
	Centred                   // The same, of the kernel centred at the mean of the training rows.
)

var normalizerNames = [...]string{"", "none", "multiplicative", "spherical", "centred"}

// String returns the name used in options and specifications.
func (n Normalizer) String() string { return normalizerNames[n] }

// Normalizers lists the names that ParseNormalizer knows.
func Normalizers() []string { return normalizerNames[1:] }

// ParseNormalizer returns the normaliser of one of the Normalizers. Another name is an error.
func ParseNormalizer(name string) (Normalizer, error) {
	i := slices.Index(normalizerNames[:], name)
	if i <= 0 {
		return Unsaid, fmt.Errorf("%s is none of none, multiplicative, spherical and centred", clip(name))
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

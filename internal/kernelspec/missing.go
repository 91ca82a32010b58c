package kernelspec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Missing states what a kernel of a view has in the place of values at rows that lack the view (Lewis
// 2006, section 2.4.4). For two rows that have the view it is the kernel, and for one that has it and
// one that has not it is 0. For two that lack it, it is f times the mean d of k(x,x) over the
// training rows that have the view.
type Missing uint8

var _ fmt.Stringer = Missing(0)

// These are the ways of filling in.
const (
	MissingUnsaid Missing = iota // All rows have the view.
	MissingNone                  // f is 0.
	MissingSelf                  // f is 1 if the two rows are one and the same, else 0.
	MissingAll                   // f is 1.
)

var missingNames = [...]string{"", "none", "self", "all"}

// String returns the name used in specifications.
func (m Missing) String() string { return missingNames[m] }

// parseMissing returns the way of filling in of a name.
func parseMissing(name string) (Missing, error) {
	i := slices.Index(missingNames[:], name)
	if i <= 0 {
		return MissingUnsaid, fmt.Errorf("missing=%s is none of none, self and all", clip(name))
	}
	return Missing(i), nil
}

// NamesMissing reports whether one of the specifications states what represents missing values.
func NamesMissing(specs []string) bool {
	return slices.ContainsFunc(specs, func(text string) bool {
		return slices.ContainsFunc(strings.Fields(Suffix(text)),
			func(word string) bool { return strings.HasPrefix(word, "missing=") })
	})
}

// checkMissing rejects to fill in the values of kernels that are not over a view, or whose code or
// matrix states what they are. It comes once the sets of the plan are known.
func (p *plan) checkMissing(c *Context) error {
	switch k := p.proto.Kind; {
	case p.missing == MissingUnsaid:
		return nil
	case k == Precomputed || k == User || k == Pairwise || p.factors > 0 || k.OfStrings():
		return fmt.Errorf("missing= behind %s: it is for a kernel of numbers of one view", k)
	case p.family != eachView && p.view == "":
		return errors.New("missing= behind a kernel that is not over a view: write @ and its name")
	case !c.Flags:
		return errors.New("missing= without --missing, which says what rows lack the view")
	}
	return nil
}

// flagOf returns the feature that is the flag of a view.
func flagOf(name string, c *Context) int32 {
	for v := range c.Views {
		if c.Views[v].Name == name {
			return int32(c.Features + v)
		}
	}
	return AllFeatures // A plan names views that there are.
}

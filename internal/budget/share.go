package budget

import (
	"strings"

	"bigmkl/internal/bytesize"
	"bigmkl/internal/fail"
)

// Part is something that takes memory or disk.
type Part struct {
	Name string
	// Formula states how Bytes is computed from the points n, the features d, the kernels M and
	// the points q of a working set. It is empty where that would be long.
	Formula string
	Bytes   int64
}

// Share is a budget, of memory or of disk, and how it is divided. All figures are bytes.
type Share struct {
	Budget int64
	// Fixed lists what the busiest moment of a run takes whatever the budget is.
	Fixed []Part
	// Gradients is what the gradients take if they are held here, with the copies of those of
	// active points. It is 0 if they are held elsewhere.
	Gradients int64
	// Rows is what the cache of base rows gets.
	Rows int64
	// Least is the smallest budget that is enough: the sum of Fixed.
	Least int64
	// InCore is the smallest memory budget with which all gradients are in memory, and the smallest
	// disk budget in that case.
	InCore int64
	// Ample is the smallest budget with which nothing is computed twice, whatever the run needs.
	// More has no use.
	Ample int64
	// Outlined is the shape of a run that was counted without its points. Least is then an upper
	// bound of the smallest budget that is enough. Otherwise Outlined is empty.
	Outlined string
}

// Exceeded is the cause of an error of Share.Reject. It has the share, by which the needs of several trainings can be
// compared.
type Exceeded struct {
	*Share
	What string // as Share.Reject has it
}

// Error implements error.
func (e *Exceeded) Error() string { return "too little " + e.What }

// Reject returns an error of class fail.Budget if the budget is not enough. It states what the run
// takes, and hints at the least budget that is enough. what is "memory" or "disk", and the name of
// the flag. The cause is an Exceeded.
func (s *Share) Reject(what string) error {
	if s.Least <= s.Budget {
		return nil
	}
	given := bytesize.Text(s.Budget)
	if s.Budget == NoDisk {
		given = "0"
	}
	var parts []string
	for _, p := range s.Fixed {
		if p.Formula != "" {
			p.Name += " " + p.Formula
		}
		parts = append(parts, p.Name+" = "+bytesize.Text(p.Bytes))
	}
	shape, takes, hint := "a run of this shape", "takes", "the least that is enough is --%s %s"
	if s.Outlined != "" {
		shape, takes, hint = s.Outlined, "take up to", "--%s %s is enough, and less may be"
	}
	e := fail.New(fail.Budget, "%s %s %s of %s: %s; --%s is %s", shape, takes, bytesize.Text(s.Least), what,
		strings.Join(parts, " + "), what, given).WithHint(hint, what, bytesize.Flag(s.Least))
	e.Err = &Exceeded{s, what}
	return e
}

// Fixed returns the share of a memory budget in which the given parts are there all the time,
// beside the program. The parts are what lives in the heap; the result has its slack.
func Fixed(memory int64, parts []Part) Share {
	s := Share{
		Budget: memory, Least: runtimeBytes, Fixed: []Part{{"the program", "", runtimeBytes}},
	}
	for _, p := range parts {
		p.Bytes = int64(Slack * float64(p.Bytes))
		s.Fixed, s.Least = append(s.Fixed, p), s.Least+p.Bytes
	}
	return s
}

// total returns the sum of the parts.
func total(parts []Part) int64 {
	sum := int64(0)
	for _, p := range parts {
		sum += p.Bytes
	}
	return sum
}

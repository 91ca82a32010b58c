package budget

import (
	"strings"

	"bigmkl/internal/bytesize"
	"bigmkl/internal/fail"
)

// Part is something that takes memory or disk. Formula says how much in bytes, where it is short: n
// points, d features, M kernels, a working set of q points.
type Part struct {
	Name, Formula string
	Bytes         int64
}

// Share is a budget, of memory or of disk, and how it is divided. All figures are bytes.
type Share struct {
	Budget    int64
	Fixed     []Part // what the busiest moment of a run takes whatever the budget
	Gradients int64  // of the gradients, if they are held here, with copies of those of active points
	Rows      int64  // for the cache of base rows
	Least     int64  // the smallest budget that will do: the sum of Fixed
	InCore    int64  // from here on nothing is out of core
	Ample     int64  // from here on nothing is computed twice, whatever the run needs; more has no use
	Outlined  string // shape of a run that was counted without its points: Least does, and less may. Else ""
}

// Refuse says why a budget will not do, and which will: an error of class fail.Budget. It is nil if
// the budget does. what is "memory" or "disk".
func (s *Share) Refuse(what string) error {
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
	if s.Outlined != "" {
		return fail.New(fail.Budget, "%s take up to %s of %s: %s; --%s is %s", s.Outlined, bytesize.Text(s.Least), what, strings.Join(parts, " + "), what, given).
			WithHint("--%s %s does, and less may", what, bytesize.Flag(s.Least))
	}
	return fail.New(fail.Budget, "a run of this shape takes %s of %s: %s; --%s is %s", bytesize.Text(s.Least), what, strings.Join(parts, " + "), what, given).
		WithHint("the least that does is --%s %s", what, bytesize.Flag(s.Least))
}

// Fixed is the share of a memory budget by parts that are there all the time, beside the program.
func Fixed(memory int64, parts []Part) Share {
	s := Share{Budget: memory, Least: runtimeBytes, Fixed: []Part{{"the program", "", runtimeBytes}}}
	for _, p := range parts {
		p.Bytes = int64(Slack * float64(p.Bytes))
		s.Fixed, s.Least = append(s.Fixed, p), s.Least+p.Bytes
	}
	return s
}

func total(parts []Part) int64 {
	sum := int64(0)
	for _, p := range parts {
		sum += p.Bytes
	}
	return sum
}

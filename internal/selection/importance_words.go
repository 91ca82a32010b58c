package selection

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"bigmkl/internal/fail"
)

// The text output of the command and its page have the same sentences about an importance, so
// they are made here. Each has the figures and the probability that its finding rests on.

// ByLoss returns the numbers of the sources, the source with the largest loss first. Equal
// losses keep the order of the kernels.
func (s *Importance) ByLoss() []int {
	order := make([]int, len(s.Sources))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Sources[b].LeftOut.Mean, s.Sources[a].LeftOut.Mean) })
	return order
}

// Word returns the finding in a few words for a column of a table, with the name of the other
// source of a redundant pair.
func (x *Source) Word() string {
	switch {
	case x.Finding != Redundant:
		return string(x.Finding)
	case x.With == "":
		return "redundant with the others"
	}
	return "redundant with " + fail.Name(x.With)
}

// Summary describes the findings about all sources in a sentence.
func (s *Importance) Summary() string {
	var parts []string
	// What a reader may act on comes first: sources to keep, then sources to drop, then sources
	// that need more rows.
	for _, f := range []Finding{Needed, Helps, Redundant, UndecidedYet, NoSign} {
		var names []string
		for _, k := range s.ByLoss() {
			if s.Sources[k].Finding == f && len(names) < mostNamed {
				names = append(names, fail.Name(s.Sources[k].Name))
			}
		}
		n := 0
		for k := range s.Sources {
			if s.Sources[k].Finding == f {
				n++
			}
		}
		if n > len(names) {
			names = append(names, fmt.Sprintf("%d more", n-len(names)))
		}
		if n > 0 {
			parts = append(parts, map[Finding]string{Needed: "Needed", Helps: "Of help", Redundant: "Redundant", UndecidedYet: fmt.Sprintf("Undecided at %d rows", s.Rows),
				NoSign: "Without a sign of use"}[f]+": "+strings.Join(names, ", ")+".")
		}
	}
	return strings.Join(parts, " ")
}

// BestAlone returns the number of the source that alone predicts better than all sources, as far as that is shown by the
// test of the findings: by more than the region of practical equivalence. Of several it has the largest mean. It is -1 if
// there is none. It happens when other sources are noise that the norm does not remove, and is then a
// reason to leave them out.
func (s *Importance) BestAlone() int {
	best := -1
	for k := range s.Sources {
		if w := &s.Sources[k].OverAll; shows(w.Relevant) && (best < 0 || w.Mean > s.Sources[best].OverAll.Mean) {
			best = k
		}
	}
	return best
}

// DescribeBestAlone describes the source that alone predicts better than all sources, or returns "".
func (s *Importance) DescribeBestAlone() string {
	k := s.BestAlone()
	if k < 0 {
		return ""
	}
	x := &s.Sources[k]
	return fmt.Sprintf("%s alone predicts better than all sources together: %s %.4f in place of %.4f, a difference of more than %.3g with probability %.2f.",
		fail.Name(x.Name), s.Measure, x.Alone.Mean, s.Whole.Mean, s.Rope, x.OverAll.Relevant)
}

// ExplainNoSign describes what the finding "no sign of use" does not mean, or is "" if no source has it.
func (s *Importance) ExplainNoSign() string {
	if !slices.ContainsFunc(s.Sources, func(x Source) bool { return x.Finding == NoSign }) {
		return ""
	}
	return fmt.Sprintf("No sign of use means that %d rows show no use of the source. It does not mean that the source is useless: a weak source may need more rows.", s.Rows)
}

// mostNamed is the number of sources that a summary names of each finding.
const mostNamed = 12

// Describe describes the findings about source k in a sentence or two. A sentence has the figure, its
// probability and the region, because a finding without them cannot be judged.
func (s *Importance) Describe(k int) string {
	x := &s.Sources[k]
	name := fail.Name(x.Name)
	loss := fmt.Sprintf("without it %s is %s", s.Measure, changed(&x.LeftOut))
	switch x.Finding {
	case Needed:
		return fmt.Sprintf("%s is needed: %s, by more than %.3g with probability %.2f.", name, loss, s.Rope, x.LeftOut.Relevant)
	case Helps:
		return fmt.Sprintf("%s helps: %s, a loss with probability %.2f. That it is more than %.3g is not shown (probability %.2f).",
			name, loss, x.LeftOut.Above, s.Rope, x.LeftOut.Relevant)
	case Redundant:
		if x.With != "" {
			return fmt.Sprintf("%s is redundant with %s: %s, while alone it gains %.4f ±%.4f, and without both %s is %s.", name, fail.Name(x.With), loss,
				x.Gain.Mean, x.Gain.Error, s.Measure, changed(s.pairLoss(k, x.With)))
		}
		return fmt.Sprintf("%s is redundant with the others together: alone it gains %.4f ±%.4f, but %s, a loss of at most %.3g with probability %.2f.", name,
			x.Gain.Mean, x.Gain.Error, loss, s.Rope, x.LeftOut.Negligible)
	case NoSign:
		return fmt.Sprintf("%s shows no sign of use: alone it gains %.4f ±%.4f over a constant prediction, and %s.", name, x.Gain.Mean, x.Gain.Error, loss)
	}
	text := fmt.Sprintf("%s is undecided at %d rows: %s, a loss of more than %.3g with probability %.2f.", name, s.Rows, loss, s.Rope, x.LeftOut.Relevant)
	// The number is an extrapolation from the present loss and its error, so it is rounded to
	// two digits.
	if x.RowsNeeded > 0 {
		text += fmt.Sprintf(" About %s rows would decide it, if the loss is what it seems.", roughly(x.RowsNeeded))
	}
	return text
}

// changed describes by how much a figure is worse.
func changed(w *Worth) string {
	word := "worse"
	if w.Mean < 0 {
		word = "better"
	}
	return fmt.Sprintf("%s by %.4f ±%.4f", word, math.Abs(w.Mean), w.Error)
}

// pairLoss returns the loss without a source and another one.
func (s *Importance) pairLoss(k int, other string) *Worth {
	for i := range s.Pairs {
		p := &s.Pairs[i]
		if p.First == k && s.Sources[p.Second].Name == other || p.Second == k && s.Sources[p.First].Name == other {
			return &p.LeftOut
		}
	}
	return new(Worth)
}

// roughly writes a number with two digits. More digits would suggest an accuracy that an extrapolation
// lacks.
func roughly(n int) string {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return fmt.Sprint((n + unit/2) / unit * unit)
}

// Substitutes returns the redundant pairs in which at least one source has the finding
// Redundant.
func (s *Importance) Substitutes() (pairs []SourcePair) {
	for _, p := range s.Pairs {
		if p.Redundant && (s.Sources[p.First].Finding == Redundant || s.Sources[p.Second].Finding == Redundant) {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

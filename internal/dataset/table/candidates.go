package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bigmkl/internal/fail"
)

// Column holds the facts of the first rows of a table about one of its columns.
type Column struct {
	// Name is the name, or the number from 1 of a column without one.
	Name string
	// Unnamed is set where the first line leaves the name out.
	Unnamed bool
	// Numbers and Words count fields. Distinct is the number of different ones, of which at most 65,537 are counted.
	Numbers, Words, Distinct int
	// Lacking is set if a value is missing.
	Lacking bool
	// Names is set if nearly every row has a word of its own, Row if every row has a whole number of its own, and Dates if
	// the words are dates. Numbers in another form and dates are not names, even if each occurs once.
	Names, Row, Dates bool
}

// columns describes the columns of a sample.
func (s *sample) columns(o *Options) (list []Column) {
	for k := range s.stats {
		x := &s.stats[k]
		c := Column{Name: s.names[k], Unnamed: s.unnamed[k], Numbers: x.numbers, Words: x.words, Lacking: x.lacking}
		c.Dates = x.words > 0 && !x.formed() && x.dated()
		c.Names = x.words > 0 && !x.formed() && !x.dated() && x.names()
		whole := true
		for word := range x.categories {
			if !o.missing(word) {
				c.Distinct++
			}
			v, ok := o.number(word)
			whole = whole && ok && v == float64(int64(v))
		}
		c.Row = whole && c.Distinct == x.numbers && x.numbers >= fewValues
		list = append(list, c)
	}
	return list
}

// IsKnownLabel reports whether a column has a name by which labels are known without being asked for.
func (c *Column) IsKnownLabel() bool { return slices.Contains(labelNames, strings.ToLower(c.Name)) }

// likelyNames are words in the names of columns that often have the labels. vagueNames often belong to features, too:
// the place of a column at the end is better evidence than such a name.
var (
	likelyNames = []string{"label", "class", "target", "outcome", "diagnos", "disease", "survived", "species", "response", "churn"}
	vagueNames  = []string{"status", "result", "default", "quality", "grade", "category", "type", "group", "sex"}
)

const (
	// mostLabels is the largest number of different values of a column that is taken for classes.
	mostLabels = 20
	// mostCandidates is the number of candidates.
	mostCandidates = 3
)

// Candidates returns the columns that are most likely to have the labels, the likeliest first: of those with a few values
// that recur the ones with a likely name, then the last column, vague names and the first column, then the columns of the
// fewest values; and at last the last column if it has numbers alone.
func Candidates(columns []Column) []Column {
	type ranked struct {
		Column
		rank int
	}
	var list []ranked
	for k, c := range columns {
		last := k == len(columns)-1
		values := c.Numbers + c.Words
		few := c.Distinct >= 2 && c.Distinct <= mostLabels && values >= 2*c.Distinct
		likely, vague := placeOf(c.Name, likelyNames), placeOf(c.Name, vagueNames)
		rank := len(likelyNames) + len(vagueNames) + c.Distinct + 2 // Fewer values come first.
		switch {
		case c.IsKnownLabel():
			rank = -1
		case !few && !(last && c.Words == 0 && c.Distinct >= 2 && !c.Row):
			continue
		case likely >= 0:
			rank = likely
		case few && last:
			rank = len(likelyNames)
		case vague >= 0:
			rank = len(likelyNames) + 1 + vague
		case few && k == 0:
			rank = len(likelyNames) + len(vagueNames) + 1
		case !few:
			rank = len(likelyNames) + len(vagueNames) + 2 + mostLabels + 1
		}
		list = append(list, ranked{c, rank})
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	var best []Column
	for _, c := range list[:min(mostCandidates, len(list))] {
		best = append(best, c.Column)
	}
	return best
}

// placeOf returns the place of the first word that a name contains, and -1 if it contains none.
func placeOf(name string, words []string) int {
	return slices.IndexFunc(words, func(word string) bool { return strings.Contains(strings.ToLower(name), word) })
}

// likely lists the candidates for a message, and is empty if there are none.
func (s *sample) likely(o *Options) string {
	var texts []string
	for _, c := range Candidates(s.columns(o)) {
		texts = append(texts, c.Describe())
	}
	if texts == nil {
		return ""
	}
	return "; likely " + strings.Join(texts, " or ")
}

// Describe returns the name of a column with the number of its values.
func (c *Column) Describe() string {
	if c.Words == 0 && c.Distinct > mostLabels {
		return fmt.Sprintf("%s (numbers)", fail.Label(c.Name))
	}
	return fmt.Sprintf("%s (%d values)", fail.Label(c.Name), c.Distinct)
}

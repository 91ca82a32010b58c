package selection

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
)

// TestTwinsAreWarnedOf: rows that are in a fold and, as equals, in its training are warned of where they are many, and not
// where groups keep them together.
func TestTwinsAreWarnedOf(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 8), 90, 3, 2, false)
	groups := make([]string, len(rows))
	for i := range rows {
		groups[i] = fmt.Sprint(i)
	}
	twins := slices.Clone(rows)
	named := slices.Clone(groups)
	for i := range 30 {
		r := rows[i]
		r.Index, r.Value = slices.Clone(r.Index), slices.Clone(r.Value)
		twins, named = append(twins, r), append(named, groups[i])
	}
	for _, c := range []struct {
		name   string
		rows   []dataset.Row
		groups []string
		many   bool
	}{{"none", rows, nil, false}, {"few", twins[:93], nil, false}, {"many", twins, nil, true}, {"together", twins, named, false}} {
		o := small()
		o.Norms, o.Costs, o.Splits.Groups = []float64{2}, []float64{1}, c.groups
		o.NoBaselines = true
		s, _, err := selectRows(t, t.Context(), c.rows, o)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(s.Warnings, "\n")
		if strings.Contains(text, "held-out rows have the features of a row of their training") != c.many {
			t.Errorf("%s: %q", c.name, text)
		}
		if c.many && !strings.Contains(text, "--groups-file") {
			t.Errorf("%s: no option is named: %q", c.name, text)
		}
	}
}

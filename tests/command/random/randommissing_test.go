package random

import (
	"fmt"
	"strings"
	"testing"
)

// drawMissing draws views that rows lack, and what kernels of views put in.
func (q *posed) drawMissing(t testing.TB) {
	if q.mixture || q.gates != "" || len(q.views) == 0 || q.kind == sequenceClasses || !q.oneIn(3, "missing") {
		return
	}
	for i, spec := range q.banks.specs {
		_, set, _ := strings.Cut(spec, "@")
		set, _, _ = strings.Cut(set, " ")
		view := set == "each-view"
		for _, v := range q.views {
			view = view || set == v.Name
		}
		if view && !strings.ContainsAny(spec, "()") && q.IntN(4) > 0 {
			q.banks.specs[i] += " missing=" + anyOf(q.Rand, "none", "self", "all")
			q.missing = true
		}
	}
	if !q.missing {
		return
	}
	// Rows that lack views have no features outside of them.
	q.views[0].Last = q.features
	var views strings.Builder
	for _, v := range q.views {
		fmt.Fprintf(&views, "%s %d %d\n", v.Name, v.First, v.Last)
	}
	q.write(t, "views", views.String())
	what := "empty"
	if q.IntN(3) > 0 {
		var b strings.Builder
		for i := range len(q.rows) / 2 { // --limit leaves half of the rows at least
			if q.IntN(2) == 0 {
				fmt.Fprintf(&b, "%d %s\n", i+1, q.views[q.IntN(len(q.views))].Name)
			}
		}
		what = q.write(t, "missing", b.String())
	}
	q.add("--missing", what)
	q.verify, q.predict = append(q.verify, "--missing", what), append(q.predict, "--missing", what)
}

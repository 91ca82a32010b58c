package budgets

import (
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
)

// TestUnscaledFeaturesAreSaid: features of very unequal spread get one line if a kernel adds them up, and none if they are scaled, or
// if every kernel sees features of one spread.
func TestUnscaledFeaturesAreSaid(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 77)
	rows := datasettest.Clusters(rng, 80, 6, 2, false)
	for i := range rows {
		for k, j := range rows[i].Index {
			if j == 0 {
				rows[i].Value[k] *= 1e4
			}
		}
	}
	views := []dataset.View{{Name: "large", First: 1, Last: 1}, {Name: "small", First: 2, Last: 6}}
	for _, c := range []struct {
		o    bigmkl.Options
		said bool
	}{
		{bigmkl.Options{Kernels: "gauss:auto/3"}, true}, {bigmkl.Options{Kernels: "linear,poly:2"}, true}, {bigmkl.Options{Kernels: "linear"}, false}, {bigmkl.Options{Kernels: "laplace:auto"}, true},
		{bigmkl.Options{Kernels: "gauss:auto/3", Scale: "standard"}, false}, {bigmkl.Options{Kernels: "gauss:auto@2-6"}, false}, {bigmkl.Options{Kernels: "gauss:auto@each-view", Views: views}, false},
		{bigmkl.Options{Kernels: "gauss:auto@each-view,gauss:auto", Views: views}, true}, {bigmkl.Options{Kernels: "gauss:auto@each-feature"}, false},
	} {
		if c.o.Scratch = t.TempDir(); c.o.Scale == "" {
			c.o.Scale = dataset.ScaleNone
		}
		_, r, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), c.o)
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, w := range r.Warnings {
			if strings.HasPrefix(w, "few features decide the distances of rows: ") && strings.Contains(w, "(--scale auto or standard ") {
				said++
			}
		}
		if said > 1 || c.said != (said == 1) {
			t.Errorf("%s %s: %q", c.o.Kernels, c.o.Scale, r.Warnings)
		}
	}
}

// TestOddViewsAreSaid: views that leave features out, overlap or end behind the rows get one line, others none.
func TestOddViewsAreSaid(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 78)
	rows := datasettest.Clusters(rng, 60, 6, 2, false)
	for _, c := range []struct {
		views []dataset.View
		want  string
	}{
		{[]dataset.View{{Name: "a", First: 1, Last: 2}, {Name: "b", First: 3, Last: 6}}, ""},
		{[]dataset.View{{Name: "b", First: 3, Last: 6}, {Name: "a", First: 1, Last: 2}}, ""},
		{[]dataset.View{{Name: "a", First: 2, Last: 3}, {Name: "b", First: 5, Last: 5}}, "views: 3 of 6 features are in no view"},
		{[]dataset.View{{Name: "a", First: 1, Last: 4}, {Name: "b", First: 4, Last: 6}}, "views: some overlap in part"},
		{[]dataset.View{{Name: "a", First: 1, Last: 2}, {Name: "all", First: 1, Last: 6}, {Name: "b", First: 3, Last: 6}, {Name: "c", First: 4, Last: 4}}, ""},
		{[]dataset.View{{Name: "a", First: 1, Last: 9}}, "views: view a ends at feature 9, and no row goes beyond 6"},
		{[]dataset.View{{Name: "a", First: 1, Last: 2}, {Name: "b", First: 2, Last: 3}, {Name: "c", First: 8, Last: 8}}, "views: 4 of 8 features are in no view; some overlap in part; view c ends at feature 8, and no row goes beyond 6"},
	} {
		_, r, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), bigmkl.Options{Views: c.views, Kernels: "linear", Scratch: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, "views: ") })
		if c.want == "" && i >= 0 || c.want != "" && (i < 0 || r.Warnings[i] != c.want) {
			t.Errorf("%v: %q, want %q", c.views, r.Warnings, c.want)
		}
	}
}

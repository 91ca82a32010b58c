package claims

import (
	"slices"
	"strings"
	"testing"

	"bigmkl/tests/commandtest"
)

// TestNamedForgeries: changes that verification once accepted.
func TestNamedForgeries(t *testing.T) {
	t.Parallel()
	replace := func(from, to string) func(*commandtest.Forgery) {
		return func(f *commandtest.Forgery) {
			if f.Text = strings.Replace(f.Raw, from, to, 1); f.Text == f.Raw {
				t.Errorf("no %s in %s", from, f.Raw)
			}
		}
	}
	const none = `,"certificate":{"kind":"","primal":0,"dual":0,"relative_gap":0}`
	for _, c := range []struct {
		name, family, want string // the text of a complaint, or the key that is named as not checked
		change             func(*commandtest.Forgery)
	}{
		{"a gap of 7", "classes", "gap 7 is not between 0 and 1", replace(`"gap":0.001`, `"gap":7`)},
		{"a gap of 0", "classes", "gap 0 is not between 0 and 1", replace(`"gap":0.001`, `"gap":0`)},
		{"no gap", "classes", "the field gap is missing", replace(`"gap":0.001,`, "")},
		{"no certificate of several classifiers", "pairs", "the field certificate is missing", replace(none, "")},
		{"a certificate beside those of classifiers", "rest", "a certificate of several classifiers", replace(`"relative_gap":0}`, `"relative_gap":1}`)},
		{"A doubled", "probabilities", "sigmoids", func(f *commandtest.Forgery) { set(f, "sigmoids", 0, 2*elements(f, "sigmoids")[0]) }},
		{"another rule of classes", "discriminant", "discriminant.rule", replace(`"rule":"means"`, `"rule":"indicator"`)},
		{"row weights of no row", "classes", "all of the data are 1", replace(`"row_weights":false`, `"row_weights":true`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := slices.IndexFunc(families, func(f family) bool { return f.name == c.family })
			r := families[at].train(t)
			forged := commandtest.TakeApart(t, r.file)
			forged.Text = forged.Raw
			c.change(forged)
			list, open := r.complaints(forged)
			if !slices.ContainsFunc(append(list, open...), func(s string) bool { return strings.Contains(s, c.want) }) {
				t.Errorf("no complaint of %q in %q, and not checked are %q", c.want, list, open)
			}
		})
	}
}

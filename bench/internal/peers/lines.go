package peers

import (
	"slices"
	"strings"

	"bigmkl/bench/internal/harness"
)

// workLine is a problem with one Gaussian kernel on which programs are compared.
type workLine struct {
	name string
	data harness.DataSet
	// positive lists the labels of the positive class, if there are more than two classes and no pairs.
	positive []string
	pairs    bool // a classifier for each pair of classes
	// scale multiplies every value; 0 for 1. minmax maps every feature to [0, 1] instead.
	scale  float64
	minmax bool
	points int // the first rows; 0 for all
	// gamma is the parameter of exp(-gamma |u-v|^2), and c the cost of LIBSVM.
	// epsilon is the half-width of the tube of a regression.
	gamma, c   float64
	regression bool
	epsilon    float64
}

// listLines lists the problems: few rows, many classifiers, many features, large sets, large
// costs and regressions. Each kind is one where some program is known to be strong, since the
// table is to show where this program is slower.
func listLines(s *harness.Session) []workLine {
	// The seed is fixed, so all programs and versions have the same rows.
	generated := func(kind string, points, features int) harness.DataSet {
		return harness.DataSet{Name: "generated " + kind, Synthetic: &harness.Synthetic{
			Kind: kind, Points: points, Features: features, Seed: 7}}
	}
	// An absent set has no file. chooseLines notes it and leaves the line out.
	set := func(name string) harness.DataSet {
		d, _ := s.Data.Find(name, "")
		d.Name = name
		return d
	}
	if s.Quick {
		return []workLine{
			{name: "text", data: generated(harness.TextKind, 150, 10000), gamma: 1, c: 1},
			{name: "pairs", data: generated("patterns", 200, 100), pairs: true, gamma: 0.02, c: 10},
			{name: "regression", data: generated("dense", 100, 10), regression: true, gamma: 0.05, c: 1, epsilon: 0.1},
		}
	}
	tree := []string{"2"} // the most frequent kind of trees of covtype
	// Small sets show the start of a process, large costs the number of iterations, and large sets the
	// kernel values.
	list := []workLine{
		// gamma = 1/123 is LIBSVM's default for the 123 features of a9a.
		{name: "a9a, 100 rows", data: set("a9a"), points: 100, gamma: 1.0 / 123, c: 1},
		{name: "a9a, 300 rows", data: set("a9a"), points: 300, gamma: 1.0 / 123, c: 1},
		{name: "a9a, 1,000 rows", data: set("a9a"), points: 1000, gamma: 1.0 / 123, c: 1},
		// Features are 0 to 15, so 1/15 maps them to [0, 1].
		{name: "letter, 4,000 rows, 325 pairs", data: set("letter"), points: 4000, pairs: true,
			scale: 1.0 / 15, gamma: 0.5, c: 10},
		{name: "letter, 20,000 rows, 325 pairs", data: set("letter"), pairs: true, scale: 1.0 / 15, gamma: 0.5, c: 10},
		// Many features are a case for sparse products, and dense rows for dense ones.
		{name: "generated text, 1,000,000 features", data: generated(harness.TextKind, 4000, 1000000), gamma: 1, c: 1},
		{name: "generated dense rows, 20,000 features", data: generated("dense", 200, 20000), gamma: 1.0 / 20000, c: 1},
		{name: "a9a, 2,000 rows, C = 1000", data: set("a9a"), points: 2000, gamma: 1.0 / 123, c: 1e3},
		{name: "a9a, 2,000 rows, C = 100000", data: set("a9a"), points: 2000, gamma: 1.0 / 123, c: 1e5},
		{name: "covtype, 2,000 rows, C = 1000", data: set("covtype20k"), points: 2000, positive: tree,
			minmax: true, gamma: 1, c: 1e3},
		{name: "covtype, 2,000 rows, C = 100000", data: set("covtype20k"), points: 2000, positive: tree,
			minmax: true, gamma: 1, c: 1e5},
		{name: "covtype, 20,000 rows", data: set("covtype20k"), positive: tree, minmax: true, gamma: 1, c: 10},
		// Lines without a number of rows have the whole set.
		{name: "a9a", data: set("a9a"), gamma: 1.0 / 123, c: 1},
		{name: "w8a", data: set("w8a"), gamma: 0.05, c: 1},
		{name: "ijcnn1", data: set("ijcnn1"), gamma: 2, c: 8},
		{name: "MNIST even/odd, 10,000 rows", data: set("mnist"), points: 10000, positive: harness.EvenDigits,
			scale: 1.0 / 255, gamma: 0.02, c: 10},
		{name: "SUSY, 30,000 rows", data: set("susy30k"), gamma: 1.0 / 18, c: 1},
	}
	for _, c := range []struct {
		name string
		c    float64
	}{{"10", 10}, {"100", 100}, {"1000", 1e3}, {"10000", 1e4}} {
		list = append(list, workLine{name: "whitewine, 2,000 rows, svr, C = " + c.name, data: set("whitewine"),
			points: 2000, minmax: true, gamma: 5, c: c.c, regression: true, epsilon: 0.1})
	}
	return list
}

// chooseLines returns the lines whose names begin with one of only, or all lines, if their data
// are found. It notes data that are absent.
func chooseLines(s *harness.Session, r *harness.Report, only []string) []workLine {
	var list []workLine
	for _, l := range listLines(s) {
		// A prefix selects all lines of a set.
		begins := func(start string) bool { return strings.HasPrefix(l.name, start) }
		switch {
		case len(only) > 0 && !slices.ContainsFunc(only, begins):
		case l.data.File == "" && l.data.Synthetic == nil:
			r.Note("%s", s.Data.DescribeAbsence(l.data.Name))
		default:
			list = append(list, l)
		}
	}
	return list
}

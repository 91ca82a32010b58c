package command

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bigmkl/tests/commandtest"
)

// TestRowsThatContradictAreSaid: equal features with two labels get one line, and not where labels are
// targets or uncertain, or where a matrix may separate the rows.
func TestRowsThatContradictAreSaid(t *testing.T) {
	f := commandtest.NewFolder(t)
	text := commandtest.Text(60, 1)
	var all, posteriors strings.Builder
	all.WriteString(text)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, l := range lines[:2] { // The labels are +1 and -1.
		label, rest, _ := strings.Cut(l, " ")
		fmt.Fprintf(&all, "%s %s\n", map[bool]string{true: "-1", false: "+1"}[strings.TrimPrefix(label, "+") == "1"], rest)
	}
	odd, plain := f.File("odd", all.String()), f.File("plain", text+lines[0]+"\n"+lines[1]+"\n")
	for i := range 62 {
		fmt.Fprintf(&posteriors, "%g\n", 0.3+0.4*float64(i%2))
	}
	commandtest.Must(t, "gram", "--quiet", "--kernels", "linear", "-o", f.At("K.npy"), odd)
	for _, c := range []struct {
		data string
		args []string
		want string
	}{
		{odd, nil, "4 of 62 rows have the features of another row and another label"}, {plain, nil, ""},
		{odd, []string{"--store", "sparse"}, "4 of 62 rows"}, {odd, []string{"--limit", "61"}, "2 of 61 rows"}, {odd, []string{"--limit", "60"}, ""},
		{odd, []string{"--task", "svr"}, ""}, {odd, []string{"--task", "oneclass"}, ""}, {odd, []string{"--kernels", "precomputed:" + f.At("K.npy")}, ""},
		{odd, []string{"--posteriors", f.File("p", posteriors.String())}, ""},
	} {
		o := commandtest.Must(t, append([]string{"train", "--quiet", "--kernels", "linear", "-o", f.At("m"), c.data}, c.args...)...)
		if got := strings.Count(o.Stderr, "and another label"); got > 1 || (got == 1) != (c.want != "") || !strings.Contains(o.Stderr, c.want) {
			t.Errorf("%q on %s: %s", c.args, c.data, o.Stderr)
		}
	}
}

// TestClassesOfFewerRowsThanFolds: they get one line wherever there are folds, and none without.
func TestClassesOfFewerRowsThanFolds(t *testing.T) {
	f := commandtest.NewFolder(t)
	write := func(name string, counts ...int) string {
		rng := rand.New(rand.NewPCG(9, 9))
		var b strings.Builder
		for c, n := range counts {
			for range n {
				fmt.Fprintf(&b, "%d 1:%.4f 2:%.4f\n", c, rng.NormFloat64()+float64(c), rng.NormFloat64())
			}
		}
		return f.File(name, b.String())
	}
	one, two, fine := write("one", 30, 3), write("two", 30, 4, 1), write("fine", 30, 5, 6)
	train := []string{"train", "--kernels", "linear", "-o", f.At("m")}
	search := []string{"select", "--kernels", "linear", "--grid-C", "1", "-o", f.At("folder")}
	for k, c := range []struct {
		command []string
		data    string
		args    []string
		want    string
	}{
		{train, one, []string{"--probability"}, "class 1 has fewer rows than there are folds, 3 of 5: some folds say nothing of it (--folds 3, or more rows of it)"},
		{train, two, []string{"--probability", "--multiclass", "ovr"}, "class 2 has fewer rows than there are folds, 1 of 5, and so are 1 more of 3 classes: some folds say nothing of it (more rows of it)"},
		{train, one, nil, ""}, {train, one, []string{"--probability", "--folds", "3"}, ""}, {train, fine, []string{"--probability", "--multiclass", "ovo"}, ""},
		{train, one, []string{"--kernels", "linear,gauss:1", "--weights", "rule:accuracy:0.5"}, "3 of 5"},
		{search, one, nil, "3 of 5"}, {search, one, []string{"--folds", "3"}, ""}, {search, two, []string{"--multiclass", "ovr"}, "1 of 5"}, {search, one, []string{"--splits", "3:0.3"}, ""},
	} {
		args := append(append([]string{}, c.command...), c.args...)
		if c.command[0] == "select" {
			args[len(search)-1] = f.At(fmt.Sprint("folder", k))
		}
		o := commandtest.Must(t, append(args, c.data)...)
		if got := strings.Count(o.Stderr, "has fewer rows than there are folds"); got > 1 || (got == 1) != (c.want != "") || !strings.Contains(o.Stderr, c.want) {
			t.Errorf("%q on %s: %d %s", c.args, c.data, o.Code, o.Stderr)
		}
	}
}

package exchange

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestJoin joins three tables of the same objects in other orders and forms. Training on the joined table finds its views, and
// fields of objects that a table lacks are filled in.
func TestJoin(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	f, r := commandtest.NewFolder(t), rand.New(rand.NewPCG(seed, 0))
	const n = 60
	genes, clinic, outcome := "patient\tg.1\tg2\n", "age;patient;town\n", "patient,outcome\n"
	joined := "patient,gene.g.1,gene.g2,clinic.age,clinic.town,outcome\n"
	first, second := map[int]string{}, map[int]string{}
	label := func(k int) string { return []string{"no", "yes"}[k%2] }
	for k := range n {
		if k%7 != 0 {
			second[k] = fmt.Sprintf("%d,%s", 40+k%9, []string{"\"A, B\"", "C"}[k/2%2])
		}
	}
	var lines []string
	for _, k := range r.Perm(n) {
		first[k] = fmt.Sprintf("%.3f,%.3f", r.NormFloat64()+float64(2*(k%2)), r.NormFloat64())
		genes += fmt.Sprintf("p%d\t%s\n", k, strings.Replace(first[k], ",", "\t", 1))
		other := second[k]
		if other == "" {
			other = ","
		}
		joined += fmt.Sprintf("p%d,%s,%s,%s\n", k, first[k], other, label(k))
		outcome += fmt.Sprintf("p%d,%s\n", n-1-k, label(n-1-k))
	}
	for k, text := range second {
		age, town, _ := strings.Cut(text, ",")
		lines = append(lines, fmt.Sprintf("%s;p%d;%s\n", age, k, town))
	}
	clinic += strings.Join(lines, "") + "99;only here;C\n"
	joined += "only here,,,99,C,\n"
	files := []string{"gene=" + f.File("genes.tsv", genes), "clinic=" + f.File("clinic.csv.gz", commandtest.Gzipped(clinic)), f.File("outcome.csv", outcome)}
	o := commandtest.Must(t, append([]string{"convert", "--join", "patient", "-o", f.At("all.csv")}, files...)...)
	if got := f.Read("all.csv"); got != joined {
		t.Fatalf("joined:\n%s\nwant\n%s", got, joined)
	}
	for _, want := range []string{"genes.tsv lacks 1 of 61 objects: their fields are empty", "clinic.csv.gz lacks 9 of 61 objects", "outcome.csv lacks 1 of 61",
		"61 rows written; --id patient leaves the identifiers out of a training\n"} {
		if !strings.Contains(o.Stderr, want) {
			t.Errorf("%q is not in %s", want, o.Stderr)
		}
	}
	o = commandtest.Must(t, append([]string{"convert", "--quiet", "--join", "patient", "-o", "-"}, files...)...)
	if o.Stdout != joined || strings.Contains(o.Stderr, "written") {
		t.Errorf("to standard output: %q", o.Stderr)
	}
	f.File("known.csv", strings.Replace(joined, "only here,,,99,C,\n", "", 1))
	train := []string{"train", "--quiet", "--id", "patient", "--label", "outcome", "--impute", "median", "--kernels", "gauss:auto@each-view"}
	commandtest.Must(t, append(train, "-o", f.At("m"), f.At("known.csv"))...)
	commandtest.Must(t, "verify", "--quiet", f.At("m"), f.At("known.csv"))
	if o := commandtest.Must(t, "inspect", f.At("m")); !strings.Contains(o.Stdout, "gene") || !strings.Contains(o.Stdout, "clinic") {
		t.Errorf("views: %s", o.Stdout)
	}
	// Predictions take the object without a label, too.
	if o := commandtest.Must(t, "predict", "--quiet", "-o", "-", f.At("m"), f.At("all.csv")); strings.Count(o.Stdout, "\n") != n+1 {
		t.Errorf("%q", o.Stdout)
	}
}

// TestJoinsThatDoNotFit has a command line for each fault. The last lines are commands that read several tables
// without joining them.
func TestJoinsThatDoNotFit(t *testing.T) {
	f := commandtest.NewFolder(t)
	a, b := f.File("a.csv", "id,x,label\n1,2,u\n2,3,v\n"), f.File("b.csv", "id,y\n1,2\n2,3\n")
	join := func(args ...string) []string { return append([]string{"convert", "--join", "id"}, args...) }
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{contract.ExitUsage, "no column is named by which tables", []string{"convert", "--join", "", "-o", f.At("out.csv"), a, b}},
		{contract.ExitUsage, "joined tables are written as comma-separated values (-o OUT.csv)", join("-o", f.At("out.npz"), a, b)},
		{contract.ExitUsage, "--label has no meaning with --join (", join("-o", f.At("out.csv"), "--label", "label", a, b)},
		{contract.ExitUsage, "--join reads files and not standard input", join("-o", f.At("out.csv"), a, "-")},
		{contract.ExitUsage, "\"a.b\" as a name before columns", join("-o", f.At("out.csv"), "a.b="+a, b)},
		{contract.ExitUsage, "no data file is named", join("-o", f.At("out.csv"))},
		{contract.ExitUsage, "the result would replace an input file", join("-o", b, "v="+a, b)},
		{contract.ExitUsage, "two files are called v", join("-o", f.At("out.csv"), "v="+a, "v="+b)},
		{contract.ExitInput, "b.csv:1:4: two columns are called y", join("-o", f.At("out.csv"), b, b)},
		{contract.ExitInput, "no column is called id (the columns here are u", join("-o", f.At("out.csv"), a, f.File("u.csv", "u,v\n1,2\n"))},
		{contract.ExitInput, "rename the column of identifiers here, or take it by its number if it is the same in all files: --join 1)", join("-o", f.At("out.csv"), a, f.At("u.csv"))},
		{contract.ExitInput, "cannot open", join("-o", f.At("out.csv"), a, f.At("none.csv"))},
		{contract.ExitUsage, "only arrays are views (NAME=FILE takes .npy and .npz files; bigmkl convert --join ID makes", []string{"train", "-o", f.At("m"), "v=" + a, "w=" + b}},
		{contract.ExitInput, "several tables are more rows of one: bigmkl convert --join ID joins", []string{"train", "-o", f.At("m"), "--id", "id", a, b}},
		{contract.ExitInput, "b.csv:1: no column is called \"label\" (the columns are id, y; several tables are more rows of one: bigmkl convert --join ID joins", []string{"train", "-o", f.At("m"), "--label", "label", b, a}},
		{contract.ExitInput, "several tables are more rows of one: bigmkl convert --join ID joins", []string{"train", "-o", f.At("m"), "--id", "id", a, f.File("more.csv", "id,x,label,z\n1,2,u,3\n")}},
	} {
		o := commandtest.Try(c.args...)
		if o.Code != c.code || !strings.Contains(o.Stderr, c.want) || f.Exists("out.csv") || f.Exists("out.npz") || f.Exists("m") {
			t.Errorf("%q: exit code %d\n%s", c.args, o.Code, o.Stderr)
		}
	}
}

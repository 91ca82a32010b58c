package command

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestSourceAlone: if one view alone is better than all, the output has the command that selects with it, which runs as it is
// printed. Settings of the command line are called given, and others are not.
func TestSourceAlone(t *testing.T) {
	testlevel.Sample(t, 2, 1)
	const seed, rows, noise, views = 1, 100, 30, 6
	f, rng := commandtest.NewFolder(t), rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	b.WriteString("label,good.x")
	for k := range noise * views {
		fmt.Fprintf(&b, ",bad%d.%d", k/noise, k)
	}
	for i := range rows {
		fmt.Fprintf(&b, "\n%s,%.3f", []string{"no", "yes"}[i%2], float64(i%2)+0.7*rng.NormFloat64())
		for range noise * views {
			fmt.Fprintf(&b, ",%.3f", rng.NormFloat64())
		}
	}
	data := f.File("t.csv", b.String()+"\n")
	args := []string{"importance", "--quiet", "--kernels", "linear@each-view", "--scale", "none", "--norm", "2", "--grid-C", "1,10", "--folds", "3", "--repeat", "2", "--samples", "0"}
	said := commandtest.Must(t, append(args, "-o", f.At("i"), data)...).Stdout
	_, line, found := strings.Cut(said, "good alone predicts better than all sources together: auc ")
	_, line, next := strings.Cut(line, "Next:\n\n  bigmkl ")
	if !found || !next {
		t.Fatalf("seed %d:\n%s", seed, said)
	}
	line, _, _ = strings.Cut(line, "\n")
	if want := "select --kernels linear@good --measure auc -o selection-good --scale none --norm 2 --grid-C 1,10 --folds 3 --repeat 2 " + data; line != want {
		t.Fatalf("%q, want %q", line, want)
	}
	commandtest.Must(t, strings.Fields(strings.Replace(line, "-o selection-good", "-o "+f.At("s"), 1))...)
	if !strings.Contains(said, "p = 2 (as given, not chosen); C = ") || strings.Count(said, "as given") != 1 {
		t.Errorf("the norm is given, and C is chosen:\n%s", said)
	}
	if !strings.Contains(said, "\nauc of all sources is how well they predict new rows.") || !strings.Contains(said, "No sign of use means that 100 rows show no use") {
		t.Error(said)
	}
}

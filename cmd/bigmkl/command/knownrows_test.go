package command

import (
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestKnownRows: the rows of the training are called known, whatever their labels and whatever scales or fills them, and
// other rows are not: new ones, some of the rows, or rows in another order.
func TestKnownRows(t *testing.T) {
	const note = "these are the rows of the training"
	f, data, test, path := commandtest.Trained(t)
	lines := strings.SplitAfter(f.Read("train.txt"), "\n")
	first, second := lines[0], lines[1]
	lines[0], lines[1] = second, first
	turned := f.File("turned", strings.Join(lines, ""))
	bare := f.File("bare", strings.ReplaceAll(strings.ReplaceAll("\n"+f.Read("train.txt"), "\n-1 ", "\n+1 "), "\n+1 ", "\n1 ")[1:])
	table := f.File("p.csv", patients(90))
	commandtest.Must(t, "train", "--quiet", "--label", "outcome", "--id", "patient", "--impute", "median", "--scale", "standard", "-o", f.At("p"), table)
	for _, c := range []struct {
		model string
		data  string
		known bool
	}{
		{path, data, true}, {path, bare, true}, {path, test, false}, {path, turned, false},
		{path, f.File("some", strings.Join(lines[2:], "")), false}, {path, f.File("more", f.Read("train.txt")+first), false},
		{f.At("p"), table, true}, {f.At("p"), f.File("q.csv", patients(91)), false},
	} {
		if o := commandtest.Must(t, "predict", "-o", "/dev/null", c.model, c.data); strings.Contains(o.Stderr, note) != c.known {
			t.Errorf("%s: %q, want known %v", c.data, o.Stderr, c.known)
		}
		if o := commandtest.Must(t, "predict", "--quiet", "-o", "/dev/null", c.model, c.data); strings.Contains(o.Stderr, note) {
			t.Errorf("with --quiet: %q", o.Stderr)
		}
		_, has := commandtest.Object(t, contract.ExitFine, "predict", "--json", c.model, c.data)["training_rows"]
		if has != c.known {
			t.Errorf("%s: key training_rows %v, want %v", c.data, has, c.known)
		}
	}
	few := f.File("few", strings.Repeat("1 1:1\n-1 1:-1\n", 4))
	commandtest.Must(t, "train", "--quiet", "--kernels", "linear", "-o", f.At("few.model"), few)
	if o := commandtest.Must(t, "predict", "-o", "/dev/null", f.At("few.model"), few); strings.Contains(o.Stderr, note) {
		t.Errorf("few rows may be equal by chance: %q", o.Stderr)
	}
}

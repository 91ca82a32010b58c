package models

import (
	"bufio"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestImportanceAgainstSelections: the figure without a view equals the figure of a selection whose list lacks the view, on the same
// folds, within two errors of the difference and within the uncertainty of the gap.
func TestImportanceAgainstSelections(t *testing.T) {
	root := commandtest.DataFolder(t)
	for _, c := range []struct {
		set     string
		several string
		label   string // the label that is the positive class, of sets of labels
	}{{"advert998", "", ""}, {"yeast-ml", "", "1"}, {"orl4", "ovr", ""}, {"bbcsport2", "ovr", ""}} {
		t.Run(c.set, func(t *testing.T) {
			testlevel.SkipBelow(t, testlevel.EveryKind)
			testlevel.Sample(t, 4, 4)
			f := commandtest.NewFolder(t)
			data, views := filepath.Join(root, c.set, c.set+".libsvm.gz"), filepath.Join(root, c.set, c.set+".views.txt")
			names := viewsOf(t, views)
			if c.label != "" {
				data = f.File("rows", contrast(t, data, c.label))
			}
			common := []string{"--quiet", "--norm", "1.5", "--grid-C", "1", "--folds", "3", "--gap", "1e-3", "--views", views, "--measure", "accuracy", "--json"}
			if c.several != "" {
				common = append(common, "--multiclass", c.several)
			}
			kernels := func(left string) string {
				var specs []string
				for _, name := range names {
					if name != left {
						specs = append(specs, "gauss:auto@"+name)
					}
				}
				return strings.Join(specs, ",")
			}
			found := commandtest.Object(t, contract.ExitFine, append([]string{"importance", "--kernels", kernels(""), "--repeat", "1", "--samples", "0", "-o", f.At("i"), data}, common...)...)
			whole := found["whole"].(map[string]any)["mean"].(float64)
			for _, s := range testlevel.Few(t, c.set, 2, found["sources"].([]any)) {
				x := s.(map[string]any)
				name, loss := x["name"].(string), x["left_out"].(map[string]any)
				refit := commandtest.Object(t, contract.ExitFine, append([]string{"select", "--kernels", kernels(name), "--no-baselines", "-o", f.At("s-" + name), data}, common...)...)
				got, want := whole-loss["mean"].(float64), refit["cells"].([]any)[0].(map[string]any)["figures"].(map[string]any)["accuracy"].(map[string]any)["mean"].(float64)
				// A gap of 1e-3 may turn a few rows near the boundary.
				if d := math.Abs(got - want); d > max(2*loss["error"].(float64), 1e-12) && d > 3/found["rows"].(float64) {
					t.Errorf("without %s %g, and trained by a selection %g, error %g", name, got, want, loss["error"])
				}
			}
		})
	}
}

// viewsOf lists the names of a file of views.
func viewsOf(t *testing.T, path string) (names []string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if words := strings.Fields(line); len(words) > 2 && !strings.HasPrefix(line, "#") {
			names = append(names, words[0])
		}
	}
	return names
}

// contrast returns the rows of a compressed file of sets of labels, with the class 1 for those that have a label and -1 for
// the others.
func contrast(t *testing.T, path, label string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		labels, rest, _ := strings.Cut(lines.Text(), " ")
		class := "-1"
		if slices.Contains(strings.Split(labels, ","), label) {
			class = "1"
		}
		b.WriteString(class + " " + rest + "\n")
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

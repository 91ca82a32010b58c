package command

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// tutorialData writes the real data of docs/TUTORIAL.md.
func tutorialData(t *testing.T, f commandtest.Folder) {
	gzipped := func(name string, lines []string) { f.File(name, commandtest.Gzipped(strings.Join(lines, "\n")+"\n")) }
	gzipped("digits.libsvm.gz", commandtest.RealLines(t, "multifeat/multifeat.libsvm.gz", 0))
	f.File("digits.views.txt", "FAC 1 216\nFOU 217 292\nKAR 293 356\nMOR 357 362\nPIX 363 602\nZER 603 649\n")
	gzipped("wine.libsvm.gz", commandtest.RealLines(t, "whitewine/whitewine.libsvm.gz", 0))
	var sites []string
	for i, line := range commandtest.RealLines(t, "celegans-acc/celegans-acc.seq.tsv.gz", 20000) {
		if i%4 == 3 || !strings.HasPrefix(line, "-") {
			sites = append(sites, line)
		}
	}
	gzipped("sites.tsv.gz", sites)
}

// TestTutorialFigures: the tables of docs/TUTORIAL.md are what its selections find on the real data. Other instruction sets
// move the figures a little, as the gap allows.
func TestTutorialFigures(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes)
	const tolerance = 0.002
	page := filepath.Join(commandtest.Docs, "TUTORIAL.md")
	f := commandtest.NewFolder(t)
	tutorialData(t, f)
	commandsOnPath(t)
	cell, mean := regexp.MustCompile(`\| \**(0\.\d{4})\b`), regexp.MustCompile(`(0\.\d{4}) ±`)
	figures := func(text string, of *regexp.Regexp) (rows [][]float64) {
		for line := range strings.SplitSeq(text, "\n") {
			var row []float64
			for _, m := range of.FindAllStringSubmatch(line, -1) {
				v, err := strconv.ParseFloat(m[1], 64)
				if err != nil {
					t.Fatal(err)
				}
				row = append(row, v)
			}
			if len(row) > 1 { // The line that names the best has one figure.
				rows = append(rows, row)
			}
		}
		return rows
	}
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text, blocks := string(b), commandBlocks(t, page)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks", len(blocks))
	}
	for _, b := range blocks {
		_, behind, _ := strings.Cut(text, b.code)
		behind, _, _ = strings.Cut(behind, "\n## ")
		shown := figures(behind, cell)
		var code strings.Builder // Up to the selection.
		for line := range strings.SplitAfterSeq(b.code, "\n") {
			if code.WriteString(line); strings.HasPrefix(line, "bigmkl select ") {
				break
			}
		}
		c := exec.Command("sh", "-eu", "-c", code.String())
		c.Dir = f.Path
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s:%d: %v", page, b.line, err)
		}
		found := figures(string(out), mean)
		same := len(found) == len(shown) && len(shown) > 3
		for i := range shown {
			same = same && len(shown[i]) == len(found[i])
			for j := range shown[i] {
				same = same && math.Abs(shown[i][j]-found[i][j]) <= tolerance
			}
		}
		if !same {
			t.Errorf("%s:%d: the table has %v, and the output is\n%s", page, b.line, shown, out)
		}
	}
}

package command

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// compareImportance runs the commands of a block, and compares the table of sources in the text with what they find.
func compareImportance(t *testing.T, shell *documentShell, f commandtest.Folder, scratch, text, code string) {
	if out, err := shell.command(f, scratch, code).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var found struct {
		Sources []struct {
			Name, Finding  string
			Alone, LeftOut struct{ Mean float64 }
		}
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(f.Read("adverts/importance.json"), "left_out", "leftOut")), &found); err != nil {
		t.Fatal(err)
	}
	for _, s := range found.Sources {
		row := regexp.MustCompile(`\| ` + s.Name + `[^|]* \| ` + s.Finding + ` [^|]*\| (0\.\d{4}) \| (-?0\.\d{4}) \|`).FindStringSubmatch(text)
		if row == nil {
			t.Errorf("no line says that %s is %s", s.Name, s.Finding)
			continue
		}
		for k, want := range []float64{s.Alone.Mean, s.LeftOut.Mean} {
			if x, err := strconv.ParseFloat(row[k+1], 64); err != nil || math.Abs(x-want) > 0.002 {
				t.Errorf("%s, and %g is found", row[0], want)
			}
		}
	}
	if len(found.Sources) != 6 {
		t.Errorf("%d sources", len(found.Sources))
	}
}

// TestTutorialFigures: the tables of docs/TUTORIAL.md are what its selections find. Other instruction sets
// move the figures a little, as the gap allows.
func TestTutorialFigures(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes)
	const tolerance = 0.002
	page := filepath.Join(commandtest.Docs, "TUTORIAL.md")
	f, scratch := commandtest.NewFolderAndScratch(t)
	commandtest.Must(t, "demo", "--write", f.Path)
	shell := newDocumentShell(t)
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
	if len(blocks) != 5 {
		t.Fatalf("%d blocks", len(blocks))
	}
	compareImportance(t, shell, f, scratch, text, blocks[4].code)
	for _, b := range blocks[1:4] {
		_, behind, _ := strings.Cut(text, b.code)
		behind, _, _ = strings.Cut(behind, "\n## ")
		shown := figures(behind, cell)
		var code strings.Builder // Up to the selection.
		for line := range strings.SplitAfterSeq(b.code, "\n") {
			if code.WriteString(line); strings.HasPrefix(line, "bigmkl select ") {
				break
			}
		}
		out, err := shell.command(f, scratch, code.String()).Output()
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

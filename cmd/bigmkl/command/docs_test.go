package command

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// The commands of the documents are those of blocks that begin with ```sh. A test runs the blocks of a document in their order, in one
// folder with the files of docFiles. A block whose first line begins with one of these marks is not run, and says why.
const (
	markNotRun = "# not run by the tests: "
	// markCI begins a block all of whose commands stand in .ci/run.
	markCI = "# run by .ci/run"
)

// docBlock is a block of commands and the block of text behind it, which is their standard output. There ".." stands for any part of a
// line, and a line "..." for any lines.
type docBlock struct {
	line         int
	code, output string
}

// documents lists the documents with commands.
func documents(t *testing.T) []string {
	list, err := filepath.Glob(filepath.Join(commandtest.Docs, "*.md"))
	if err != nil || len(list) < 5 {
		t.Fatalf("%q, %v", list, err)
	}
	return append(list, "../../../README.md", "../../../CONTRIBUTING.md")
}

// commandBlocks returns the blocks of commands of a document. Fences of other languages are left out.
func commandBlocks(t *testing.T, path string) (blocks []docBlock) {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, last := strings.Split(string(b), "\n"), -10
	for i := 0; i < len(lines); i++ {
		language, ok := strings.CutPrefix(lines[i], "```")
		if !ok {
			if regexp.MustCompile(`^ {4,}(bigmkl|go|zcat .*bigmkl) [a-z.]`).MatchString(lines[i]) && !strings.HasSuffix(path, "OPTIONS.md") {
				t.Errorf("%s:%d: a command that is in no block ```sh", path, i+1)
			}
			continue
		}
		from := i + 1
		for i = from; i < len(lines) && lines[i] != "```"; i++ {
		}
		text := strings.Join(lines[from:i], "\n") + "\n"
		switch {
		case language == "sh":
			blocks, last = append(blocks, docBlock{line: from, code: text}), i
		case language == "text" && from-last <= 3:
			blocks[len(blocks)-1].output = text
		}
	}
	return blocks
}

// TestDocuments runs every command of the documents.
func TestDocuments(t *testing.T) {
	bin := t.TempDir()
	shell := func(name, text string) {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	shell("bigmkl", "BIGMKL_TEST_AS_PROGRAM=1 exec '"+self+"' \"$@\"")
	python := commandtest.PythonWith("sklearn")
	if python != "" {
		shell("python3", "exec '"+python+"' \"$@\"")
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	ci, err := os.ReadFile("../../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	run := 0
	for _, path := range documents(t) {
		blocks := commandBlocks(t, path)
		// The selections of the tutorial take as long as all other blocks.
		if len(blocks) == 0 || filepath.Base(path) == "TUTORIAL.md" && !testlevel.Reached(testlevel.EveryKind) {
			continue
		}
		f := commandtest.NewFolder(t)
		docFiles(t, f)
		for _, b := range blocks {
			first, _, _ := strings.Cut(b.code, "\n")
			switch {
			case strings.HasPrefix(first, markNotRun):
				continue
			case first == markCI:
				for line := range strings.SplitSeq(strings.TrimSpace(b.code), "\n") {
					if command, _, _ := strings.Cut(line, " #"); !strings.HasPrefix(line, "#") && !strings.Contains(string(ci), strings.TrimSpace(command)) {
						t.Errorf("%s:%d: %s is not in .ci/run", path, b.line, command)
					}
				}
				continue
			case strings.Contains(b.code, "python3 ") && python == "":
				t.Logf("%s:%d: not run, because no python3 has sklearn", path, b.line)
				continue
			}
			c := exec.Command("sh", "-eu", "-c", b.code)
			c.Dir = f.Path
			var errors strings.Builder
			c.Stderr = &errors
			out, err := c.Output()
			if run++; err != nil {
				t.Errorf("%s:%d: %v\n%s", path, b.line, err, errors.String())
			}
			// Without Python the files are stand-ins.
			if b.output != "" && python != "" && !pattern(b.output).Match(out) {
				t.Errorf("%s:%d: the output is\n%s", path, b.line, out)
			}
		}
	}
	if run < 15 {
		t.Errorf("only %d blocks were run", run)
	}
}

// pattern matches an output that a document shows.
func pattern(shown string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`^`)
	for line := range strings.SplitSeq(strings.TrimSuffix(shown, "\n"), "\n") {
		if line == "..." {
			b.WriteString(`(?:.*\n)*?`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.`, `.*`) + "\n")
	}
	return regexp.MustCompile(b.String() + `$`)
}

// TestPattern: what a document shows is compared, up to dots.
func TestPattern(t *testing.T) {
	for shown, given := range map[string][2]string{"a 1.5\nb\n": {"a 1.5\nb\n", "a 125\nb\n"}, "a ..s\n": {"a 0.1s\n", "b 0.1s\n"}, "a\n...\nb\n": {"a\nx\ny\nb\n", "a\nx\n"}} {
		if p := pattern(shown); !p.MatchString(given[0]) || p.MatchString(given[1]) {
			t.Errorf("%q: %q, %q", shown, given[0], given[1])
		}
	}
}

// docFiles makes the files that commands of the documents read and no command before them has made.
func docFiles(t *testing.T, f commandtest.Folder) {
	f.File("train.libsvm.gz", commandtest.Gzipped(commandtest.Text(80, 1)))
	f.File("test.libsvm", commandtest.Text(50, 2))
	f.File("views.txt", "early 1 4\nlate 5 9\n")
	f.File("huge.gz", commandtest.Gzipped(commandtest.Text(200, 3)))
	f.File("a9a.gz", commandtest.Gzipped(commandtest.Text(80, 4)))
	f.File("bank.txt", "gauss:auto/3\nlinear\n")
	f.File("pendigits.libsvm.gz", commandtest.Gzipped(commandtest.Clusters(120, 10)))
	f.File("digits.libsvm", commandtest.Clusters(40, 10))
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	f.File("huge.libsvm.zst", string(w.EncodeAll([]byte(commandtest.Text(200, 5)), nil)))
	f.File("sites.tsv.gz", commandtest.Gzipped(sites(60, 1)))
	f.File("rest.tsv", sites(30, 2))
	f.File("digits.libsvm.gz", commandtest.Gzipped(commandtest.Clusters(120, 10)))
	f.File("digits.views.txt", "FAC 1 2\nFOU 3 3\n")
	f.File("wine.libsvm.gz", commandtest.Gzipped(grades(80)))
	f.File("promoters.csv", promoters(60, 1))
	f.File("more_promoters.csv", promoters(20, 2))
	f.File("patients.csv", tumours(60, 1, "name", "class"))
	f.File("more.csv", tumours(20, 2, "name", "class"))
	f.File("train.csv", tumours(60, 1, "", "class"))
	f.File("huge.csv.gz", commandtest.Gzipped(tumours(60, 1, "", "outcome")))
	f.File("wdbc.csv", tumours(60, 1, "", "diagnosis"))
	f.File("new.csv", tumours(40, 2, "", "diagnosis"))
	a, b := commandtest.NewRows(1, 60, 8), commandtest.NewRows(2, 20, 8)
	f.File("X.npy", a.Columns(0, 8, false))
	f.File("X_test.npy", b.Columns(0, 8, false))
	f.File("y.npy", a.Words())
	f.File("expression.npy", a.Columns(0, 5, false))
	f.File("test1.npy", b.Columns(0, 5, false))
	f.File("mutations.npz", commandtest.Archive(map[string]string{"x": a.Columns(5, 8, false)}))
	f.File("test2.npz", commandtest.Archive(map[string]string{"x": b.Columns(5, 8, false)}))
}

// grades are rows of a regression.
func grades(n int) string {
	r := rand.New(rand.NewPCG(7, 3))
	var b strings.Builder
	for range n {
		x, y := r.NormFloat64(), r.NormFloat64()
		fmt.Fprintf(&b, "%d 1:%.3f 2:%.3f\n", 6+int(math.Round(x-y*y/2)), x, y)
	}
	return b.String()
}

// promoters is a table with a sequence beside two numbers.
func promoters(n int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	b.WriteString("class,site,gc,height\n")
	for i := range n {
		letters := make([]byte, 20)
		for j := range letters {
			letters[j] = "ACGT"[r.IntN(4)]
		}
		if i%2 == 0 {
			copy(letters[8:], "TATA")
		}
		fmt.Fprintf(&b, "%d,%s,%.3f,%.3f\n", i%2, letters, r.Float64(), r.NormFloat64()+float64(i%2))
	}
	return b.String()
}

// tumours is a table like that of the README: a column of names if there is to be one, labels and three views of numbers.
func tumours(n int, seed uint64, name, label string) string {
	var b strings.Builder
	if name != "" {
		b.WriteString(name + ",")
	}
	b.WriteString(label)
	for _, view := range []string{"mean", "error", "worst"} {
		fmt.Fprintf(&b, ",%s.radius,%s.area,%s.concave points", view, view, view)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		b.WriteByte('\n')
		if name != "" {
			fmt.Fprintf(&b, "patient %d,", i)
		}
		b.WriteString([]string{"malignant", "benign"}[i%2])
		for j := range 9 {
			fmt.Fprintf(&b, ",%.4f", 10+float64(j)+float64(2*(i%2)-1)*float64(j%3)/2+r.NormFloat64())
		}
	}
	return b.String() + "\n"
}

// sites is n rows of a label and a sequence, with a word in the middle of those of the first class.
func sites(n int, seed uint64) string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(seed, 4))
	for i := range n {
		letters := make([]byte, 60)
		for k := range letters {
			letters[k] = "ACGT"[r.IntN(4)]
		}
		if i%3 == 0 {
			copy(letters[25:], "GATTACA")
		}
		fmt.Fprintf(&b, "%+d\t%s\n", 1-2*min(i%3, 1), letters)
	}
	return b.String()
}

// inline matches a command, or an option of one, that a document shows within a sentence.
var inline = regexp.MustCompile("`(bigmkl [a-z][^`]*|--[a-z][^`]*)`")

// TestDocumentsNameOptions: every command and option that a document names within its sentences is there.
func TestDocumentsNameOptions(t *testing.T) {
	known := map[string]bool{}
	root := rootCommand()
	commands := map[string]map[string]bool{"help": {}, "completion": {}}
	for _, c := range append(root.Commands(), root) {
		commands[c.Name()] = map[string]bool{}
		for _, name := range flagNames(c.LocalFlags()) {
			known[name], commands[c.Name()][name] = true, true
		}
	}
	for _, other := range []string{"list", "only", "quick", "data"} { // Those of bench.
		known[other] = true
	}
	flag := regexp.MustCompile(`--([a-zA-Z][a-zA-Z-]*)`)
	for _, path := range documents(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inline.FindAllStringSubmatch(string(b), -1) {
			of := known
			if rest, ok := strings.CutPrefix(m[1], "bigmkl "); ok {
				if of = commands[strings.Fields(rest)[0]]; of == nil {
					t.Errorf("%s: %s: no such command", path, m[1])
					continue
				}
			}
			for _, f := range flag.FindAllStringSubmatch(m[1], -1) {
				if !of[f[1]] {
					t.Errorf("%s: %s: no option --%s", path, m[1], f[1])
				}
			}
		}
	}
}

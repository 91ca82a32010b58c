package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// The commands of the documents are in blocks that begin with ```sh. A test runs the blocks of a document in their order, in one
// empty folder: a block reads only what bigmkl demo --write writes or a block before it makes. A block whose first line begins with one of these marks is not run, and the line has the reason.
const (
	markNotRun = "# not run by the tests: "
	// markCI begins a block all of whose commands are in .ci/run.
	markCI = "# run by .ci/run"
)

// docBlock is a block of commands and the block of text behind it, which is their standard output. There ".." matches any part of a
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

// documentShell is what the commands of documents run in.
type documentShell struct {
	environment []string
	hasPython   bool // with sklearn
}

// newDocumentShell returns a shell that finds bigmkl, and as python3 one that has sklearn if there is any.
func newDocumentShell(t *testing.T) *documentShell {
	bin := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write("bigmkl", "exec '"+self+"' \"$@\"")
	python := commandtest.PythonWith("sklearn")
	if python != "" {
		write("python3", "exec '"+python+"' \"$@\"")
	}
	// Links that a block makes lead to this program as well.
	return &documentShell{append(os.Environ(), "BIGMKL_TEST_AS_PROGRAM=1", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")), python != ""}
}

// command returns the command that runs code in a folder, with its scratch files in another.
func (s *documentShell) command(f commandtest.Folder, scratch, code string) *exec.Cmd {
	c := exec.Command("sh", "-eu", "-c", code)
	c.Dir, c.Env = f.Path, append(slices.Clip(s.environment), "TMPDIR="+scratch)
	return c
}

// TestDocuments runs the commands of the documents side by side. It runs all blocks of the README, and of
// the other documents one in twelve, one in four from EveryKind on, and all from ManyTimes on.
func TestDocuments(t *testing.T) {
	shell := newDocumentShell(t)
	var run atomic.Int64
	t.Cleanup(func() { // The documents have been run then.
		least := int64(2) // The blocks of the README.
		if testlevel.Reached(testlevel.ManyTimes) {
			least = max(least, 25/int64(testlevel.Share))
		}
		if run.Load() < least {
			t.Errorf("only %d blocks were run", run.Load())
		}
	})
	for _, path := range documents(t) {
		blocks, name := commandBlocks(t, path), filepath.Base(path)
		if len(blocks) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			switch name {
			case "README.md", "CONTRIBUTING.md":
			case "TUTORIAL.md": // Its selections take as long as all other blocks.
				testlevel.SkipBelow(t, testlevel.EveryKind)
				testlevel.Sample(t, 1, 2)
				blocks = drawSelection(t, blocks)
			default:
				testlevel.Sample(t, 12, 4)
			}
			run.Add(shell.runBlocks(t, path, blocks))
		})
	}
}

// drawSelection returns the first block of the tutorial, which writes the data, and one of the others, which depend on nothing else. From ManyTimes on
// TestTutorialFigures runs all of them.
func drawSelection(t *testing.T, blocks []docBlock) []docBlock {
	k := 1 + int(testlevel.Seed%uint64(len(blocks)-1))
	t.Logf("line %d is drawn by BIGMKL_SEED=%d", blocks[k].line, testlevel.Seed)
	return []docBlock{blocks[0], blocks[k]}
}

// runBlocks runs the blocks of a document and returns their number.
func (s *documentShell) runBlocks(t *testing.T, path string, blocks []docBlock) (run int64) {
	f, scratch := commandtest.NewFolderAndScratch(t)
	for _, b := range blocks {
		first, _, _ := strings.Cut(b.code, "\n")
		switch {
		case strings.HasPrefix(first, markNotRun):
			continue
		case first == markCI:
			runByCI(t, path, b)
			continue
		case strings.Contains(b.code, "python3 ") && !s.hasPython:
			t.Logf("%s:%d: not run, because no python3 has sklearn", path, b.line)
			continue
		}
		c := s.command(f, scratch, b.code)
		var errors strings.Builder
		c.Stderr = &errors
		out, err := c.Output()
		if run++; err != nil {
			t.Errorf("%s:%d: %v\n%s", path, b.line, err, errors.String())
		}
		// Nothing is wrong with the data of README's example.
		if strings.HasSuffix(path, "README.md") && strings.Contains(errors.String(), "warning: ") {
			t.Errorf("%s:%d: %s", path, b.line, errors.String())
		}
		if b.output != "" && !pattern(b.output).Match(out) {
			t.Errorf("%s:%d: the output is\n%s", path, b.line, out)
		}
	}
	return run
}

// runByCI looks for the commands of a block in .ci/run.
func runByCI(t *testing.T, path string, b docBlock) {
	ci, err := os.ReadFile("../../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(b.code), "\n") {
		if command, _, _ := strings.Cut(line, " #"); !strings.HasPrefix(line, "#") && !strings.Contains(string(ci), strings.TrimSpace(command)) {
			t.Errorf("%s:%d: %s is not in .ci/run", path, b.line, command)
		}
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

// inline matches a command, or an option of one, that a document shows within a sentence.
var inline = regexp.MustCompile("`(bigmkl [a-z][^`]*|--[a-z][^`]*)`")

// TestDocumentsNameOptions: every command and option that a document names within its sentences is there.
func TestDocumentsNameOptions(t *testing.T) {
	known := map[string]bool{}
	root := rootCommand()
	commands := map[string]map[string]bool{"help": {"all": true}, "completion": {}}
	for _, c := range append(root.Commands(), root) {
		commands[c.Name()] = map[string]bool{}
		for _, name := range flagNames(c.LocalFlags()) {
			known[name], commands[c.Name()][name] = true, true
		}
	}
	for _, other := range []string{"list", "only", "quick", "data", "sizes", "sets"} { // Those of bench.
		known[other] = true
	}
	flag := regexp.MustCompile(`--([a-zA-Z][a-zA-Z-]*)`)
	for _, path := range append(documents(t), "../../../CHANGELOG.md", "../../../SECURITY.md") {
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

// TestDocumentedWords: the first part of docs/OPTIONS.md has every word that these options take.
func TestDocumentedWords(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(commandtest.Docs, "OPTIONS.md"))
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(b), commandtest.GeneratedFrom)
	for _, option := range []string{"task", "multiclass", "loss", "solver"} {
		o := commandtest.Try("train", "--"+option, "NOSUCH", "-o", "m", "data")
		_, list, _ := strings.Cut(o.Stderr, `unknown "NOSUCH" (`)
		list, _, found := strings.Cut(list, ")")
		if !found {
			t.Errorf("--%s: %q", option, o.Stderr)
		}
		for word := range strings.SplitSeq(list, ", ") {
			if !strings.Contains(head, word+"`") {
				t.Errorf("--%s %s is not in OPTIONS.md", option, word)
			}
		}
	}
}

// TestLinks: links of the documents lead to files and headings that are there, and every document links the glossary.
func TestLinks(t *testing.T) {
	link, heading, marks := regexp.MustCompile(`\]\(([^)\s]+)\)`), regexp.MustCompile(`(?m)^#+ (.*)$`), regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	blocks := regexp.MustCompile("(?s)\n```.*?\n```")
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return blocks.ReplaceAllString(string(b), "")
	}
	for _, path := range append(documents(t), "../../../CHANGELOG.md", "../../../SECURITY.md") {
		text := read(path)
		if strings.HasPrefix(path, commandtest.Docs) && !strings.HasSuffix(path, "GLOSSARY.md") && !strings.Contains(text, "(GLOSSARY.md") {
			t.Errorf("%s does not link the glossary", path)
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			to := path
			if file != "" {
				to = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			found := anchor == ""
			if !found {
				for _, h := range heading.FindAllStringSubmatch(read(to), -1) {
					found = found || strings.ReplaceAll(marks.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-") == anchor
				}
			}
			if !found {
				t.Errorf("%s: no heading for %s", path, m[1])
			}
		}
	}
}

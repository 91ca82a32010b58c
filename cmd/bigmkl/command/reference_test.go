package command

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

var (
	update = flag.Bool("update", false, "write docs/OPTIONS.md and python/bigmkl/_losses.py again from the tables")
)

// TestReference: docs/OPTIONS.md has the options of the commands.
func TestReference(t *testing.T) {
	path := filepath.Join(commandtest.Docs, "OPTIONS.md")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(before), commandtest.GeneratedFrom)
	_, tail, found := strings.Cut(rest, commandtest.GeneratedTo)
	if !found {
		t.Fatalf("%s has no part that is generated", path)
	}
	after := head + commandtest.GeneratedFrom + optionTables(inOrder(rootCommand().Commands())) + commandtest.GeneratedTo + tail
	checkGenerated(t, path, string(before), after)
}

// TestReferenceOfPython: the Python package has the numbers of the losses with their tasks.
func TestReferenceOfPython(t *testing.T) {
	path := filepath.Join(commandtest.Docs, "..", "python", "bigmkl", "_losses.py")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(`"""Numbers of losses. TestReferenceOfPython of cmd/bigmkl/command writes them from model.LossNumbers."""` +
		"\n\n# The tasks of each number. It is a flag of the command, a key of its JSON and a parameter of an estimator.\nNUMBERS = {\n")
	for _, n := range model.LossNumbers {
		fmt.Fprintf(&b, "    %q: (\"%s\",),\n", n.Name, strings.Join(n.Tasks, `", "`))
	}
	b.WriteString("}\n")
	checkGenerated(t, path, string(before), b.String())
}

// checkGenerated compares a file with the text that the tables give, or writes the text.
func checkGenerated(t *testing.T, path, before, after string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if after != before {
		t.Errorf("%s is not what the tables have: go test ./cmd/bigmkl/command -run TestReference -update", path)
	}
}

// TestManuals: bigmkl man writes a page for each command, which has all of its flags, and troff reads it without a message: below level 1,
// some of them.
func TestManuals(t *testing.T) {
	f := commandtest.NewFolder(t)
	commandtest.Must(t, "man", "--dir", f.At("man"))
	root := rootCommand()
	all := append(root.Commands(), root)
	formatted := testlevel.Some(t, "troff", 4, all)
	for _, c := range all {
		name := "man/" + strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		page := f.Read(name)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(page, roff("--"+f.Name)) {
				t.Errorf("%s says nothing of --%s", name, f.Name)
			}
		})
		if groff, err := exec.LookPath("groff"); err == nil && slices.Contains(formatted, c) {
			if out, err := exec.Command(groff, "-man", "-ww", "-z", f.At(name)).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: %v, %s", name, err, out)
			}
		}
	}
	for _, args := range [][]string{{"man"}, {"man", "--dir", f.At("man"), "x"}, {"man", "--dir", f.File("file", "")}} {
		if o := commandtest.Try(args...); o.Code != contract.ExitUsage && o.Code != contract.ExitInput {
			t.Errorf("%q: exit code %d, %q", args, o.Code, o.Stderr)
		}
	}
	if o := commandtest.Must(t, "completion", "bash"); !strings.Contains(o.Stdout, "bigmkl") {
		t.Errorf("%.100q", o.Stdout)
	}
}

// rootCommand is the tree of commands with the flags that cobra adds late.
func rootCommand() *cobra.Command {
	root, _ := newApp(nil, &bytes.Buffer{}, &bytes.Buffer{}).newRootCommand()
	for _, c := range append(root.Commands(), root) {
		c.InitDefaultHelpFlag()
	}
	return root
}

// optionTables has a section for each command, with a table of options for each of its groups. Options that a command shares with train are listed by name.
func optionTables(commands []*cobra.Command) string {
	var b strings.Builder
	var train *cobra.Command
	for _, c := range commands {
		if c.Name() == "train" {
			train = c
		}
	}
	for _, c := range commands {
		fmt.Fprintf(&b, "\n## bigmkl %s\n\n%s.\n\n    %s\n", c.Name(), c.Short, c.UseLine())
		var shared []string
		for _, g := range optionTable {
			var rows []string
			for _, o := range g.options {
				name := o.name
				f := c.LocalFlags().Lookup(name)
				if f == nil || name == "help" {
					continue
				}
				if same := train.LocalFlags().Lookup(name); c != train && same != nil && same.Usage == f.Usage && same.DefValue == f.DefValue {
					shared = append(shared, "`--"+name+"`")
					continue
				}
				rows = append(rows, optionRow(f))
			}
			if rows != nil {
				fmt.Fprintf(&b, "\n%s:\n\n| option | default | meaning |\n|---|---|---|\n%s", g.title, strings.Join(rows, ""))
			}
		}
		if shared != nil {
			fmt.Fprintf(&b, "\nThe same as for `train`: %s.\n", strings.Join(shared, ", "))
		}
	}
	return b.String()
}

// optionRow is the line of a table for one flag.
func optionRow(f *pflag.Flag) string {
	kind, usage := pflag.UnquoteUsage(f)
	name := "`--" + f.Name
	if f.Shorthand != "" {
		name = "`-" + f.Shorthand + "`, " + name
	}
	if kind != "" && f.Value.Type() != "bool" {
		name += " " + kind
	}
	value := f.DefValue
	if f.Value.Type() == "bool" || value == "[]" {
		value = ""
	}
	escape := strings.NewReplacer("|", `\|`, "<", "&lt;").Replace
	return fmt.Sprintf("| %s` | %s | %s |\n", name, escape(value), escape(usage))
}

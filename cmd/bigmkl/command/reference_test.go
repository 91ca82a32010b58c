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

	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

var (
	update = flag.Bool("update", false, "write docs/OPTIONS.md again from the definitions of the commands")
	pages  = flag.String("manuals", "", "write the pages of the manual to this folder")
)

// TestReference: docs/OPTIONS.md says what the commands take.
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
	if *update {
		if err := os.WriteFile(path, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if after != string(before) {
		t.Errorf("%s is not what the commands take: go test ./cmd/bigmkl/command -run TestReference -update", path)
	}
}

// TestManuals: the page of a command has all of its flags, and troff reads it without a message: below level 1, some of them. With -manuals they are written, which a release does.
func TestManuals(t *testing.T) {
	folder := *pages
	if folder == "" {
		folder = t.TempDir()
	}
	root := rootCommand()
	all := append(root.Commands(), root)
	formatted := testlevel.Some(t, "troff", 4, all)
	for _, c := range all {
		page, path := manual(c), filepath.Join(folder, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(page, roff("--"+f.Name)) {
				t.Errorf("%s says nothing of --%s", path, f.Name)
			}
		})
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		if groff, err := exec.LookPath("groff"); err == nil && slices.Contains(formatted, c) {
			if out, err := exec.Command(groff, "-man", "-ww", "-z", path).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: %v, %s", path, err, out)
			}
		}
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

// optionTables has a section for each command, with a table of options for each of its groups. What a command shares with train is listed by name.
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
		for _, g := range flagGroups {
			var rows []string
			for _, name := range strings.Fields(g.names) {
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
			fmt.Fprintf(&b, "\nAs for `train`: %s.\n", strings.Join(shared, ", "))
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

// manual is the page of a command in the macros of man.
func manual(c *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" bigmkl \"bigmkl manual\"\n.SH NAME\n%s \\- %s\n", roff(strings.ToUpper(name)), roff(name), roff(c.Short))
	use := c.UseLine()
	if c.HasAvailableSubCommands() {
		use = c.Name() + " COMMAND [flags] ARGUMENTS..."
	}
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n.SH DESCRIPTION\n%s", roff(use), paragraphs(c.Long))
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range inOrder(c.Commands()) {
			fmt.Fprintf(&b, ".TP\n.BR bigmkl\\-%s (1)\n%s\n", roff(sub.Name()), roff(sub.Short))
		}
	}
	b.WriteString(".SH OPTIONS\n")
	for _, g := range flagGroups {
		first := true
		for _, name := range strings.Fields(g.names) {
			f := c.LocalFlags().Lookup(name)
			if f == nil {
				continue
			}
			if first {
				fmt.Fprintf(&b, ".SS %s\n", roff(g.title))
				first = false
			}
			kind, usage := pflag.UnquoteUsage(f)
			flags := "--" + f.Name
			if f.Shorthand != "" {
				flags = "-" + f.Shorthand + ", " + flags
			}
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
				usage += " (default " + f.DefValue + ")"
			}
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(flags+" "+kind)), roff(usage))
		}
	}
	fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	if c.HasParent() {
		b.WriteString(".SH SEE ALSO\n.BR bigmkl (1)\n")
	}
	return b.String()
}

// paragraphs turns blank lines into the macro for them.
func paragraphs(text string) string {
	var b strings.Builder
	for i, p := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		b.WriteString(roff(p) + "\n")
	}
	return b.String()
}

// roff escapes what troff would take for a command.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`, "^", `\(ha`, "~", `\(ti`, "'", `\(aq`).Replace(text), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

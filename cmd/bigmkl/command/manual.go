package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manual returns the manual page of a command in the macros of man(7). All texts come from the
// help, so the page cannot differ from it. The page has no date: the same version gives the same bytes.
func manual(c *cobra.Command) string {
	// TH is the head of the page: title, section, date (empty), source, and manual.
	var b strings.Builder
	// The name of the page follows git: man bigmkl-train.
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" bigmkl \"bigmkl manual\"\n.SH NAME\n%s \\- %s\n", roff(strings.ToUpper(name)), roff(name), roff(c.Short))
	// The program itself has commands in place of arguments.
	use := c.UseLine()
	if c.HasAvailableSubCommands() {
		use = c.Name() + " COMMAND [flags] ARGUMENTS..."
	}
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n.SH DESCRIPTION\n%s", roff(use), paragraphs(c.Long))
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		// TP begins a paragraph with a tag. BR alternates bold and roman type.
		for _, sub := range inOrder(c.Commands()) {
			fmt.Fprintf(&b, ".TP\n.BR bigmkl\\-%s (1)\n%s\n", roff(sub.Name()), roff(sub.Short))
		}
	}
	b.WriteString(".SH OPTIONS\n")
	// The options have the groups and the order of the help and of docs/OPTIONS.md.
	for _, g := range optionTable {
		first := true
		for _, o := range g.options {
			// A group without an option of this command has no heading.
			f := c.LocalFlags().Lookup(o.name)
			if f == nil {
				continue
			}
			if first {
				fmt.Fprintf(&b, ".SS %s\n", roff(g.title))
				first = false
			}
			// kind is the word between backquotes in the usage, such as FILE.
			kind, usage := pflag.UnquoteUsage(f)
			flags := "--" + f.Name
			if f.Shorthand != "" {
				flags = "-" + f.Shorthand + ", " + flags
			}
			// These values of pflag mean that the option is not set. Such a default informs nobody.
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
				usage += " (default " + f.DefValue + ")"
			}
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(flags+" "+kind)), roff(usage))
		}
	}
	// nf and fi turn the filling of lines off and on, so examples keep their breaks.
	fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	if c.HasParent() {
		b.WriteString(".SH SEE ALSO\n.BR bigmkl (1)\n")
	}
	return b.String()
}

// paragraphs turns blank lines into the macro for them.
// Single breaks within a paragraph stay, and troff fills the lines again.
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

// roff escapes text for troff. A dot at the beginning of a line would be a command, and a plain
// hyphen would become a typographic one, which users could not copy to a shell.
// The other replaced characters would become typographic ones as well: ^ and ~ accents, ' a quotation mark.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`, "^", `\(ha`, "~", `\(ti`, "'", `\(aq`).Replace(text), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

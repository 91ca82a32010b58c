package command

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"bigmkl/cmd/bigmkl/internal/letters"
	"bigmkl/internal/fail"
)

// The help has the commands and the flags in groups, with the most used ones first. optionTable has the
// groups of flags.

// These groups hold the commands. The texts of cobra list all commands and all flags alphabetically.
// With over a hundred flags, a new user would not find the few that matter.
const (
	// The values are identifiers of cobra and are not printed.
	groupEveryday = "everyday"
	groupKernels  = "kernels"
	groupOther    = "other"
	groupLetters  = "letters"
)

// commandGroups lists the groups in the order of the help.
// A title ends with a colon, because cobra prints it as it is.
var commandGroups = []*cobra.Group{
	{ID: groupEveryday, Title: "Everyday:"},
	{ID: groupKernels, Title: "Before a training, and more about kernels:"},
	{ID: groupOther, Title: "Other:"},
	{ID: groupLetters, Title: "The programs of LIBSVM, with their options and files:"},
}

// groupOf names the group of a command. A command without a group would be absent from the help.
var groupOf = map[string]string{
	"demo": groupEveryday, "init": groupEveryday, "train": groupEveryday, "inspect": groupEveryday,
	"predict": groupEveryday, "verify": groupEveryday, "select": groupEveryday, "importance": groupEveryday,
	"serve": groupEveryday, "report": groupEveryday,
	"plan": groupKernels, "align": groupKernels, "gram": groupKernels, "bound": groupKernels,
	"config": groupOther, "convert": groupOther, "export": groupOther, "clean": groupOther, "version": groupOther, "worker": groupOther, "man": groupOther, "help": groupOther,
	letters.NameTrain: groupLetters, letters.NamePredict: groupLetters, letters.NameScale: groupLetters,
}

// fewFlags is the largest number of flags that are listed without headings. Headings of two
// flags each would be longer than the list.
const fewFlags = 8

// addCommands adds the commands to the root in the order of the help. The root gets its help, its usage
// and the command help here, since these need all commands.
// Errors of the writers below are remembered by the writer, so they are not returned here.
func addCommands(root *cobra.Command, commands ...*cobra.Command) {
	root.AddGroup(commandGroups...)
	for _, c := range commands {
		c.GroupID = groupOf[c.Name()]
		root.AddCommand(c)
	}
	root.SetHelpCommand(newHelpCommand())
	root.SetCompletionCommandGroupID(groupOther)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		fmt.Fprint(c.OutOrStdout(), helpText(c, false, helpWidth(c.OutOrStdout())))
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := fmt.Fprint(c.OutOrStderr(), usageText(c, helpWidth(c.OutOrStderr())))
		return err
	})
}

// newHelpCommand defines the command help, which explains a command or a topic.
func newHelpCommand() *cobra.Command {
	// The short form is the default, because it fits on a screen.
	var all bool
	c := &cobra.Command{
		Use:     "help [--all] [COMMAND or TOPIC]",
		Short:   "Explain a command or a topic",
		Long:    "Help explains a command and its flags, or a topic. Of a command with many flags it shows the most used ones,\nand with --all every flag.",
		Example: "  bigmkl help train\n  bigmkl help train --all\n  bigmkl help kernels",
		GroupID: groupOther,
	}
	c.Flags().BoolVar(&all, "all", false, "show every flag, by subject")
	c.RunE = func(c *cobra.Command, args []string) error {
		root, to := c.Root(), c.OutOrStdout()
		switch {
		case len(args) > 1:
			return fail.New(fail.Usage, "help takes one command or topic").WithHint("bigmkl help lists them")
		case len(args) == 0:
			fmt.Fprint(to, helpText(root, all, helpWidth(to))) // The writer remembers its fault.
			return nil
		}
		if t := topicNamed(args[0]); t != nil {
			fmt.Fprint(to, t.text)
			return nil
		}
		// The name must be exact. Similar names follow as a hint.
		for _, sub := range root.Commands() {
			if sub.Name() == args[0] {
				// cobra defines --help when it runs a command. This one does not run.
				sub.InitDefaultHelpFlag()
				fmt.Fprint(to, helpText(sub, all, helpWidth(to)))
				return nil
			}
		}
		err := fail.New(fail.Usage, "there is no command and no topic %s", fail.Quote(args[0]))
		var near []string
		for _, name := range helpNames(root) {
			if isNear(name, args[0]) && len(near) < mostNear {
				near = append(near, name)
			}
		}
		if near != nil {
			return err.WithHint("did you mean %s?", strings.Join(near, " or "))
		}
		return err.WithHint("bigmkl help lists them")
	}
	return c
}

// helpNames lists the commands and the topics.
// Hidden commands are not for users.
func helpNames(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	for _, t := range helpTopics {
		names = append(names, t.name)
	}
	return names
}

// shortFlags lists the flags that the help of a command shows without --all. They are in the order in
// which a user needs them: data and kernels, the problem, its settings, the results. A short help has
// at most 50 lines, which a test counts.
// Other commands have few enough flags to show all.
var shortFlags = map[string]string{
	"train":      "label kernels views task multiclass norm C gap test probability out",
	"select":     "label kernels views task multiclass grid-C grid-norm folds measure choose out",
	"importance": "label kernels views task multiclass each grid-C folds measure rope out",
}

// shortExamples is how many examples a short help has.
const shortExamples = 3

// helpText returns the help of a command. A command in shortFlags has too many flags for one
// screen, so its help shows the most used ones, unless all is set.
func helpText(c *cobra.Command, all bool, width int) string {
	text := wrapText(c.Long, width) + "\n\n"
	names := shortFlags[c.Name()]
	if names == "" || all {
		return text + usageText(c, width)
	}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	for _, name := range strings.Fields(names) {
		set.AddFlag(c.LocalFlags().Lookup(name))
	}
	// Each example of these commands is a line.
	examples := strings.Split(c.Example, "\n")
	return text + fmt.Sprintf("Usage:\n  %s\n\nExamples:\n%s\n\nMost used:\n%s\nbigmkl help %s --all lists all flags. Topics: %s.\n", c.UseLine(),
		strings.Join(examples[:min(shortExamples, len(examples))], "\n"), set.FlagUsagesWrapped(width), c.Name(), strings.Join(topicNames(), ", "))
}

// topicNames lists the names of the topics.
// The names follow the order of the list of topics.
func topicNames() (names []string) {
	for _, t := range helpTopics {
		names = append(names, t.name)
	}
	return names
}

// helpWidth returns the width of the terminal behind a writer, within bounds, and 80 for other
// writers. Below 60 columns the explanations of flags would be a word wide. Lines of more than 120
// columns are hard to read.
func helpWidth(to io.Writer) int {
	const usual, least, most = 80, 60, 120
	// The writer that keeps the first error hides the terminal behind it.
	if w, ok := to.(*remembering); ok {
		to = w.to
	}
	if f, ok := to.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return min(max(width, least), most)
		}
	}
	return usual
}

// wrapText fills the paragraphs of a text up to a width. A paragraph that begins with a blank is
// an example or a table, and stays as it is. Texts are written with line breaks at about 100 columns,
// for the readers of the source. These breaks are not kept.
func wrapText(text string, width int) string {
	var out []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(paragraph, " ") {
			out = append(out, paragraph)
			continue
		}
		var b strings.Builder
		column := 0
		for _, word := range strings.Fields(paragraph) {
			switch {
			// A word that is longer than a line has a line of its own.
			case column > 0 && column+1+len(word) > width:
				b.WriteByte('\n')
				column = 0
			case column > 0:
				b.WriteByte(' ')
				column++
			}
			b.WriteString(word)
			column += len(word)
		}
		out = append(out, b.String())
	}
	return strings.Join(out, "\n\n")
}

// usageText returns the part of the help that follows the description of a command.
// It is also printed after a wrong command line, where the description would hide the error.
func usageText(c *cobra.Command, width int) string {
	var b strings.Builder
	line := c.UseLine()
	if c.HasAvailableSubCommands() {
		line = c.Name() + " COMMAND [flags] ARGUMENTS..."
	}
	fmt.Fprintf(&b, "Usage:\n  %s\n", line)
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	// Only the root has groups.
	for _, g := range c.Groups() {
		fmt.Fprintf(&b, "\n%s\n", g.Title)
		for _, sub := range inOrder(c.Commands()) {
			if sub.GroupID == g.ID && !sub.Hidden {
				fmt.Fprintf(&b, "  %-10s  %s\n", sub.Name(), sub.Short)
			}
		}
	}
	b.WriteString(flagText(c.LocalFlags(), width))
	if c.HasAvailableSubCommands() {
		b.WriteString("\nTopics:\n")
		for _, t := range helpTopics {
			fmt.Fprintf(&b, "  %-10s  %s\n", t.name, t.short)
		}
		fmt.Fprintf(&b, "\n%s help COMMAND explains a command and its flags, %[1]s help TOPIC a topic.\n", c.Name())
	}
	return b.String()
}

// inOrder sorts commands as their names follow in the help; cobra hands them over by name. The order is
// the order of work: try, propose, train, choose, look at results, use. Other commands follow by
// subject.
// A command without a place in the list comes last.
func inOrder(commands []*cobra.Command) []*cobra.Command {
	order := strings.Fields("demo init train select importance report inspect predict serve verify plan align gram bound config convert export clean worker man completion version svm-train svm-predict svm-scale")
	place := func(c *cobra.Command) int {
		if i := slices.Index(order, c.Name()); i >= 0 {
			return i
		}
		return len(order)
	}
	sorted := slices.Clone(commands)
	slices.SortStableFunc(sorted, func(a, b *cobra.Command) int { return place(a) - place(b) })
	return sorted
}

// flagText lists flags under the titles of their groups, or under one title if they are few. A flag of
// the table that the command does not have is left out, so one table serves all commands.
func flagText(all *pflag.FlagSet, width int) string {
	var b strings.Builder
	// shown counts the flags of the command, and listed has the names in the table of options.
	shown, listed := 0, map[string]bool{}
	for o := range eachOption {
		listed[o.name] = true
	}
	// Flags of cobra itself, such as --help, have no row in the table of options.
	further := optionGroup{title: "Further"}
	all.VisitAll(func(f *pflag.Flag) {
		if shown++; !listed[f.Name] {
			further.options = append(further.options, option{name: f.Name})
		}
	})
	// Both forms are collected in one pass: whether there are few flags is known only at the end
	// of the visit above.
	few := pflag.NewFlagSet("", pflag.ContinueOnError)
	few.SortFlags = false
	for _, g := range append(slices.Clone(optionTable), further) {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.SortFlags = false
		for _, o := range g.options {
			if f := all.Lookup(o.name); f != nil {
				set.AddFlag(f)
				few.AddFlag(f)
			}
		}
		if shown > fewFlags && set.HasFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", g.title, set.FlagUsagesWrapped(width))
		}
	}
	if shown <= fewFlags && few.HasFlags() {
		fmt.Fprintf(&b, "\nFlags:\n%s", few.FlagUsagesWrapped(width))
	}
	return b.String()
}

package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The commands and the flags stand in the help in groups, those that are used most first. Both
// tables list every name once, so that a new flag has to be given a place.

// These groups hold the commands.
const (
	groupEveryday = "everyday"
	groupKernels  = "kernels"
	groupOther    = "other"
)

// commandGroups lists the groups in the order of the help.
var commandGroups = []*cobra.Group{
	{ID: groupEveryday, Title: "Everyday:"},
	{ID: groupKernels, Title: "Before a training, and more about kernels:"},
	{ID: groupOther, Title: "Other:"},
}

// groupOf says in which group a command stands.
var groupOf = map[string]string{
	"demo": groupEveryday, "train": groupEveryday, "inspect": groupEveryday,
	"predict": groupEveryday, "verify": groupEveryday, "select": groupEveryday, "importance": groupEveryday,
	"serve": groupEveryday, "report": groupEveryday,
	"plan": groupKernels, "align": groupKernels, "gram": groupKernels, "bound": groupKernels,
	"config": groupOther, "convert": groupOther, "export": groupOther, "clean": groupOther, "version": groupOther, "worker": groupOther, "help": groupOther,
}

// flagGroup is a group of flags of any command.
type flagGroup struct{ title, names string }

// flagGroups lists the flags of all commands in the order of the help.
var flagGroups = []flagGroup{
	{"Most used", "kernels norm C scale out test gap config of json quiet"},
	{"What is learned", "task multiclass one-theta positive class-weight row-weights posteriors loss " +
		"epsilon nu lambda components entropy restarts rounds observe probability conformal folds posteriors-out"},
	{"What is shown", "figures machine all charge coverage decisions without-probability"},
	{"Data", "format label id header sequence categories na impute decimal thousands zero-based views labels sequences limit store " +
		"ignore-extra-features kind-of-labels to input trust-compressed data write"},
	{"Kernels", "normalize gating gate-on gate-tol gate-steps starts gate-decay gate-floor one-gate gates gates-out kernel-weights projection missing gram gram-test plain sample rule weights-out alpha norms align"},
	{"Other norms", "theta-norm group-norm elastic-net squared-norm norm-matrix norm-laplacian " +
		"weights rule-sample cost-power"},
	{"Selection", "grid-C grid-norm grid-cost-power cost-base splits folds-file groups-file repeat size contrast least noise named-labels shared-preparation nested measure choose rope no-baselines " +
		"tune tune-rows each samples part merge"},
	{"Several models", "path-C path-norm path-cost init theta-out"},
	{"Streams", "stream every window continue"},
	{"Serving", "listen max-body max-rows max-requests max-waiting max-wait max-connections rate timeout grace watch"},
	{"Long runs", "checkpoint checkpoint-every resume max-time max-iter trace"},
	{"Memory, disk and processors", "memory disk cache threads ranks importance scratch dry-run"},
	{"Arithmetic", "solver precision seed"},
	{"Help", "help version"},
}

// fewFlags is the number of flags up to which a command has no headings for them.
const fewFlags = 8

// addCommands adds the commands to the root in the order of the help.
func addCommands(root *cobra.Command, commands ...*cobra.Command) {
	root.AddGroup(commandGroups...)
	for _, c := range commands {
		c.GroupID = groupOf[c.Name()]
		root.AddCommand(c)
	}
	root.SetHelpCommandGroupID(groupOther)
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := fmt.Fprint(c.OutOrStderr(), usageText(c))
		return err
	})
}

// usageText returns the part of the help that follows the description of a command.
func usageText(c *cobra.Command) string {
	var b strings.Builder
	line := c.UseLine()
	if c.HasAvailableSubCommands() {
		line = c.Name() + " COMMAND [flags] ARGUMENTS..."
	}
	fmt.Fprintf(&b, "Usage:\n  %s\n", line)
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	for _, g := range c.Groups() {
		fmt.Fprintf(&b, "\n%s\n", g.Title)
		for _, sub := range inOrder(c.Commands()) {
			if sub.GroupID == g.ID && !sub.Hidden {
				fmt.Fprintf(&b, "  %-10s  %s\n", sub.Name(), sub.Short)
			}
		}
	}
	b.WriteString(flagText(c.LocalFlags()))
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s help COMMAND explains a command and its flags.\n", c.Name())
	}
	return b.String()
}

// inOrder sorts commands as their names follow in the help; cobra hands them over by name.
func inOrder(commands []*cobra.Command) []*cobra.Command {
	order := strings.Fields("demo train select importance report inspect predict serve verify plan align gram bound config convert export clean worker version")
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

// flagText lists flags under the titles of their groups, or under one title if they are few.
func flagText(all *pflag.FlagSet) string {
	var b strings.Builder
	shown, listed := 0, map[string]bool{}
	for _, g := range flagGroups {
		for _, name := range strings.Fields(g.names) {
			listed[name] = true
		}
	}
	further := flagGroup{title: "Further"} // flags that have been given no place
	all.VisitAll(func(f *pflag.Flag) {
		if shown++; !listed[f.Name] {
			further.names += f.Name + " "
		}
	})
	few := pflag.NewFlagSet("", pflag.ContinueOnError)
	few.SortFlags = false
	for _, g := range append(slices.Clone(flagGroups), further) {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range strings.Fields(g.names) {
			if f := all.Lookup(name); f != nil {
				set.AddFlag(f)
				few.AddFlag(f)
			}
		}
		if shown > fewFlags && set.HasFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", g.title, set.FlagUsages())
		}
	}
	if shown <= fewFlags {
		fmt.Fprintf(&b, "\nFlags:\n%s", few.FlagUsages())
	}
	return b.String()
}

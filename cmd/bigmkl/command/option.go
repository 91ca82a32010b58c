package command

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"bigmkl/internal/model"
)

// option is a row of the table of options, optionTable. The row has all facts about an option: its flag, which is
// its key in files of options, too, its place in the help and in docs/OPTIONS.md, the values that completions
// offer, the tasks in which it has an effect, and its value in a model and in a checkpoint. The row is
// the only place. A flag without its key in files, or a key without a place in the help, cannot occur.
type option struct {
	// name is the flag and the key, and short the letter of the flag, if it has one.
	name, short string
	// kind, def and usage are the value, the default and the explanation in the help.
	kind, def, usage string
	// takers are the commands for whose problemFlags define defines the flag. Other commands define their flags
	// themselves: the values have no place in problemFlags. Such a row has neither kind, default nor usage.
	takers takers
	define definition
	// words are the values that completions offer.
	words []string
	// tasks lists the tasks in which the option has an effect, nil for all. In other tasks the hint is elsewhere,
	// or to leave the option out.
	tasks     []string
	elsewhere string
	// needs is the flag without which the option has no effect, with the name of its value.
	needs string
	// kinds lists the kinds of its value in a file of options. If it is nil, the type of the flag decides.
	kinds []unstable.Kind
	// inPlaceOf names the option that this one replaces. A file of options may then have the one, and
	// the command line the other.
	inPlaceOf string
	// norm is set if the option chooses a norm other than the block norm.
	norm *otherNorm
	// ofModel returns the value that a model was trained with. It is nil if models have no value. aboutRows is set if
	// the value describes the rows of that training: train --continue has other rows, and does not take it.
	ofModel   func(m *model.Model) given
	aboutRows bool
	// fact names the fact of a checkpoint with the value. It is a value of the flag if ofRun is nil or returns true
	// for the values of all facts.
	fact  string
	ofRun func(facts map[string]string) bool
}

// optionGroup is a group of options in the help.
type optionGroup struct {
	title   string
	options []option
}

// optionTable lists the options of all commands in the order of the help. A new option is one new row.
// Groups that most users need come first. Rows of a group are in the order of the help, too.
var optionTable = []optionGroup{
	{"Most used", usedOptions},
	{"What is learned", problemOptions},
	{"What is shown", shownOptions},
	{"Data", dataOptions},
	{"Kernels", kernelOptions},
	{"Other norms", normOptions},
	{"Selection", selectionOptions},
	{"Several models", modelsOptions},
	{"Streams", streamOptions},
	{"Serving", servingOptions},
	{"Long runs", runOptions},
	{"Memory, disk and processors", budgetOptions},
	{"Arithmetic", arithmeticOptions},
	{"Help", []option{{name: "help"}, {name: "version"}}},
}

// takers is a set of commands that take an option for their problem. It is a set of bits, because the
// commands for problems have most options in common.
type takers uint8

const (
	byMatrices   takers = 1 << iota // gram and align
	bySelection                     // select
	byImportance                    // importance
	byTraining                      // train, plan and config

	// bySingle is the commands whose trainings have one setting each, and byProblems all commands with trainings.
	bySingle   = byImportance | byTraining
	byProblems = bySelection | bySingle
	byAll      = byMatrices | byProblems
	// byListed is the commands with one list of kernels.
	byListed = byMatrices | byTraining
)

// eachOption yields the rows of the table. The pointers refer to the table itself. Callers must not
// change the rows.
func eachOption(yield func(*option) bool) {
	for _, g := range optionTable {
		for i := range g.options {
			if !yield(&g.options[i]) {
				return
			}
		}
	}
}

// optionNamed returns the row of a flag. A flag without a row gets one with its name alone.
func optionNamed(name string) *option {
	for o := range eachOption {
		if o.name == name {
			return o
		}
	}
	return &option{name: name}
}

// isOf reports whether the option has an effect in a task.
func (o *option) isOf(task string) bool { return o.tasks == nil || slices.Contains(o.tasks, task) }

// place returns the name that options have in common which replace each other.
func (o *option) place() string { return cmp.Or(o.inPlaceOf, o.name) }

// defineOptions defines the flags that a command takes from the table.
func (p *problemFlags) defineOptions(f *flags, by takers) {
	for o := range eachOption {
		if o.takers&by == 0 {
			continue
		}
		o.define(f, p, o)
		if o.words != nil {
			f.offers.words(o.name, o.words...)
		}
	}
}

// checkTaskFlags rejects flags that have no effect in a task. A user who gives --tau to task class
// expects an effect. An error shows the mistake before hours of training.
func checkTaskFlags(task string, f *flags, faults *usageFaults) {
	for o := range eachOption {
		tasks := strings.Join(o.tasks, " or ")
		faults.require(!f.Changed(o.name) || o.isOf(task), cmp.Or(o.elsewhere, "leave it out, or write --task "+tasks),
			"--%s is an option of --task %s alone", o.name, tasks)
	}
}

// checkNeeds rejects flags that have no effect because another flag is missing.
func checkNeeds(f *flags, faults *usageFaults) {
	for o := range eachOption {
		other, _, _ := strings.Cut(o.needs, " ")
		if other == "" || f.Lookup(other) == nil {
			continue
		}
		faults.require(!f.asks(o.name) || f.asks(other), "--"+o.needs, "--%s has no effect without --%s", o.name, other)
	}
}

// asks reports whether a flag was given a value that asks for something. The value false of a flag
// without a value, and an empty text, switch it off.
func (f *flags) asks(name string) bool {
	flag := f.Lookup(name)
	return flag != nil && flag.Changed && !slices.Contains([]string{"", "false", "[]"}, flag.Value.String())
}

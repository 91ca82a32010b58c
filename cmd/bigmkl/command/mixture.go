package command

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// defineMixtureFlags defines the flags of tasks med and mixture.
func (t *trainCommand) defineMixtureFlags(f *flags) {
	o := &t.options
	f.StringVar(&o.Components, "components", "",
		"kernels of the components of tasks med and mixture, counted from 1: `A/B` such as 1,2/1,3 for the positive and the negative class (default: every kernel on both sides)")
	f.StringVar(&t.observe, "observe", "",
		"`FILE` with the own component of each row in tasks med and mixture, counted from 1 within its class; 0 where it is hidden")
}

// defineSearchFlags defines how tasks med and mixture look for a solution.
func (t *trainCommand) defineSearchFlags(f *flags) {
	o := &t.options
	addWords(f, &o.Entropy, "entropy", "KIND", model.EntropyExact, model.Entropies,
		"exact, or drop, which leaves the entropy of the other class's components out of task med")
	add(f, &o.Restarts, "restarts", "R", "8", parsePositiveCount,
		"starts of tasks med and mixture, of which the least objective wins")
	add(f, &o.Rounds, "rounds", "N", "50", parsePositiveCount, "projections of task med, or steps of EM of task mixture, from a start, at most")
}

// checkMixtureFlags takes up what tasks med and mixture have defaults of their own for.
func (t *trainCommand) checkMixtureFlags(f *flags, faults *usageFaults) {
	if t.options.Task == model.TaskMixture && !f.Changed("entropy") {
		t.options.Entropy = "" // It is an option of task med alone.
	}
	if model.HasComponents(t.options.Task) {
		if !f.Changed("normalize") {
			t.options.Normalize = "" // The task has a default of its own.
		}
	} else {
		faults.require(t.observe == "", "--task med or mixture", "--observe is an option of --task med and mixture alone")
	}
	faults.require(t.observe == "" || !isStandardOutput(t.observe), "name a file",
		"--observe needs a file, not standard input")
}

// readObserved reads the file of --observe into the options.
func (t *trainCommand) readObserved() (err error) {
	if t.observe != "" {
		t.options.Observed, err = readNumbers(t.observe)
	}
	return err
}

// mixtureJSON is what --json shows of a model of task med or mixture. Its keys are absent from other models.
type mixtureJSON struct {
	Objective *number `json:"objective,omitempty"`
	QChange   *number `json:"q_change,omitempty"`
	Rounds    int     `json:"rounds,omitempty"`
	Restarts  int     `json:"restarts,omitempty"`
	Start     int     `json:"start,omitempty"`
	Entropy   string  `json:"entropy,omitempty"`
	// Components has the kernels of the components, counted from 1, of the positive class and of the
	// negative one, and Multipliers the constant of the score of each.
	Components  [][]int  `json:"components,omitempty"`
	Multipliers []number `json:"multipliers,omitempty"`
}

// newMixtureJSON returns what there is to show of a model.
func newMixtureJSON(m *model.Model) (j mixtureJSON) {
	x := m.Mixture()
	if x == nil {
		return j
	}
	objective, change := number(x.Objective), number(x.Change)
	return mixtureJSON{Objective: &objective, QChange: &change, Rounds: x.Rounds, Restarts: x.Restarts,
		Start: x.Start, Entropy: x.Entropy, Components: x.Components[:], Multipliers: numbers(x.Multipliers)}
}

// formatComponents writes components in the form of --components.
func formatComponents(x *model.Mixture) string {
	var sides []string
	for _, side := range x.Components {
		var words []string
		for _, k := range side {
			words = append(words, strconv.Itoa(k))
		}
		sides = append(sides, strings.Join(words, ","))
	}
	return strings.Join(sides, "/")
}

// printMixture writes the lines of a report about the mixture of a model, if it has one.
func printMixture(w io.Writer, m *model.Model) {
	x := m.Mixture()
	if x == nil {
		return
	}
	entropy := ""
	if x.Entropy == bigmkl.EntropyDrop {
		entropy = ", without the entropy of the other class"
	}
	fmt.Fprintf(w, "components %s%s: objective %.9g after round %d of start %d of %d, where responsibilities changed by %.3g\n",
		shorten(formatComponents(x), mostSpec), entropy, x.Objective, x.Rounds, x.Start, x.Restarts, x.Change)
}

// printComponents writes a line for each component: its class, kernel, multiplier and share of the rows.
func printComponents(w io.Writer, m *model.Model, b *kernelspec.Bank) {
	x := m.Mixture()
	if x == nil {
		return
	}
	fmt.Fprintf(w, "\ncomponent  class  multiplier  kernel\n")
	for c, e := range x.Multipliers {
		class := m.Negative
		if c < len(x.Components[0]) {
			class = m.Positive
		}
		fmt.Fprintf(w, "%9d  %s  %+.6g  %s\n", c+1, class, e, b.Describe(x.Kernel(c)))
	}
}

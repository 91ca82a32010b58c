package command

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// mixtureJSON has the keys of --json that only models of tasks med and mixture have.
// Pointers and lists are absent in other models, so the keys do not appear there.
type mixtureJSON struct {
	// Objective is the value of the best start. QChange is how much responsibilities changed in its
	// last round, Rounds the number of that round, and Start the number of that start, of Restarts.
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

// newMixtureJSON returns the keys of a model with a mixture, and none for other models.
func newMixtureJSON(m *model.Model) (j mixtureJSON) {
	x := m.Family.Mixture()
	if x == nil {
		return j
	}
	objective, change := number(x.Objective), number(x.Change)
	return mixtureJSON{Objective: &objective, QChange: &change, Rounds: x.Rounds, Restarts: x.Restarts,
		Start: x.Start, Entropy: x.Entropy, Components: x.Components[:], Multipliers: numbers(x.Multipliers)}
}

// formatComponents writes components in the form of --components. Both classes may share a kernel,
// which then has a component for each.
// Kernels count from 1.
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
	x := m.Family.Mixture()
	if x == nil {
		return
	}
	// The responsibilities still change by this number. A reader sees from it whether more
	// rounds would move the model.
	entropy := ""
	if x.Entropy == bigmkl.EntropyDrop {
		entropy = ", without the entropy of the other class"
	}
	fmt.Fprintf(w, "components %s%s: objective %.9g after round %d of start %d of %d, where responsibilities changed by %.3g\n",
		shorten(formatComponents(x), mostSpec), entropy, x.Objective, x.Rounds, x.Start, x.Restarts, x.Change)
}

// printComponents writes a line for each component: its class, kernel, multiplier and share of the
// rows. Components of the positive class come first, as in --kernel-weights of predict.
func printComponents(w io.Writer, m *model.Model, b *kernelspec.Bank) {
	x := m.Family.Mixture()
	if x == nil {
		return
	}
	// The multiplier is the constant term in the score of the component.
	fmt.Fprintf(w, "\ncomponent  class  multiplier  kernel\n")
	for c, e := range x.Multipliers {
		class := m.Negative
		if c < len(x.Components[0]) {
			class = m.Positive
		}
		fmt.Fprintf(w, "%9d  %s  %+.6g  %s\n", c+1, class, e, b.Describe(x.Kernel(c)))
	}
}

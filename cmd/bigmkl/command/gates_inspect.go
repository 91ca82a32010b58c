package command

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// mostGateFeatures is the number of gating features that are shown of a gate. Five name what a gate
// looks at and fit into a line. --json has as many, as a model may have thousands of features.
const mostGateFeatures = 5

// gateJSON describes one gate that was learned.
type gateJSON struct {
	// Classifier names the classifier that has learned the gate, if each of several has gates of
	// its own.
	Classifier string `json:"machine,omitempty"`
	// Kernels are those that have the gate, counted from 1.
	Kernels []int `json:"kernels"`
	// Features are the gating features of the largest weights, counted from 1, with their weights: v
	// or, of a Gaussian gate, the place of its centre in standardised features. The gating features of
	// a gate on kernel values are kernel values with some training rows. Features then has the numbers
	// of these rows.
	Features []int    `json:"features"`
	Weights  []number `json:"weights"`
	// Offset is v_0 or, of a Gaussian gate, log s.
	Offset number `json:"offset"`
}

// newGatesJSON lists the gates that were learned, nil if there are none.
func newGatesJSON(m *model.Model, b *kernelspec.Bank) []gateJSON {
	g := m.Family.Gates()
	if g == nil || !g.Learned() {
		return nil
	}
	// --gate-on may select features, so feature j of a gate is feature index[j] of the data.
	index, err := m.Expansion().GatingFeatures(g)
	if err != nil {
		return nil // A model with such a text is rejected where it is read.
	}
	// Landmarks are the rows whose kernel values are the gating features.
	if g.Landmarks != nil {
		index = g.Landmarks.Rows
	}
	var list []gateJSON
	// A set belongs to a classifier, or to all classifiers.
	for k := range g.Sets() {
		own := gatesOf(g.OfClassifier(k), b, index)
		if g.Sets() > 1 {
			for i := range own {
				own[i].Classifier = m.ShortName(k)
			}
		}
		list = append(list, own...)
	}
	return list
}

// gatesOf lists the gates of one classifier, or the gates that all classifiers share. index has the
// numbers of the gating features, counted from 0, and is nil if all features are gating features.
func gatesOf(g *model.Gates, b *kernelspec.Bank, index []int32) []gateJSON {
	// d is the number of gating features.
	list, d := make([]gateJSON, g.Number), len(g.Mean)
	// Copies and lists may give several kernels one gate.
	for k, gate := range b.Gates {
		list[gate].Kernels = append(list[gate].Kernels, k+1)
	}
	for k := range list {
		// A gate has d weights, or the d coordinates of its centre, followed by its offset.
		own := g.Parameters[k*(d+1) : (k+1)*(d+1)]
		// Features are ordered by |v_j|, the largest first. Equal ones keep their order.
		order := make([]int, d)
		for j := range order {
			order[j] = j
		}
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Compare(math.Abs(own[j]), math.Abs(own[i]))
		})
		list[k].Offset = number(own[d])
		for _, j := range order[:min(d, mostGateFeatures)] {
			feature := j + 1
			if index != nil {
				feature = int(index[j]) + 1
			}
			list[k].Features = append(list[k].Features, feature)
			list[k].Weights = append(list[k].Weights, number(own[j]))
		}
	}
	return list
}

// printGates prints a line for each gate that was learned, at most the given number of lines.
func printGates(w io.Writer, m *model.Model, b *kernelspec.Bank, most int) error {
	list := newGatesJSON(m, b)
	if list == nil {
		return nil
	}
	// The head names what the numbers in the last column count.
	what, offset := "feature", "offset"
	if m.Family.Gates().Components() > 0 {
		what = "component"
	}
	if m.Family.Gates().Landmarks != nil {
		what = "row"
	}
	if m.Family.Gates().Kind == model.GatesGauss {
		offset = "log s"
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "gate\tof\t%s\tlargest weights (%s: weight)\n", offset, what)
	// Gates count from 1 within each set.
	for k, gate := range list[:min(len(list), most)] {
		var names, weights []string
		for _, id := range gate.Kernels {
			names = append(names, b.Describe(id-1))
		}
		for i, j := range gate.Features {
			weights = append(weights, fmt.Sprintf("%d: %.3g", j, float64(gate.Weights[i])))
		}
		if gate.Classifier != "" {
			names[0] = gate.Classifier + ": " + names[0]
		}
		fmt.Fprintf(t, "%d\t%s\t%.3g\t%s\n", k%m.Family.Gates().Number+1, shorten(strings.Join(names, ", "), 40),
			float64(gate.Offset), strings.Join(weights, ", "))
	}
	if left := len(list) - most; left > 0 {
		fmt.Fprintf(t, "and %s more\n", count(left, "gate"))
	}
	fmt.Fprintln(t)
	return t.Flush()
}

// mostGates is the number of gates that are shown.
// Twenty lines leave room for the other tables.
func mostGates(all bool) int {
	if all {
		return math.MaxInt
	}
	return 20
}

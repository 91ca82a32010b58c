package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"bigmkl/internal/fail"
	"bigmkl/model"
)

// machineJSON is one of several machines.
type machineJSON struct {
	Positive       string       `json:"positive"`
	Negative       *string      `json:"negative"` // null: all others
	Primal         number       `json:"primal"`
	Dual           number       `json:"dual"`
	RelativeGap    number       `json:"relative_gap"`
	Trained        bool         `json:"trained"`
	Certificate    string       `json:"certificate"`
	Bias           number       `json:"bias"`
	SupportVectors int          `json:"support_vectors"`
	Sigmoid        *sigmoidJSON `json:"sigmoid,omitempty"`
	Theta          []number     `json:"theta"`
	WNorms         []number     `json:"w_norms"`
}

// sigmoidJSON is P(positive | f) = 1 / (1 + exp(A f + B)).
type sigmoidJSON struct {
	A number `json:"a"`
	B number `json:"b"`
}

// newSigmoidJSON is that of machine k; nil without probabilities.
func newSigmoidJSON(m *model.Model, k int) *sigmoidJSON {
	if m.Sigmoids == nil {
		return nil
	}
	return &sigmoidJSON{number(m.Sigmoids[k].A), number(m.Sigmoids[k].B)}
}

// probable words how a model gives probabilities.
func probable(m *model.Model) string {
	how := "one for each label"
	switch m.Multiclass {
	case "":
		how = fmt.Sprintf("1 / (1 + exp(A f + B)) for %s, A = %.6g, B = %.6g", fail.Label(m.Positive), m.Sigmoids[0].A, m.Sigmoids[0].B)
	case model.OneVsRest:
		how = "sigmoids of the machines, divided by their sum"
	case model.OneVsOne:
		how = "sigmoids of the machines, coupled"
	}
	return fmt.Sprintf("%s; from %d folds", how, m.Folds)
}

func newMachinesJSON(m *model.Model) []machineJSON {
	var out []machineJSON
	for i := range m.Machines {
		a := &m.Machines[i]
		c := a.Certificate
		j := machineJSON{
			Positive: m.Classes[a.Positive], Primal: number(c.Primal), Dual: number(c.Dual), RelativeGap: number(c.RelativeGap), Trained: m.Trained(i), Certificate: c.Kind,
			Bias: number(a.Bias), SupportVectors: len(a.Support), Sigmoid: newSigmoidJSON(m, i), Theta: numbers(a.Theta), WNorms: numbers(a.WNorms),
		}
		if a.Negative != model.Rest {
			j.Negative = &m.Classes[a.Negative]
		}
		out = append(out, j)
	}
	return out
}

// pick finds a machine by its name, or by its number from 1 if none has that name.
func pick(m *model.Model, name string) (*model.Model, error) {
	if !m.Several() {
		return nil, fail.New(fail.Usage, "--machine %s of a model of one machine", fail.Quote(name))
	}
	for k := range m.Machines {
		if m.Name(k) == name {
			return m.Machine(k), nil
		}
	}
	if k, err := strconv.Atoi(name); err == nil && k >= 1 && k <= len(m.Machines) {
		return m.Machine(k - 1), nil
	}
	return nil, fail.New(fail.Usage, "no machine is called %s", fail.Quote(name)).
		WithHint("one of %d, such as %s, or a number from 1", len(m.Machines), m.ShortName(0))
}

// averaged is the model with the weights and norms of its kernels averaged over its machines, for tables of kernels, or those of all
// together. Machines that were never trained have none. A model of one is itself.
func averaged(m *model.Model) *model.Model {
	if !m.Several() {
		return m
	}
	r := *m
	if m.OneTheta {
		r.Theta, r.WNorms = m.Shared(), model.Together(m)
		return &r
	}
	r.Theta, r.WNorms = make([]float64, m.Len()), make([]float64, m.Len())
	trained := float64(len(m.Machines) - m.Untrained())
	for k := range m.Machines {
		if !m.Trained(k) {
			continue
		}
		for id, x := range m.Machines[k].Theta {
			r.Theta[id] += x / trained
			r.WNorms[id] += m.Machines[k].WNorms[id] / trained
		}
	}
	return &r
}

// activeKernels counts those whose ||w_m|| is not negligible.
func activeKernels(norms []float64) int {
	largest, n := 0.0, 0
	for _, w := range norms {
		largest = max(largest, w)
	}
	for _, w := range norms {
		if w > negligible*largest {
			n++
		}
	}
	return n
}

// printMachines writes a table of machines. sides are the rows of either class of each, nil if they are not known.
func printMachines(w io.Writer, m *model.Model, sides [][2]int, all bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "machine\t")
	if sides != nil {
		fmt.Fprint(t, "rows\tagainst\t")
	}
	fmt.Fprint(t, "support vectors\tgap\tactive kernels")
	if m.Sigmoids != nil {
		fmt.Fprint(t, "\tA\tB")
	}
	fmt.Fprintln(t)
	listed := len(m.Machines)
	if !all {
		listed = min(listed, mostListed)
	}
	for k := range listed {
		a := &m.Machines[k]
		fmt.Fprintf(t, "%s\t", m.ShortName(k))
		if sides != nil {
			fmt.Fprintf(t, "%d\t%d\t", sides[k][0], sides[k][1])
		}
		fmt.Fprintf(t, "%d\t%.3g\t", len(a.Support), a.Certificate.RelativeGap)
		if m.Trained(k) {
			fmt.Fprint(t, activeKernels(a.WNorms))
		} else {
			fmt.Fprint(t, "never trained")
		}
		if m.Sigmoids != nil {
			fmt.Fprintf(t, "\t%.4g\t%.4g", m.Sigmoids[k].A, m.Sigmoids[k].B)
		}
		fmt.Fprintln(t)
	}
	if left := len(m.Machines) - listed; left > 0 {
		tabs := "\t\t\t"
		if sides != nil {
			tabs += "\t\t"
		}
		fmt.Fprintf(t, "and %d more%s\n", left, tabs)
	}
	return t.Flush()
}

// overMachines words what averages over the machines are over.
func overMachines(m *model.Model) string {
	if n := m.Untrained(); n > 0 {
		return fmt.Sprintf("the %d of %d machines that were trained", len(m.Machines)-n, len(m.Machines))
	}
	return fmt.Sprintf("%d machines", len(m.Machines))
}

// decides words how several machines decide.
func decides(m *model.Model) string {
	switch n := len(m.Classes); m.Multiclass {
	case model.OneVsRest:
		return fmt.Sprintf("%d, one for each class against the rest", n)
	case model.OneVsOne:
		return fmt.Sprintf("%d, one for each pair of %d classes", len(m.Machines), n)
	}
	return fmt.Sprintf("%d, one for each label", len(m.Machines))
}

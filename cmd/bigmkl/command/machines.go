package command

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"bigmkl/internal/fail"
	"bigmkl/model"
)

// findMachine returns one of several machines as a model of two classes. The name is that of the
// machine, or its number from 1 if no machine has that name.
func findMachine(m *model.Model, name string) (*model.Model, error) {
	if !m.Several() {
		return nil, fail.New(fail.Usage, "--class %s is given, but the model has one classifier",
			fail.Quote(name))
	}
	for k := range m.Machines {
		if m.Name(k) == name {
			return m.Machine(k), nil
		}
	}
	if k, err := strconv.Atoi(name); err == nil && k >= 1 && k <= len(m.Machines) {
		return m.Machine(k - 1), nil
	}
	return nil, fail.New(fail.Usage, "the model has no classifier %s", fail.Quote(name)).
		WithHint("the names of its %d classifiers are such as %s, or use a number from 1",
			len(m.Machines), m.ShortName(0))
}

// averageMachines returns a copy of the model with weights and norms averaged over its trained
// machines, or with the shared ones if the machines share their weights. It returns a model of one
// machine unchanged.
func averageMachines(m *model.Model) *model.Model {
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

// printMachines writes a table of machines. The counts in sides are the rows of the two classes of
// each machine, or nil if they are unknown.
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
			fmt.Fprint(t, countActive(a.WNorms))
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

// describeTrained says over which machines averages are taken. Machines that were never trained
// have no weights and are left out.
func describeTrained(m *model.Model) string {
	if n := m.Untrained(); n > 0 {
		return fmt.Sprintf("the %d of %d machines that were trained", len(m.Machines)-n,
			len(m.Machines))
	}
	return fmt.Sprintf("%d machines", len(m.Machines))
}

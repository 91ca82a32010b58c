package bigmkl

import (
	"fmt"
	"slices"

	"bigmkl/dataset"
	"bigmkl/kernels"
)

// warn keeps a warning for the end of the run, and for whoever watches it.
func (t *training) warn(format string, args ...any) {
	notice := fmt.Sprintf(format, args...)
	if slices.Contains(t.result.Warnings, notice) {
		return // another machine has met it
	}
	t.notice = notice
	t.result.Warnings = append(t.result.Warnings, t.notice)
}

// warnData names what in the data is legal and may be a slip: features that scaling makes 0.
func (t *training) warnData() {
	s := t.store.Scaling()
	constant := 0
	for _, f := range s.Factor {
		if f == 0 {
			constant++
		}
	}
	if constant > 0 {
		t.warn("%d of %d features are constant on these data: scaling %s makes them 0", constant, t.store.Dim(), s.Kind)
	}
}

// warnZeros names points without direction, where kernels are divided by their norms.
func (t *training) warnZeros() {
	spherical := func(g kernels.Group) bool { return g.Spherical }
	if !slices.ContainsFunc(t.bank.kernels.Groups, spherical) {
		return
	}
	if n := zeroRows(t.store); n > 0 {
		t.warn("%d of %d rows are 0 in all features: kernels with k(x,x) = 0 are 0 on them", n, t.store.Len())
	}
}

// zeroRows counts the points whose features are all 0.
func zeroRows(store *dataset.Store) int {
	count := 0
	if store.Sparse() {
		for i := range store.Len() {
			if index, _ := store.Nonzeros(i); len(index) == 0 {
				count++
			}
		}
		return count
	}
	for p := range store.Panels() {
		var used [dataset.PanelWidth]bool
		for j, x := range store.Panel(p) {
			used[j%dataset.PanelWidth] = used[j%dataset.PanelWidth] || x != 0
		}
		for _, u := range used[:min(dataset.PanelWidth, store.Len()-p*dataset.PanelWidth)] {
			if !u {
				count++
			}
		}
	}
	return count
}

// warnKernels names the kernels that turned out indefinite, and those that are zero or constant on the data. classes are those
// of one machine of several.
func (t *training) warnKernels(theta []float64, classes string) {
	var negative, flat []int
	energies := t.solver.Energies()
	largest := slices.Max(energies)
	for id, v := range energies {
		switch {
		case t.norm.Dropped(id):
			negative = append(negative, id)
		case v == 0 && largest > 0 && t.bank.kernels.Factor(id) != 0: // Factor 0 has been named already
			flat = append(flat, id)
		}
	}
	if len(negative) > 0 {
		t.warn("%s is indefinite here: weight 0", t.bank.list(negative))
	}
	if len(flat) > 0 {
		t.warn("%s is zero or constant on these data: weight 0", t.bank.list(flat))
	}
	if !slices.ContainsFunc(theta, func(x float64) bool { return x > 0 }) {
		if classes != "" {
			classes = " " + short(classes)
		}
		t.warn("no kernel tells the classes%s apart: the model predicts one class", classes)
	}
}

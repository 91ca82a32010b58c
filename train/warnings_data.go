package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/kernels"
	"bigmkl/model"
)

// warn keeps a warning for the end of the run, and for whoever watches it.
func (r *run) warn(format string, args ...any) {
	r.warned.count(format, fmt.Sprintf(format, args...))
	r.wordWarnings()
}

// warnOf keeps a warning about a machine, "" for the only one.
func (r *run) warnOfMachine(machine, format string, args ...any) *kind {
	text := fmt.Sprintf(format, args...)
	if machine == "" {
		return r.warned.count(format, text)
	}
	k := r.warned.count(format, text+", in machine "+machine)
	k.first = text
	if len(k.machines) < namedCases {
		k.machines = append(k.machines, machine)
	}
	return k
}

// settleWarnings words the warnings so far.
func (r *run) wordWarnings() {
	r.result.Warnings = nil
	for _, k := range r.warned.kinds {
		r.result.Warnings = append(r.result.Warnings, k.text(r.Kernels, r.several.Machines))
	}
}

// warnData names what in the data is legal and may be a slip: features that scaling makes 0.
func warnData(r *run) {
	s := r.Store.Scaling()
	constant := 0
	for _, f := range s.Factor {
		if f == 0 {
			constant++
		}
	}
	if constant > 0 {
		r.warn("%d of %d features are constant on these data: scaling %s makes them 0", constant, r.Store.Dim(), s.Kind)
	}
}

// warnCost names a cost next to which nothing is exact: a function value of 1 is rounded by 2^-53, and that costs more than the gap
// that is asked for.
func warnCost(r *run) {
	if most := math.Ldexp(r.Options.Solver.Gap, 53); r.Options.Problem.C > most && slices.Contains(model.BoundedTasks, r.Options.Problem.Task) {
		r.warn("C = %g: from C = %.2g on, rounding of double precision costs more than a gap of %g: the run may end without it", r.Options.Problem.C, most, r.Options.Solver.Gap)
	}
}

// warnZeros names points without direction, where kernels are divided by their norms.
func warnZeros(r *run, ctx context.Context) error {
	spherical := func(g kernels.Group) bool { return g.Spherical }
	if !slices.ContainsFunc(r.Kernels.Groups, spherical) {
		return nil
	}
	n, err := zeroRows(ctx, r.Store)
	if n > 0 {
		r.warn("%d of %d rows are 0 in all features: kernels with k(x,x) = 0 are 0 on them", n, r.Store.Len())
	}
	return err
}

// zeroRows counts the points whose features are all 0.
func zeroRows(ctx context.Context, store *dataset.Store) (int, error) {
	count := 0
	if store.Sparse() {
		for i := range store.Len() {
			if index, _ := store.Nonzeros(i); len(index) == 0 {
				count++
			}
		}
		return count, nil
	}
	for p := range store.Panels() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
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
	return count, nil
}

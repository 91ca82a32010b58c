package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/kernels"
	"bigmkl/model"
)

// warned counts the warnings of a run by their kinds: what every machine or every checkpoint meets is one line.
type warned struct {
	kinds []*kind
	fresh string // not told yet
}

// kind is the warnings of one kind: those of one format.
type kind struct {
	format   string
	first    string
	count    int
	machines []string // the first few that met it, of several
	kernels  []int    // that it is about, of all machines together
}

const namedCases = 3 // of a kind: machines that are named, and warnings that are told as the run goes on

// meet counts a warning and gives its kind.
func (w *warned) meet(format, text string) *kind {
	i := slices.IndexFunc(w.kinds, func(k *kind) bool { return k.format == format })
	if i < 0 {
		i = len(w.kinds)
		w.kinds = append(w.kinds, &kind{format: format, first: text})
	}
	k := w.kinds[i]
	if k.count++; k.count <= namedCases {
		w.fresh = text
	}
	return k
}

// untold gives what has not been told yet.
func (w *warned) untold() string {
	text := w.fresh
	w.fresh = ""
	return text
}

// line words a kind. machines is how many there are, 0 for a model of one.
func (k *kind) line(b *kernels.Prepared, machines int) string {
	text := k.first
	if k.kernels != nil {
		text = fmt.Sprintf(k.format, b.List(k.kernels))
	}
	switch {
	case k.machines != nil:
		text += fmt.Sprintf(", in %d of %d machines: %s", k.count, machines, strings.Join(k.machines, ", "))
		if k.count > len(k.machines) {
			text += ", .."
		}
	case k.count > 1:
		text += fmt.Sprintf(" (and %d more like it)", k.count-1)
	}
	return text
}

// warn keeps a warning for the end of the run, and for whoever watches it.
func (r *run) warn(format string, args ...any) {
	r.warned.meet(format, fmt.Sprintf(format, args...))
	r.settleWarnings()
}

// warnOf keeps a warning about a machine, "" for the only one.
func (r *run) warnOf(machine, format string, args ...any) *kind {
	text := fmt.Sprintf(format, args...)
	if machine == "" {
		return r.warned.meet(format, text)
	}
	k := r.warned.meet(format, text+", in machine "+machine)
	k.first = text
	if len(k.machines) < namedCases {
		k.machines = append(k.machines, machine)
	}
	return k
}

// settleWarnings words the warnings so far.
func (r *run) settleWarnings() {
	r.result.Warnings = nil
	for _, k := range r.warned.kinds {
		r.result.Warnings = append(r.result.Warnings, k.line(r.Kernels, r.several.Machines))
	}
}

// warnData names what in the data is legal and may be a slip: features that scaling makes 0.
func (r *run) warnData() {
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
func (r *run) warnCost() {
	if most := math.Ldexp(r.Options.Solver.Gap, 53); r.Options.Problem.C > most && (r.Options.Problem.Task == model.TaskClass || r.Options.Problem.Task == model.TaskSVR) {
		r.warn("C = %g: from C = %.2g on, rounding of double precision costs more than a gap of %g: the run may end without it", r.Options.Problem.C, most, r.Options.Solver.Gap)
	}
}

// warnZeros names points without direction, where kernels are divided by their norms.
func (r *run) warnZeros(ctx context.Context) error {
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

// neverTrained is the warning about a machine whose training the run did not come to.
const neverTrained = "never trained: the run ended before any step"

// warnMachine names what is doubtful about a machine that is done: that it was never trained, kernels that turned out indefinite, and
// those that are zero or constant on the data. name is that of one of several, else "".
func (r *run) warnMachine(s *solved, theta []float64, name string, untrained bool) {
	defer r.settleWarnings()
	if untrained { // of whose kernels nothing is known
		r.warnOf(name, neverTrained)
		return
	}
	var negative, flat []int
	energies := s.solver.Energies()
	largest := slices.Max(energies)
	for id, v := range energies {
		switch {
		case chunking.Dropped(s.norm, id):
			negative = append(negative, id)
		case v == 0 && largest > 0 && r.Kernels.Factor(id) != 0: // Factor 0 has been named already
			flat = append(flat, id)
		}
	}
	r.warnOfKernels(name, "%s is indefinite here: weight 0", negative)
	r.warnOfKernels(name, "%s is zero or constant on these data: weight 0", flat)
	if !slices.ContainsFunc(theta, func(x float64) bool { return x > 0 }) {
		if r.Options.Problem.Task == model.TaskClass {
			r.warnOf(name, "no kernel tells the classes apart: one class is predicted")
		} else {
			r.warnOf(name, "no kernel tells the rows apart: the function is a constant")
		}
	}
}

// warnOfKernels keeps a warning about kernels of a machine.
func (r *run) warnOfKernels(machine, format string, ids []int) {
	if len(ids) == 0 {
		return
	}
	k := r.warnOf(machine, format, r.Kernels.List(ids))
	k.kernels = slices.Compact(slices.Sorted(slices.Values(append(k.kernels, ids...))))
}

package command

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"bigmkl/internal/evaluate/bound"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// The command shows only the factor of the bound that depends on p, also relative to its least
// value. The other factors are the same for every p, and too pessimistic to be of use as
// numbers. Package bound has the formulas with their sources. They need the norms ||w_m|| of the
// best hypothesis, in whose place the norms of trained models are used.

// boundCommand holds the flags of the bound command.
// The bounds are from Kloft (2011): section 5.1.1 for any kernels, and equation 4.22 for eigenvalues that
// decay.
type boundCommand struct {
	*app
	// alpha is the exponent of --alpha, and 0 without it.
	alpha float64
	// norms are the block norms p of the table, each at least 1.
	norms []float64
	// class restricts the medians to one classifier of each model.
	class string
	json  bool
}

// boundNorms lists the values of p in the table by default. They are dense between 1 and 2, where nu_p
// changes most and where block norms are usually chosen.
var boundNorms = []float64{1, 1.05, 1.1, 1.15, 1.2, 1.25, 4.0 / 3, 1.4, 1.5, 1.6, 1.8, 2, 3, 4,
	math.Inf(1)}

// newBoundCommand defines the bound command.
// Only model files are read, so the command takes a moment.
func newBoundCommand(a *app) *cobra.Command {
	b := &boundCommand{app: a, norms: boundNorms}
	c := &cobra.Command{
		Use:   "bound [flags] MODEL...",
		Short: "Compute the block norm with the smallest bound on the error on new rows",
		Long: "Bound computes the factor of the generalisation bound that depends on the block norm p,\n\n" +
			"  nu_p = min over t >= p of sqrt(t*) M^(1/t*) ||w||_{2,p},   t* = t/(t-1),\n\n" +
			"and the p with the least factor. It uses the ||w_m|| of the model, because the best hypothesis\n" +
			"is unknown. For several models of the same kernels, or several classifiers, it uses medians. The\n" +
			"factor favours a small p if few kernels matter, and a large p if all of them do. For few rows it\n" +
			"tends to recommend too large a p.\n\n" +
			"--alpha A adds the factor of the excess risk for kernels whose eigenvalues decay like j^-A. It\n" +
			"applies to p up to 2.",
		Example: "  bigmkl bound heart.model\n" +
			"  bigmkl bound --alpha 2 --json fold1.model fold2.model fold3.model",
	}
	f := newFlags(c)
	add(f, &b.norms, "norms", "P,..", "1,1.05,..,inf", parseNorms,
		"block norms to list in the table")
	add(f, &b.alpha, "alpha", "A", "", parseDecay,
		"exponent A of the decay j^-A of the eigenvalues of the kernels, above 1")
	addClassFlag(c, &b.class, "use one classifier of each model, by its `NAME` or its number from 1")
	addJSONFlag(f, &b.json)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.Join(f.err(), fail.New(fail.Usage, "no model is named"))
		}
		if err := f.err(); err != nil {
			return err
		}
		return b.run(args)
	}
	return c
}

// run reads the models, which must have the same kernels, and reports the factors of the bounds. The
// kernels must agree, because medians are taken kernel by kernel.
func (b *boundCommand) run(paths []string) error {
	// models stay open until the end, because their norms may be mapped.
	var models []*model.Model
	for _, path := range paths {
		m, err := model.Open(path)
		if err != nil {
			return err
		}
		defer m.Close()
		// Equal specifications mean equal kernels in the same order.
		if first := append(models, m)[0]; m.Len() != first.Len() ||
			!slices.Equal(m.Kernels, first.Kernels) {
			return fail.New(fail.Input, "the kernels are not those of %s", paths[0]).At(path, 0, 0)
		}
		models = append(models, m)
	}
	norms, err := b.listWeightNorms(models)
	if err != nil {
		return err
	}
	// A run that was cut at once has no trained classifier.
	if len(norms) == 0 {
		return fail.New(fail.Input, "no classifier was trained").At(paths[0], 0, 0)
	}
	// One w of M entries represents all classifiers.
	w := medianWeightNorms(norms)
	if bound.Norm(w, 1) == 0 {
		return fail.New(fail.Input, "all ||w_m|| are 0, so that no factor is defined").At(paths[0],
			0, 0)
	}
	if b.json {
		return b.printJSON("bound", b.newJSON(w, len(models), len(norms)))
	}
	return b.printFactors(w, models, len(norms))
}

// listWeightNorms lists the ||w_m|| of each model, or of each trained classifier where a model has
// several.
func (b *boundCommand) listWeightNorms(models []*model.Model) ([][]float64, error) {
	var out [][]float64
	for _, m := range models {
		if b.class != "" {
			one, err := findClassifier(m, b.class)
			if err != nil {
				return nil, err
			}
			m = one
		}
		if !m.Several() {
			out = append(out, m.WNorms)
		}
		// Classifiers without a step have ||w_m|| = 0, which would lower the medians.
		for k := range m.Classifiers {
			if m.Convergence().Trained(k) {
				out = append(out, m.Classifiers[k].WNorms)
			}
		}
	}
	return out, nil
}

// medianWeightNorms returns the median of ||w_m|| over the classifiers for each kernel. A median is
// used because ||w_m|| of a single classifier that separates badly can exceed the others by far. All
// rows of norms have one entry for each kernel.
func medianWeightNorms(norms [][]float64) []float64 {
	// all holds the values of one kernel over the classifiers.
	w, all := make([]float64, len(norms[0])), make([]float64, len(norms))
	for m := range w {
		for i := range norms {
			all[i] = norms[i][m]
		}
		slices.Sort(all)
		k := len(all)
		// Halves are added, so two large finite norms cannot overflow.
		w[m] = all[k/2]/2 + all[(k-1)/2]/2
	}
	return w
}

// leastFactors finds where the factors of the two bounds are least. The factor of the excess risk
// is searched up to p = 2 only, because the bound does not hold above.
func (b *boundCommand) leastFactors(w []float64) (global, local bound.Range) {
	global = bound.Least(func(p float64) float64 { return bound.Global(w, p) }, math.Inf(1))
	if b.alpha > 0 {
		local = bound.Least(func(p float64) float64 { return bound.Local(w, p, b.alpha) }, 2)
	}
	return global, local
}

// printFactors writes a table of the factors at each p, and where they are least.
func (b *boundCommand) printFactors(w []float64, models []*model.Model, classifiers int) error {
	global, local := b.leastFactors(w)
	// The norm of training decides ||w_m||, so it is named.
	of := fmt.Sprintf("a model of p = %s, C = %g", formatNorm(models[0].Norm), models[0].C)
	switch {
	case classifiers > len(models):
		of = fmt.Sprintf("medians over %d %ss", classifiers, models[0].Noun())
	case classifiers > 1:
		of = fmt.Sprintf("medians over %d models", classifiers)
	}
	if err := b.print("||w_m|| of %s: %s\n\n", count(len(w), "kernel"), of); err != nil {
		return err
	}
	t := tabwriter.NewWriter(b.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "p\t||w||_{2,p}\tnu_p\tto its least")
	if b.alpha > 0 {
		fmt.Fprintf(t, "\texcess risk, alpha = %g\tto its least", b.alpha)
	}
	fmt.Fprintln(t)
	for _, p := range b.norms {
		nu := bound.Global(w, p)
		fmt.Fprintf(t, "%s\t%.4g\t%.4g\t%.4f", formatNorm(p), bound.Norm(w, p), nu, nu/global.Value)
		switch {
		// The local bound holds for p up to 2.
		case b.alpha > 0 && p <= 2:
			l := bound.Local(w, p, b.alpha)
			fmt.Fprintf(t, "\t%.4g\t%.4f", l, l/local.Value)
		case b.alpha > 0:
			fmt.Fprint(t, "\t-\t-")
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	text := "\nnu_p is least " + formatRange(global) + "\n"
	if b.alpha > 0 {
		text += "the excess risk factor is least " + formatRange(local) + "\n"
	}
	return b.print("%s", text)
}

// formatRange describes at which p a factor is least. nu_p is a minimum over all t from p on, so it has
// one value for all p up to the minimising t.
func formatRange(r bound.Range) string {
	low, high := fmt.Sprintf("%.4g", r.Low), fmt.Sprintf("%.4g", r.High)
	// %g writes +Inf, and the flags take inf.
	for _, s := range []*string{&low, &high} {
		if *s == "+Inf" {
			*s = "inf"
		}
	}
	if low == high {
		return "at p = " + low
	}
	return fmt.Sprintf("for p from %s to %s", low, high)
}

// newJSON computes the object that --json prints. The least values are searched over all p, not over
// the table, so they may lie between its lines.
func (b *boundCommand) newJSON(w []float64, models, classifiers int) boundJSON {
	// The keys follow the order of the table.
	j := boundJSON{Models: models, Kernels: len(w)}
	if classifiers > models {
		j.Classifiers = classifiers
	}
	global, local := b.leastFactors(w)
	j.Least = leastJSON{blockNorm(global.Low), blockNorm(global.High), number(global.Value)}
	if b.alpha > 0 {
		a := number(b.alpha)
		j.Alpha, j.Local = &a, &leastJSON{blockNorm(local.Low), blockNorm(local.High),
			number(local.Value)}
	}
	for _, p := range b.norms {
		row := boundRowJSON{P: blockNorm(p), Norm: number(bound.Norm(w, p)),
			Nu: number(bound.Global(w, p))}
		if b.alpha > 0 && p <= 2 {
			nu := number(bound.Local(w, p, b.alpha))
			row.Local = &nu
		}
		j.Grid = append(j.Grid, row)
	}
	return j
}

// boundJSON is the object that bound --json prints. Fields of the excess risk are null unless
// --alpha is given.
type boundJSON struct {
	Models int `json:"models"`
	// Classifiers counts the classifiers of all models, and is absent if each model has one.
	Classifiers int `json:"machines,omitempty"`
	Kernels     int `json:"kernels"`
	// Local is the range of the local bound, as Least is for the global one.
	Alpha *number        `json:"alpha"`
	Grid  []boundRowJSON `json:"grid"`
	Least leastJSON      `json:"minimum"`
	Local *leastJSON     `json:"excess_risk_minimum"`
}

// boundRowJSON holds the factors at one p.
// Norm is ||w||_{2,p}, Nu is nu_p, and Local the factor of the excess risk.
type boundRowJSON struct {
	P     blockNorm `json:"p"`
	Norm  number    `json:"w_norm"`
	Nu    number    `json:"nu"`
	Local *number   `json:"excess_risk_nu"`
}

// leastJSON has the range where a factor is least. The factor has its least value at every p from
// Low to High.
type leastJSON struct {
	Low   blockNorm `json:"p_low"`
	High  blockNorm `json:"p_high"`
	Value number    `json:"nu"`
}

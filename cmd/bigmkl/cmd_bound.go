package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"bigmkl/evaluate/bound"
	"bigmkl/internal/fail"
	"bigmkl/model"
)

// bounding is the bound command.
type bounding struct {
	*app
	alpha   float64 // 0: the local factor is not asked for
	norms   []float64
	machine string
	json    bool
}

// boundNorms is the p of the table unless others are asked for.
var boundNorms = []float64{1, 1.05, 1.1, 1.15, 1.2, 1.25, 4.0 / 3, 1.4, 1.5, 1.6, 1.8, 2, 3, 4, math.Inf(1)}

func (a *app) boundCommand() *cobra.Command {
	b := &bounding{app: a, norms: boundNorms}
	c := &cobra.Command{
		Use:   "bound [flags] MODEL...",
		Short: "Say which norm the theory recommends",
		Long: "Bound gives the factor of the generalisation bound that depends on the block norm p,\n\n" +
			"  nu_p = min over t >= p of sqrt(t*) M^(1/t*) ||w||_{2,p},   t* = t/(t-1),\n\n" +
			"and the p that makes it least, from the ||w_m|| of a model: the best one that is at hand, since it stands in for the best\n" +
			"hypothesis there is. Of several models of the same kernels, or several machines, the medians are taken. The factor favours a small p where few\n" +
			"kernels matter and a large one where all do; for few rows it tends to ask for too large a p.\n\n" +
			"--alpha A adds the factor of the excess risk of kernels whose eigenvalues fall like j^-A, which holds for p up to 2.",
		Example: "  bigmkl bound adult.model\n" +
			"  bigmkl bound --alpha 2 --json fold1.model fold2.model fold3.model",
	}
	f := flagsOf(c)
	add(f, &b.norms, "norms", "P,..", "1,1.05,..,inf", parseNorms, "block norms of the table")
	add(f, &b.alpha, "alpha", "A", "", parseDecay, "decay of the kernels' eigenvalues, above 1")
	f.StringVar(&b.machine, "machine", "", "one of several machines of each model, by its `NAME` or else its number from 1")
	jsonFlag(f, &b.json)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.Join(f.err(), fail.New(fail.Usage, "no model named"))
		}
		if err := f.err(); err != nil {
			return err
		}
		return b.run(args)
	}
	return c
}

// parseNorms reads block norms.
func parseNorms(text string) ([]float64, error) {
	var norms []float64
	for part := range strings.SplitSeq(text, ",") {
		p, err := parseNorm(part)
		if err != nil {
			return nil, err
		}
		norms = append(norms, p)
	}
	return norms, nil
}

// parseDecay reads alpha.
func parseDecay(text string) (float64, error) {
	a, err := parseNumber(text)
	if err == nil && !(a > 1 && a <= math.MaxFloat64) {
		err = fmt.Errorf("%s is not above 1", fail.Cut(text))
	}
	return a, err
}

func (b *bounding) run(paths []string) error {
	var models []*model.Model
	for _, path := range paths {
		m, err := model.Open(path)
		if err != nil {
			return err
		}
		defer m.Close()
		if first := append(models, m)[0]; m.Len() != first.Len() || !slices.Equal(m.Kernels, first.Kernels) {
			return fail.New(fail.Input, "its kernels are not those of %s", paths[0]).At(path, 0, 0)
		}
		models = append(models, m)
	}
	norms, err := b.wNorms(models)
	if err != nil {
		return err
	}
	if len(norms) == 0 {
		return fail.New(fail.Input, "no machine was trained").At(paths[0], 0, 0)
	}
	w := medianNorms(norms)
	if bound.Norm(w, 1) == 0 {
		return fail.New(fail.Input, "w = 0: no kernel has a part in it").At(paths[0], 0, 0)
	}
	if b.json {
		return b.printJSON(b.object(w, len(models), len(norms)))
	}
	return b.show(w, models, len(norms))
}

// wNorms lists the ||w_m|| of all models, or of all of their machines.
func (b *bounding) wNorms(models []*model.Model) ([][]float64, error) {
	var out [][]float64
	for _, m := range models {
		if b.machine != "" {
			one, err := pick(m, b.machine)
			if err != nil {
				return nil, err
			}
			m = one
		}
		if !m.Several() {
			out = append(out, m.WNorms)
		}
		for k := range m.Machines {
			if m.Trained(k) {
				out = append(out, m.Machines[k].WNorms)
			}
		}
	}
	return out, nil
}

// medianNorms gives the median of ||w_m|| for each kernel.
func medianNorms(norms [][]float64) []float64 {
	w, all := make([]float64, len(norms[0])), make([]float64, len(norms))
	for m := range w {
		for i := range norms {
			all[i] = norms[i][m]
		}
		slices.Sort(all)
		k := len(all)
		w[m] = all[k/2]/2 + all[(k-1)/2]/2
	}
	return w
}

// boundJSON is what --json prints; what is of the local factor is null where there is none.
type boundJSON struct {
	Models   int            `json:"models"`
	Machines int            `json:"machines,omitempty"` // of all models, where there are several in one
	Kernels  int            `json:"kernels"`
	Alpha    *number        `json:"alpha"`
	Grid     []boundRowJSON `json:"grid"`
	Least    leastJSON      `json:"minimum"`
	Local    *leastJSON     `json:"excess_risk_minimum"`
}

type boundRowJSON struct {
	P     blockNorm `json:"p"`
	Norm  number    `json:"w_norm"`
	Nu    number    `json:"nu"`
	Local *number   `json:"excess_risk_nu"`
}

// leastJSON is where a factor is least: between the two p it is the same.
type leastJSON struct {
	Low   blockNorm `json:"p_low"`
	High  blockNorm `json:"p_high"`
	Value number    `json:"nu"`
}

func (b *bounding) object(w []float64, models, machines int) boundJSON {
	j := boundJSON{Models: models, Kernels: len(w)}
	if machines > models {
		j.Machines = machines
	}
	global, local := b.least(w)
	j.Least = leastJSON{blockNorm(global.Low), blockNorm(global.High), number(global.Value)}
	if b.alpha > 0 {
		a := number(b.alpha)
		j.Alpha, j.Local = &a, &leastJSON{blockNorm(local.Low), blockNorm(local.High), number(local.Value)}
	}
	for _, p := range b.norms {
		row := boundRowJSON{P: blockNorm(p), Norm: number(bound.Norm(w, p)), Nu: number(bound.Global(w, p))}
		if b.alpha > 0 && p <= 2 {
			nu := number(bound.Local(w, p, b.alpha))
			row.Local = &nu
		}
		j.Grid = append(j.Grid, row)
	}
	return j
}

func (b *bounding) least(w []float64) (global, local bound.Range) {
	global = bound.Least(func(p float64) float64 { return bound.Global(w, p) }, math.Inf(1))
	if b.alpha > 0 {
		local = bound.Least(func(p float64) float64 { return bound.Local(w, p, b.alpha) }, 2)
	}
	return global, local
}

func (b *bounding) show(w []float64, models []*model.Model, machines int) error {
	global, local := b.least(w)
	of := fmt.Sprintf("a model of p = %s, C = %g", formatNorm(models[0].Norm), models[0].C)
	switch {
	case machines > len(models):
		of = fmt.Sprintf("medians over %d machines", machines)
	case machines > 1:
		of = fmt.Sprintf("medians over %d models", machines)
	}
	if err := b.print("||w_m|| of %d kernels: %s\n\n", len(w), of); err != nil {
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

// formatRange words where a factor is least.
func formatRange(r bound.Range) string {
	low, high := fmt.Sprintf("%.4g", r.Low), fmt.Sprintf("%.4g", r.High)
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

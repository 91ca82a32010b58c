package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"bigmkl/dataset"
	"bigmkl/evaluate/bound"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// inspectCommand holds the flags of the inspect command.
type inspectCommand struct {
	*app
	json    bool
	all     bool
	machine string
}

// newInspectCommand defines the inspect command.
func newInspectCommand(a *app) *cobra.Command {
	i := &inspectCommand{app: a}
	c := &cobra.Command{
		Use:   "inspect MODEL",
		Short: "Show what is in a model",
		Long: "Inspect shows the settings and the certificate of a model, and its kernels with their weights\n" +
			"theta and ||w_m||, the heaviest first. If a model has several machines (train --multiclass), it\n" +
			"lists the machines and averages the weights over them; --machine shows one machine in detail.",
		Example: "  bigmkl inspect digits.model\n" +
			"  bigmkl inspect --machine 7 digits.model\n" +
			"  bigmkl inspect --machine '3 and 8' pairs.model",
	}
	f := newFlags(c)
	f.BoolVar(&i.all, "all", false,
		fmt.Sprintf("list all kernels and machines, not only the first %d", mostListed))
	f.StringVar(&i.machine, "machine", "", "show one machine, by its `NAME` or its number from 1")
	addJSONFlag(f, &i.json)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return errors.Join(f.err(),
				fail.New(fail.Usage, "inspect takes one model, not %d", len(args)))
		}
		return i.run(args[0])
	}
	return c
}

// run opens a model file and describes the model.
func (i *inspectCommand) run(path string) error {
	m, err := model.Open(path)
	if err != nil {
		return err
	}
	defer m.Close()
	b, err := m.Bank()
	if err != nil {
		return err
	}
	if i.machine != "" {
		if m, err = findMachine(m, i.machine); err != nil {
			return err
		}
	}
	m = averageMachines(m)
	order := kernelsByWeight(m)
	if !i.all {
		order = order[:min(len(order), mostListed)]
	}
	if i.json {
		return i.printJSON("inspect", newInspectJSON(m, b, order))
	}
	return i.printModel(m, b, order)
}

// printModel writes the settings, the certificate and the weights of a model as text.
func (i *inspectCommand) printModel(m *model.Model, b *kernelspec.Bank, order []int) error {
	t := tabwriter.NewWriter(i.stdout, 0, 0, 2, ' ', 0)
	line := func(name, format string,
		args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	c, machine := m.Worst()
	line("problem", "%s, C = %g, precision %s", describeNorm(m, b), m.C, m.Precision)
	if machine >= 0 {
		line("certificate", "%s: largest relative gap %.3g (asked %.3g), of machine %s", c.Kind,
			c.RelativeGap, m.Gap, m.ShortName(machine))
	} else {
		line("certificate", "%s: relative gap %.3g (asked %.3g), primal %.9g, dual %.9g", c.Kind,
			c.RelativeGap, m.Gap, c.Primal, c.Dual)
	}
	if c.Rounding > 0 {
		line("rounding", "may have made %.3g of the primal and the dual value, which is part of the "+
			"former", c.Rounding)
	}
	if doubt := m.Doubt(); doubt != "" {
		line("warning", "%s", doubt)
	}
	limit := ""
	if m.Limit > 0 {
		limit = fmt.Sprintf(" (--limit %d)", m.Limit)
	}
	features := fmt.Sprintf("%d features", m.Features)
	if n := m.Sequences.Before(); n > 0 {
		features = fmt.Sprintf("%d numbers and sequences of %s, up to %d letters", n,
			m.Sequences.Letters(), m.Features-n)
	} else if m.Sequences != dataset.Numbers {
		features = fmt.Sprintf("sequences of %s, up to %d letters", m.Sequences, m.Features)
	}
	line("data", "%d rows%s, %s, stored %s, fingerprint %016x", m.Points, limit, features, m.Store,
		m.Fingerprint)
	if m.Columns != nil {
		line("columns", "%s", describeColumns(m.Columns))
	}
	line("classes", "%s", describeClasses(m))
	if m.Several() {
		line("machines", "%s", describeMachines(m))
		line("support vectors", "%d, which the machines share", len(m.Support))
	} else {
		line("support vectors", "%d, bias %.9g", len(m.Support), m.Bias)
	}
	if m.Sigmoids != nil {
		line("probabilities", "%s", describeProbabilities(m))
	}
	line("scaling", "%s", m.Scaling.Kind)
	normalization := m.Normalization.Kind
	if m.Normalization.SampleSize > 0 {
		normalization += fmt.Sprintf(", from a sample of %d rows", m.Normalization.SampleSize)
	}
	line("normalisation", "%s", normalization)
	line("kernels", "%s: %s; seed %d", count(len(m.Theta), "kernel"), shorten(strings.Join(m.Kernels, ","), 200),
		m.Seed)
	by, list := summarizeWeights(m, b)
	active := 0
	for _, p := range list {
		active += p.Active
	}
	if m.Several() {
		over := "averages over " + describeTrained(m)
		if m.OneTheta {
			over = "those of all machines"
		}
		line("weights", "%s, of %s", over, count(active, "active kernel"))
	} else {
		line("weights", "||w|| in the block norm is %.9g, of %s",
			bound.Norm(m.WNorms, m.Norm), count(active, "active kernel"))
	}
	if len(m.Medians) > 0 {
		line("typical distances", "%s (median for auto, mean for mean; squared for gauss)",
			shorten(formatNumbers(m.Medians), 200))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(i.stdout)
	if m.Several() {
		if err := printMachines(i.stdout, m, nil, i.all); err != nil {
			return err
		}
		fmt.Fprintln(i.stdout)
	}
	if by != "kernel" {
		if err := printWeights(i.stdout, by, list); err != nil {
			return err
		}
		fmt.Fprintln(i.stdout)
	}
	if err := i.printHeaviest(m, b, order); err != nil {
		return err
	}
	return i.print("\n%s\n", howToReadWeights)
}

// printHeaviest writes a table of the kernels in the given order. Kernels count from 1, as in
// messages.
func (i *inspectCommand) printHeaviest(m *model.Model, b *kernelspec.Bank, order []int) error {
	t := tabwriter.NewWriter(i.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "kernel\tspecification\ttheta\t||w||\tshare\n")
	total := sum(m.WNorms)
	for _, id := range order {
		w := m.WNorms[id]
		fmt.Fprintf(t, "%d\t%s\t%.4g\t%.4g\t%5.1f %%\n", id+1, shorten(b.Brief(id), mostSpec),
			m.Theta[id], w, 100*ratio(w, total))
	}
	if left := len(m.Theta) - len(order); left > 0 {
		fmt.Fprintf(t, "\tand %d lighter ones (--all)\t\t\t\n", left)
	}
	return t.Flush()
}

package command

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// inspectCommand holds the flags of the inspect command.
type inspectCommand struct {
	*app
	// all lists all kernels and classifiers, not only the first mostListed.
	json bool
	all  bool
	// class is the name or number of one of several classifiers, and empty for their mean.
	class string
	// charge holds costs of the kernels that are charged in place of the costs in the model.
	charge []float64
}

// newInspectCommand defines the inspect command.
// The command reads no data, so it takes a moment whatever the size of the training was.
func newInspectCommand(a *app) *cobra.Command {
	i := &inspectCommand{app: a}
	c := &cobra.Command{
		Use:   "inspect MODEL",
		Short: "Show what is in a model",
		Long: "Inspect shows the settings and the certificate of a model, and its kernels with their weights\n" +
			"theta and ||w_m||, the heaviest first. If a model has several classifiers (train --multiclass),\n" +
			"it lists them and averages the weights over them. --class shows one classifier in detail.\n\n" +
			"If kernels have costs, it shows the total cost of a decision: the number of support vectors\n" +
			"times the share of the active kernels in the costs of all kernels. Active kernels have at least\n" +
			"1e-3 of the sum of theta. --charge computes this total for other costs. In both cases inspect\n" +
			"names the views that no active kernel needs.",
		Example: "  bigmkl inspect heart.model\n" +
			"  bigmkl inspect --charge 1,1.4142,2 heart.model\n" +
			"  bigmkl inspect --class 7 segments.model\n" +
			"  bigmkl inspect --class '3 and 8' pairs.model",
	}
	f := newFlags(c)
	f.BoolVar(&i.all, "all", false,
		fmt.Sprintf("list all kernels and classifiers, not only the first %d", mostListed))
	addClassFlag(c, &i.class, "show one classifier, by its `NAME` or its number from 1")
	add(f, &i.charge, "charge", "D,..", "", parseCharges,
		"use these costs, one for each kernel, in place of the costs in the model")
	addJSONFlag(f, &i.json)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return errors.Join(f.err(),
				fail.New(fail.Usage, "inspect takes one model, not %d", len(args)))
		}
		if err := f.err(); err != nil {
			return err
		}
		return i.run(args[0])
	}
	return c
}

// run opens a model file and describes the model. Only the model file is read. Figures that need rows,
// such as errors, come from other commands.
func (i *inspectCommand) run(path string) error {
	m, err := model.Open(path)
	if err != nil {
		return err
	}
	defer m.Close()
	// The bank expands the specifications to kernels, with their views, groups and costs.
	b, err := m.Bank()
	if err != nil {
		return err
	}
	// The found classifier is a model of its own, and everything below shows it alone.
	if i.class != "" {
		if m, err = findClassifier(m, i.class); err != nil {
			return err
		}
	}
	// Too few costs would be charged to the wrong kernels without a sign of it.
	if i.charge != nil && len(i.charge) != m.Len() {
		return fail.New(fail.Usage, "--charge has %d costs, and the model %s", len(i.charge),
			count(m.Len(), "kernel")).WithHint("give one for each kernel, in the order of the kernels")
	}
	// Tables of weights have one number for each kernel. Several classifiers are shown by their
	// mean, and --class shows one of them.
	m = averageClassifiers(m)
	// The first kernels are those that matter. --all is for scripts and for few kernels.
	order := kernelsByWeight(m)
	if !i.all {
		order = order[:min(len(order), mostListed)]
	}
	if i.json {
		// The object has the same kernels as the table, in the same order.
		return i.printJSON("inspect", newInspectJSON(m, b, order, i.charge))
	}
	return i.printModel(m, b, order)
}

// printModel writes the settings, the certificate and the weights of a model as text. The order is from
// the whole to the parts: settings, classifiers, gates, views, kernels, components.
func (i *inspectCommand) printModel(m *model.Model, b *kernelspec.Bank, order []int) error {
	t := tabwriter.NewWriter(i.stdout, 0, 0, 2, ' ', 0)
	for _, f := range factsOf(m, b, i.charge) {
		// A fact is a pair of a name and a value.
		fmt.Fprintf(t, "%s\t%s\n", f[0], f[1])
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(i.stdout)
	// A table of classifiers comes before the weights, because these are means over the classifiers.
	if m.Several() {
		if err := printClassifiers(i.stdout, m, nil, i.all); err != nil {
			return err
		}
		fmt.Fprintln(i.stdout)
	}
	// Models without gates print nothing here.
	if err := printGates(i.stdout, m, b, mostGates(i.all)); err != nil {
		return err
	}
	// With one kernel for each view or group, this table would repeat the table of kernels.
	if by, list := summarizeWeights(m, b); by != "kernel" {
		if err := printWeights(i.stdout, by, list); err != nil {
			return err
		}
		fmt.Fprintln(i.stdout)
	}
	if err := i.printHeaviest(m, b, order); err != nil {
		return err
	}
	printComponents(i.stdout, m, b)
	return i.print("\n%s\n", howToReadWeights(m))
}

// describeStream names the rows of a stream that a model was trained on. A model of a stream continues
// from the support vectors of the previous one, which count among its points.
// Widths and normalisation come from the first batch, because later ones must see the same kernels.
func describeStream(m *model.Model) string {
	s := m.Stream
	// Points counts the rows of the window and the vectors of the previous model. Seen counts all rows of
	// the stream.
	text := fmt.Sprintf("the last %d of %d rows", m.Points-s.Vectors, s.Seen)
	// The first model of a stream may have no previous one.
	if s.Vectors > 0 {
		text += fmt.Sprintf(", after %d support vectors of the previous model", s.Vectors)
	}
	return text + fmt.Sprintf("; widths and normalisation are those of %d rows", s.Prepared)
}

// printHeaviest writes a table of the kernels in the given order. Kernels count from 1, as in
// messages. The share is of the sum of all ||w||, also of kernels that are not listed.
func (i *inspectCommand) printHeaviest(m *model.Model, b *kernelspec.Bank, order []int) error {
	t := tabwriter.NewWriter(i.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "kernel\tspecification\ttheta\t||w||\tshare\n")
	// A model whose weights are all 0 has total 0, and ratio then returns 0.
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

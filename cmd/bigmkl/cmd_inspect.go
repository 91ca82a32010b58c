package main

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"bigmkl/dataset"
	"bigmkl/evaluate/bound"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// inspection is the inspect command.
type inspection struct {
	*app
	json    bool
	all     bool
	machine string
}

func (a *app) inspectCommand() *cobra.Command {
	i := &inspection{app: a}
	c := &cobra.Command{
		Use:   "inspect MODEL",
		Short: "Show what is in a model",
		Long: "Inspect shows the settings and the certificate of a model and its kernels with their weights theta and ||w_m||, the heaviest first.\n" +
			"Of a model of several machines (train --multiclass) it lists these, and weights averaged over them; --machine shows one closely.",
		Example: "  bigmkl inspect digits.model\n" +
			"  bigmkl inspect --machine 7 digits.model\n" +
			"  bigmkl inspect --machine '3 and 8' pairs.model",
	}
	f := flagsOf(c)
	f.BoolVar(&i.all, "all", false, fmt.Sprintf("all kernels and machines, not the first %d alone", mostListed))
	f.StringVar(&i.machine, "machine", "", "one of several machines, by its `NAME` or else its number from 1")
	jsonFlag(f, &i.json)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return errors.Join(f.err(), fail.New(fail.Usage, "%d files named, one model is inspected", len(args)))
		}
		return i.run(args[0])
	}
	return c
}

func (i *inspection) run(path string) error {
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
		if m, err = pick(m, i.machine); err != nil {
			return err
		}
	}
	m = averaged(m)
	order := byWeight(m)
	if !i.all {
		order = order[:min(len(order), mostListed)]
	}
	if i.json {
		return i.printJSON(newInspectJSON(m, b, order))
	}
	return i.show(m, b, order)
}

// inspectJSON is what --json prints.
type inspectJSON struct {
	Task           string         `json:"task"`
	N              int            `json:"n"`
	D              int            `json:"d"`
	Kernels        int            `json:"kernels"`
	P              blockNorm      `json:"p"`
	Norm           string         `json:"norm,omitempty"`
	C              number         `json:"C"`
	Gap            number         `json:"gap"`
	Precision      string         `json:"precision"`
	Certificate    string         `json:"certificate"`
	Primal         number         `json:"primal"`
	Dual           number         `json:"dual"`
	RelativeGap    number         `json:"relative_gap"`
	Converged      bool           `json:"converged"`
	Untrained      int            `json:"untrained"` // machines that no step has been taken for
	SupportVectors int            `json:"support_vectors"`
	Bias           number         `json:"bias"`
	Positive       string         `json:"positive"`
	Negative       string         `json:"negative"`
	PositiveLabels []string       `json:"positive_labels"`
	Folds          int            `json:"folds,omitempty"`
	Sigmoid        *sigmoidJSON   `json:"sigmoid,omitempty"` // of a model of one machine
	PositiveWeight number         `json:"positive_weight"`
	NegativeWeight number         `json:"negative_weight"`
	RowWeights     bool           `json:"row_weights"`
	Limit          int            `json:"limit"`
	Fingerprint    string         `json:"fingerprint"`
	Store          dataset.Layout `json:"store"`
	Specs          []string       `json:"specs"`
	Seed           uint64         `json:"seed"`
	Medians        []number       `json:"medians"`
	Scaling        string         `json:"scaling"`
	Normalization  string         `json:"normalization"`
	SampleSize     int            `json:"normalization_sample"`
	Views          []viewJSON     `json:"views"`
	Sequences      string         `json:"sequences,omitempty"`
	BlockNorm      number         `json:"w_block_norm"`
	Active         int            `json:"active"`
	By             string         `json:"by"`
	Weights        []partJSON     `json:"weights"`
	Heaviest       []kernelJSON   `json:"heaviest"`
	Multiclass     string         `json:"multiclass,omitempty"`
	Classes        []string       `json:"classes,omitempty"`
	ClassWeights   []number       `json:"class_weights,omitempty"`
	Machines       []machineJSON  `json:"machines,omitempty"` // of a model of several: the weights above are averages over them
}

type viewJSON struct {
	Name  string `json:"name"`
	First int    `json:"first"`
	Last  int    `json:"last"`
}

type partJSON struct {
	Name    string `json:"name"`
	Kernels int    `json:"kernels"`
	Active  int    `json:"active"`
	Theta   number `json:"theta"`
	Share   number `json:"share"`
}

// kernelJSON is a kernel; Number is its place in theta, from 0 as in arrays.
type kernelJSON struct {
	Number int    `json:"index"`
	Spec   string `json:"spec"`
	Theta  number `json:"theta"`
	WNorm  number `json:"w_norm"`
	Share  number `json:"share"`
}

func newInspectJSON(m *model.Model, b *kernelspec.Bank, order []int) inspectJSON {
	c, _ := m.Worst()
	j := inspectJSON{
		Task: m.Task, N: m.Points, D: m.Features, Kernels: len(m.Theta), P: blockNorm(m.Norm), Norm: normWords(m, b), C: number(m.C), Gap: number(m.Gap),
		Precision: m.Precision, Certificate: c.Kind, Primal: number(c.Primal), Dual: number(c.Dual), RelativeGap: number(c.RelativeGap), Converged: m.Converged(), Untrained: m.Untrained(),
		SupportVectors: len(m.Support), Bias: number(m.Bias), Positive: m.Positive, Negative: m.Negative, PositiveLabels: m.PositiveLabels,
		PositiveWeight: number(m.PositiveWeight), NegativeWeight: number(m.NegativeWeight), RowWeights: m.RowWeights, Limit: m.Limit,
		Fingerprint: fmt.Sprintf("%016x", m.Fingerprint), Store: m.Store, Specs: m.Kernels, Seed: m.Seed, Medians: numbers(m.Medians), Scaling: m.Scaling.Kind,
		Normalization: m.Normalization.Kind, SampleSize: m.Normalization.SampleSize, Views: []viewJSON{},
	}
	j.Sequences, j.Folds = string(m.Sequences), m.Folds
	if !m.Several() {
		j.Sigmoid = newSigmoidJSON(m, 0)
	}
	for _, v := range m.Views {
		j.Views = append(j.Views, viewJSON(v))
	}
	by, list := parts(m, b)
	j.By, j.BlockNorm = by, number(bound.Norm(m.WNorms, m.Norm))
	for _, p := range list {
		j.Active += p.Active
		j.Weights = append(j.Weights, partJSON{p.Name, p.Kernels, p.Active, number(p.Theta), number(p.Share)})
	}
	total := sum(m.WNorms)
	if m.Several() {
		none := number(math.NaN())
		if j.Bias = none; !m.OneTheta {
			j.Primal, j.Dual, j.BlockNorm = none, none, none
		}
		j.Multiclass, j.Classes, j.ClassWeights, j.Machines = m.Multiclass, m.Classes, numbers(m.ClassWeights), newMachinesJSON(m)
	}
	for _, id := range order {
		w := m.WNorms[id]
		j.Heaviest = append(j.Heaviest, kernelJSON{id, b.Describe(id), number(m.Theta[id]), number(w), number(share(w, total))})
	}
	return j
}

// show writes the same for people.
func (i *inspection) show(m *model.Model, b *kernelspec.Bank, order []int) error {
	t := tabwriter.NewWriter(i.stdout, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	c, machine := m.Worst()
	line("problem", "%s, C = %g, precision %s", describeNorm(m, b), m.C, m.Precision)
	if machine >= 0 {
		line("certificate", "%s: largest relative gap %.3g (asked %.3g), of machine %s", c.Kind, c.RelativeGap, m.Gap, m.ShortName(machine))
	} else {
		line("certificate", "%s: relative gap %.3g (asked %.3g), primal %.9g, dual %.9g", c.Kind, c.RelativeGap, m.Gap, c.Primal, c.Dual)
	}
	if doubt := m.Doubt(); doubt != "" {
		line("warning", "%s", doubt)
	}
	limit := ""
	if m.Limit > 0 {
		limit = fmt.Sprintf(" (--limit %d)", m.Limit)
	}
	features := fmt.Sprintf("%d features", m.Features)
	if m.Sequences != dataset.Numbers {
		features = fmt.Sprintf("sequences of %s, up to %d letters", m.Sequences, m.Features)
	}
	line("data", "%d rows%s, %s, stored %s, fingerprint %016x", m.Points, limit, features, m.Store, m.Fingerprint)
	line("classes", "%s", classes(m))
	if m.Several() {
		line("machines", "%s", decides(m))
		line("support vectors", "%d, which the machines share", len(m.Support))
	} else {
		line("support vectors", "%d, bias %.9g", len(m.Support), m.Bias)
	}
	if m.Sigmoids != nil {
		line("probabilities", "%s", probable(m))
	}
	line("scaling", "%s", m.Scaling.Kind)
	normalization := m.Normalization.Kind
	if m.Normalization.SampleSize > 0 {
		normalization += fmt.Sprintf(", from a sample of %d rows", m.Normalization.SampleSize)
	}
	line("normalisation", "%s", normalization)
	line("kernels", "%d: %s; seed %d", len(m.Theta), clip(strings.Join(m.Kernels, ","), 200), m.Seed)
	by, list := parts(m, b)
	active := 0
	for _, p := range list {
		active += p.Active
	}
	if m.Several() {
		over := "averages over " + overMachines(m)
		if m.OneTheta {
			over = "those of all machines"
		}
		line("weights", "%s, of %d active kernels", over, active)
	} else {
		line("weights", "||w|| in the block norm is %.9g, of %d active kernels", bound.Norm(m.WNorms, m.Norm), active)
	}
	if len(m.Medians) > 0 {
		line("median, mean distances", "%s", clip(strings.Trim(fmt.Sprint(m.Medians), "[]"), 200))
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
		if err := printParts(i.stdout, by, list); err != nil {
			return err
		}
		fmt.Fprintln(i.stdout)
	}
	return i.heaviest(m, b, order)
}

// heaviest writes the table of single kernels, numbered from 1 as in messages.
func (i *inspection) heaviest(m *model.Model, b *kernelspec.Bank, order []int) error {
	t := tabwriter.NewWriter(i.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "kernel\tspecification\ttheta\t||w||\tshare\n")
	total := sum(m.WNorms)
	for _, id := range order {
		w := m.WNorms[id]
		fmt.Fprintf(t, "%d\t%s\t%.4g\t%.4g\t%5.1f %%\n", id+1, clip(b.Describe(id), mostSpec), m.Theta[id], w, 100*share(w, total))
	}
	if left := len(m.Theta) - len(order); left > 0 {
		fmt.Fprintf(t, "\tand %d lighter ones (--all)\t\t\t\n", left)
	}
	return t.Flush()
}

// classes words what the model tells apart, or predicts.
func classes(m *model.Model) string {
	switch m.Task {
	case model.TaskSVR:
		return fmt.Sprintf("a number, in a tube of half-width %g", m.Epsilon)
	case model.TaskSquare:
		return "a number"
	case model.TaskOneClass:
		return fmt.Sprintf("within the support if f(x) >= 0; a share of up to %g was left out", m.Nu)
	}
	if m.Several() {
		return severalClasses(m)
	}
	positive, negative := fail.Label(m.Positive), fail.Label(m.Negative)
	if m.PositiveLabels != nil {
		positive += " (labels " + listLabels(m.PositiveLabels) + ")"
		negative += " (all other labels)"
	}
	text := fmt.Sprintf("%s if f(x) > 0, %s otherwise", positive, negative)
	if m.PositiveWeight != 1 || m.NegativeWeight != 1 {
		text += fmt.Sprintf("; cost factors %g and %g", m.PositiveWeight, m.NegativeWeight)
	}
	return text + rowWeights(m)
}

// listLabels names the first of some labels.
func listLabels(labels []string) string {
	return fail.List(func(k int) string { return fail.Label(labels[k]) }, len(labels))
}

func rowWeights(m *model.Model) string {
	if m.RowWeights {
		return "; rows with weights of their own"
	}
	return ""
}

// severalClasses words what several machines tell apart.
func severalClasses(m *model.Model) string {
	what := map[string]string{
		model.OneVsRest: "the class of the largest f(x)", model.OneVsOne: "the class that wins most pairs, if two do the one of the larger sum of f(x)",
		model.MultiLabel: "all labels with f(x) > 0",
	}[m.Multiclass]
	text := fmt.Sprintf("%s, of %s", what, listLabels(m.Classes))
	if m.ClassWeights != nil {
		text += "; cost factors " + clip(strings.Trim(fmt.Sprint(m.ClassWeights), "[]"), mostSpec)
	}
	return text + rowWeights(m)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/model"
	"bigmkl/verify"
)

// verification is the verify command.
type verification struct {
	*app
	options verify.Options
	read    dataset.ReadOptions
	json    bool
	quiet   bool
	model   string
	data    []string
}

func (a *app) verifyCommand() *cobra.Command {
	v := &verification{app: a}
	c := &cobra.Command{
		Use:   "verify [flags] MODEL DATA...",
		Short: "Recompute the duality gap of a model on its training data",
		Long: "Verify recomputes primal, dual and relative gap in float64 with formulas of its own, from the model and the data it\n" +
			"was trained on. It ends with exit code 5 if these do not bear the model out: wrong data, or a damaged model. Of several\n" +
			"machines each is held to its own certificate.",
		Example: "  bigmkl verify adult.model a9a.gz\n  bigmkl verify adult.model a9a.gz --sample 1000",
	}
	f := flagsOf(c)
	readFlags(f, &v.read)
	weightFlag(f, &v.read)
	add(f, &v.options.Sample, "sample", "N", "0", parseCount, "estimate from N rows instead, 0 for all")
	add(f, &v.options.Seed, "seed", "SEED", "0", parseSeed, "of the sample")
	add(f, &v.options.Threads, "threads", "N", "0", parseCount, "0 for all processors")
	memoryFlag(f, &v.options.Memory)
	f.StringArrayVar(&v.options.Gram, "gram", nil, "`FILE` with the training matrix of a precomputed kernel; repeat in order")
	jsonFlag(f, &v.json)
	quietFlag(f, &v.quiet)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := errors.Join(f.err(), v.read.Validate(), modelAndData(args)); err != nil {
			return err
		}
		v.model, v.data = args[0], args[1:]
		return v.run(c.Context())
	}
	return c
}

func (v *verification) run(ctx context.Context) error {
	defer keepTo(&v.options.Memory, &v.options.Heap)()
	m, err := model.Open(v.model)
	if err != nil {
		return err
	}
	defer m.Close()
	if m.RowWeights && v.read.Weights == "" {
		return fail.New(fail.Usage, "the model was trained with row weights").At(v.model, 0, 0).WithHint("give them with --row-weights")
	}
	if v.options.Gram == nil && slices.ContainsFunc(m.Kernels, func(s string) bool { return strings.HasPrefix(s, "precomputed:") }) {
		return fail.New(fail.Usage, "the model has precomputed kernels").At(v.model, 0, 0).WithHint("give their training matrices with --gram, in order")
	}
	v.read.Labels, v.read.Sequences = m.Labeling(), m.Sequences
	src, err := v.open(ctx, v.data, v.read)
	if err != nil {
		return err
	}
	defer src.Close()
	p := newProgress(v.messages, v.quiet)
	r, err := verify.Run(ctx, m, p.count(src), v.options)
	p.done()
	if err != nil {
		return err
	}
	if v.json {
		err = v.printJSON(verifyJSON{number(r.Primal), number(r.Dual), number(r.RelativeGap), number(m.Gap), m.Converged(), m.Untrained(), r.Rows, r.Sampled, append([]string{}, r.Faults...), machinesJSON(r.Machines)})
	} else {
		err = v.print("%s%s\n", machinesTable(m, r.Machines), verdict(m, r))
	}
	if err != nil {
		return err
	}
	if doubt := m.Doubt(); doubt != "" {
		v.complain("warning: %s", doubt)
	}
	var errs []error
	for _, f := range r.Faults {
		errs = append(errs, fail.New(fail.Corrupt, "%s", f).At(v.model, 0, 0))
	}
	return errors.Join(errs...)
}

// verifyJSON is what --json prints.
type verifyJSON struct {
	Primal      number              `json:"primal"`
	Dual        number              `json:"dual"`
	RelativeGap number              `json:"relative_gap"`
	Gap         number              `json:"gap"` // that was asked for
	Converged   bool                `json:"converged"`
	Untrained   int                 `json:"untrained"` // machines that no step has been taken for
	Rows        int                 `json:"rows"`
	Sampled     bool                `json:"sampled"`
	Faults      []string            `json:"faults"`
	Machines    []verifyMachineJSON `json:"machines,omitempty"`
}

// verifyMachineJSON is one of several machines.
type verifyMachineJSON struct {
	Machine     string   `json:"machine"`
	Primal      number   `json:"primal"`
	Dual        number   `json:"dual"`
	RelativeGap number   `json:"relative_gap"`
	Rows        int      `json:"rows"`
	Faults      []string `json:"faults"`
}

func machinesJSON(list []verify.MachineReport) []verifyMachineJSON {
	var out []verifyMachineJSON
	for _, r := range list {
		out = append(out, verifyMachineJSON{r.Name, number(r.Primal), number(r.Dual), number(r.RelativeGap), r.Rows, append([]string{}, r.Faults...)})
	}
	return out
}

// machinesTable is a line for each of several machines.
func machinesTable(m *model.Model, list []verify.MachineReport) string {
	if list == nil {
		return ""
	}
	var text strings.Builder
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "machine\tprimal\tdual\trelative gap\tclaimed\trows\n")
	for k, r := range list {
		fmt.Fprintf(t, "%s\t%.9g\t%.9g\t%.3g\t%.3g\t%d", m.ShortName(k), r.Primal, r.Dual, r.RelativeGap, m.Machines[k].Certificate.RelativeGap, r.Rows)
		if len(r.Faults) > 0 {
			fmt.Fprintf(t, "\tnot its certificate")
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	return text.String()
}

// verdict is the line for people.
func verdict(m *model.Model, r *verify.Report) string {
	line := fmt.Sprintf("primal %.9g, dual %.9g, relative gap %.3g over %d rows", r.Primal, r.Dual, r.RelativeGap, r.Rows)
	c, machine := m.Worst()
	switch {
	case machine >= 0:
		line = fmt.Sprintf("%d machines: primal %.9g, dual %.9g, relative gap up to %.3g over %d rows", len(r.Machines), r.Primal, r.Dual, r.RelativeGap, r.Rows)
	case r.Machines != nil:
		line = fmt.Sprintf("%d machines together: %s", len(r.Machines), line)
	}
	switch {
	case len(r.Faults) > 0:
		return line + ": not the model's certificate"
	case r.Sampled:
		return line + fmt.Sprintf(": estimates from a sample; the model claims %.3g", c.RelativeGap)
	case c.Kind == "stationary":
		return line + fmt.Sprintf(": as the model claims (%.3g), but with an indefinite kernel it proves no optimum", c.RelativeGap)
	}
	return line + fmt.Sprintf(": the model is what it claims to be (%.3g)", c.RelativeGap)
}

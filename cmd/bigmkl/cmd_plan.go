package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/budget"
	"bigmkl/dataset"
)

// planCommand is train without the training.
func (a *app) planCommand() *cobra.Command {
	t := &training{app: a, planned: true}
	c := &cobra.Command{
		Use:   "plan [flags] DATA...",
		Short: "Say what a training would take",
		Long: "Plan takes the flags of train, reads the data and says how much memory, disk and time the training would take, by the same\n" +
			"code that shares the budgets out in training. It trains nothing and writes nothing. What an iteration costs is measured on\n" +
			"some of the points; how many there will be is a guess from other problems at a gap of 1e-3.\n\n" +
			"It ends with exit code 6 if the training would be refused.",
		Example: "  bigmkl plan --kernels gauss:2^-10..2^2,linear --memory 1GiB a9a.gz",
	}
	f := flagsOf(c)
	t.define(f)
	c.RunE = func(_ *cobra.Command, args []string) error {
		t.data = args
		if err := errors.Join(f.err(), t.check(f)); err != nil {
			return err
		}
		return t.plan(c.Context())
	}
	return c
}

func (t *training) plan(ctx context.Context) error {
	src, err := t.prepare(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	defer keepHeap(&t.options)()
	progress := newProgress(t.messages, t.quiet)
	p, err := bigmkl.NewPlan(ctx, progress.count(src), t.options)
	progress.done()
	if err != nil {
		return inFiles(err, t.data)
	}
	if t.json {
		err = t.printJSON(newPlanJSON(p))
	} else {
		err = showPlan(t.stdout, p)
	}
	return errors.Join(err, p.Check())
}

// planJSON is what --json prints.
type planJSON struct {
	N          int            `json:"n"`
	D          int            `json:"d"`
	Nonzeros   int64          `json:"nonzeros"`
	Store      dataset.Layout `json:"store"`
	Kernels    int            `json:"kernels"`
	Groups     int            `json:"groups"`
	WorkingSet int            `json:"working_set"`
	Machines   int            `json:"machines,omitempty"`
	Memory     shareJSON      `json:"memory"`
	Disk       shareJSON      `json:"disk"`
	Checkpoint savedJSON      `json:"checkpoint"`
	Time       forecastJSON   `json:"time"`
}

type shareJSON struct {
	Budget    int64       `json:"budget_bytes"`
	Least     int64       `json:"least_bytes"`
	InCore    int64       `json:"in_core_bytes"`
	Ample     int64       `json:"ample_bytes"`
	Fixed     []takenJSON `json:"fixed"`
	Gradients int64       `json:"gradient_bytes"`
	Rows      int64       `json:"row_cache_bytes"`
}

// savedJSON is what checkpoints take, in a folder of their own.
type savedJSON struct {
	Folder  string `json:"folder,omitempty"`
	Formula string `json:"formula"`
	Bytes   int64  `json:"bytes"`
	Most    int64  `json:"most_bytes"`
	Free    *int64 `json:"free_bytes,omitempty"`
}

func newSavedJSON(c *budget.Checkpoints) savedJSON {
	j := savedJSON{Folder: c.Folder, Formula: c.Formula, Bytes: c.Bytes, Most: c.Most}
	if c.Free >= 0 {
		j.Free = &c.Free
	}
	return j
}

type takenJSON struct {
	Name    string `json:"name"`
	Formula string `json:"formula"`
	Bytes   int64  `json:"bytes"`
}

type forecastJSON struct {
	Read       number    `json:"read_seconds"`
	Prepare    number    `json:"prepare_seconds"`
	Normalize  number    `json:"normalize_seconds"`
	Pass       number    `json:"pass_seconds"`
	Model      number    `json:"model_seconds"`
	Iterations [2]int    `json:"iterations"`
	Train      [2]number `json:"train_seconds"`
}

func newPlanJSON(p *bigmkl.Plan) planJSON {
	f := &p.Time
	return planJSON{
		N: p.Rows, D: p.Features, Nonzeros: p.Nonzeros, Store: layout(p), Kernels: p.Kernels, Groups: p.Groups, WorkingSet: p.WorkingSet, Machines: p.Machines,
		Memory: newShareJSON(&p.Memory), Disk: newShareJSON(&p.Disk), Checkpoint: newSavedJSON(&p.Checkpoints),
		Time: forecastJSON{number(f.Read.Seconds()), number(f.Prepare.Seconds()), number(f.Normalize.Seconds()), number(f.Pass.Seconds()), number(f.Model.Seconds()), f.Iterations,
			[2]number{number(f.Train[0].Seconds()), number(f.Train[1].Seconds())}},
	}
}

func newShareJSON(s *budget.Share) shareJSON {
	j := shareJSON{Budget: s.Budget, Least: s.Least, InCore: s.InCore, Ample: s.Ample, Gradients: s.Gradients, Rows: s.Rows}
	for _, p := range s.Fixed {
		j.Fixed = append(j.Fixed, takenJSON(p))
	}
	return j
}

func layout(p *bigmkl.Plan) dataset.Layout {
	if p.Sparse {
		return dataset.LayoutSparse
	}
	return dataset.LayoutDense
}

// showPlan writes the same for people.
func showPlan(w io.Writer, p *bigmkl.Plan) error {
	fmt.Fprintf(w, "n = %d rows, d = %d features, %d values that are not zero, stored %s\n", p.Rows, p.Features, p.Nonzeros, layout(p))
	fmt.Fprintf(w, "M = %d kernels in %d groups that share what is computed of their points; working sets of q = %d points\n\n", p.Kernels, p.Groups, p.WorkingSet)
	each := ""
	if p.Machines > 0 {
		each = " for each machine"
		fmt.Fprintf(w, "%d machines, one after the other, which share points, kernels and cached rows\n\n", p.Machines)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	showShare(t, "memory", "gradients in memory", &p.Memory)
	fmt.Fprintln(t, "\t\t")
	showShare(t, "disk", "gradients out of core", &p.Disk)
	fmt.Fprintln(t, "\t\t")
	fmt.Fprintf(t, "a checkpoint\t%s, at most\t%s\n", p.Checkpoints.Formula, formatBytes(p.Checkpoints.Bytes))
	fmt.Fprintf(t, "three for a moment, on the disk of --checkpoint\t\t%s\n", formatBytes(p.Checkpoints.Most))
	if p.Checkpoints.Free >= 0 {
		fmt.Fprintf(t, "free there\t\t%s\n", formatBytes(p.Checkpoints.Free))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if short := p.Checkpoints.Short(); short != "" {
		fmt.Fprintf(w, "\n%s\n", short)
	}
	f := &p.Time
	_, err := fmt.Fprintf(w, "\ntime: %s to read; %s to prepare the kernels and %s to normalise them; %s for a pass over all points and %s for a quadratic model without cached rows;\n"+
		"between %d and %d iterations%s, as a rule, to a gap of 1e-3: training takes between %s and %s\n",
		formatTime(f.Read), formatTime(f.Prepare), formatTime(f.Normalize), formatFine(f.Pass), formatFine(f.Model), f.Iterations[0], f.Iterations[1], each, formatTime(f.Train[0]), formatTime(f.Train[1]))
	return err
}

func showShare(t io.Writer, name, gradients string, s *budget.Share) {
	fmt.Fprintf(t, "%s\t\t%s\n", name, formatBytes(s.Budget))
	for _, p := range s.Fixed {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", p.Name, p.Formula, formatBytes(p.Bytes))
	}
	fmt.Fprintf(t, "  %s\t\t%s\n", gradients, formatBytes(s.Gradients))
	fmt.Fprintf(t, "  left for cached rows\t\t%s\n", formatBytes(s.Rows))
	fmt.Fprintf(t, "the least that does\t\t%s\n", formatBytes(s.Least))
	fmt.Fprintf(t, "nothing is out of core from\t\t%s\n", formatBytes(s.InCore))
	fmt.Fprintf(t, "nothing is computed twice from, at most\t\t%s\n", formatBytes(s.Ample))
}

// formatFine writes a short duration to three digits.
func formatFine(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.3gs", d.Seconds())
	}
	return formatTime(d)
}

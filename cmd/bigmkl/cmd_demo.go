package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/evaluate/score"
	"bigmkl/internal/atomicfile"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/verify"
)

// demonstration is the demo command.
type demonstration struct {
	*app
	data  string
	quiet bool
}

func (a *app) demoCommand() *cobra.Command {
	d := &demonstration{app: a}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Train, predict and verify on a generated problem",
		Long:  "Demo shows what there is on a small generated problem. It takes seconds and downloads nothing.",
	}
	f := flagsOf(c)
	f.StringVar(&d.data, "data", "", "write the data and the model to this `DIR`, where they stay")
	quietFlag(f, &d.quiet)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fail.New(fail.Usage, "demo takes no arguments")
		}
		return d.run(c.Context())
	}
	return c
}

const (
	demoC     = 0.1
	demoTrain = "train.txt"
	demoTest  = "test.txt"
	demoViewF = "views.txt"
	demoModel = "demo.model"
)

func (d *demonstration) run(ctx context.Context) error {
	folder, err := d.cleanup.scratch("")
	if err != nil {
		return err
	}
	scratch := folder
	if d.data != "" {
		folder = d.data
		if err := writeDemo(folder); err != nil {
			return err
		}
	}
	if err := d.print("A class that depends on two of three groups of features, or views: the distance from the origin in\n"+
		"view \"ring\" and the sum of view \"slope\" count, view \"noise\" does not. Which is which, nobody says.\n\n"+
		"Train: ten Gaussian kernels for each view, %d rows, block norm p = 4/3, cost C = %g.\n", trainRows, demoC); err != nil {
		return err
	}
	m, r, err := d.train(ctx, scratch, demoNorm)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, demoModel)
	d.cleanup.writing(path)
	if err := m.Save(ctx, path); err != nil {
		return err
	}
	// What follows works on the file, as a later command would.
	if m, err = bigmkl.Load(path); err != nil {
		return err
	}
	fmt.Fprintf(d.stdout, "       %s after %d iterations, relative gap %.2g, %d support vectors\n\n",
		r.Status, r.Iterations, m.Certificate.RelativeGap, len(m.Support))
	if err := d.weights(ctx, m, scratch); err != nil {
		return err
	}
	if err := d.predict(ctx, m); err != nil {
		return err
	}
	if err := d.verify(ctx, m); err != nil {
		return err
	}
	return d.commands()
}

// demoNorm is the block norm of the tour; 1 would choose among the kernels, 2 take their plain sum.
const demoNorm = 4.0 / 3

func (d *demonstration) train(ctx context.Context, scratch string, norm float64) (*bigmkl.Model, *bigmkl.Result, error) {
	src := dataset.FromSeq(demoRows(trainRows, 1))
	defer src.Close()
	o := bigmkl.Options{Kernels: "gauss:auto/10@each-view", Norm: norm, C: demoC, Views: demoViews(), Scratch: scratch}
	p := newProgress(d.messages, d.quiet)
	if p != nil && p.terminal {
		o.Recorder = p
	}
	defer p.done()
	m, r, err := bigmkl.Train(ctx, src, o)
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return m, r, err
}

// weights shows what each view got, and how that depends on the norm.
func (d *demonstration) weights(ctx context.Context, m *bigmkl.Model, scratch string) error {
	b, err := m.Bank()
	if err != nil {
		return err
	}
	by, list := parts(&m.Model, b)
	if err := printParts(d.stdout, by, list); err != nil {
		return err
	}
	least := 0
	for i, p := range list {
		if p.Share < list[least].Share {
			least = i
		}
	}
	if err := d.print("\nThe least weight goes to view %s. The norm says how sharp the choice is:\nthe share of that view", fail.Quote(list[least].Name)); err != nil {
		return err
	}
	for i, norm := range []float64{1, demoNorm, 2} {
		m, _, err := d.train(ctx, scratch, norm)
		if err != nil {
			return err
		}
		_, list := parts(&m.Model, b)
		if err := d.print("%s%.1f %% at p = %s", [...]string{" is ", ", ", ", "}[i], 100*list[least].Share, formatNorm(norm)); err != nil {
			return err
		}
	}
	return d.print(".\n\n")
}

func (d *demonstration) predict(ctx context.Context, m *bigmkl.Model) error {
	src := dataset.FromSeq(demoRows(testRows, 2))
	defer src.Close()
	s, err := score.Of(ctx, m, src, bigmkl.PredictOptions{})
	if err != nil {
		return err
	}
	return d.print("Predict rows not seen before: %s.\n", evaluation{Evaluation: s.Evaluation()})
}

func (d *demonstration) verify(ctx context.Context, m *bigmkl.Model) error {
	src := dataset.FromSeq(demoRows(trainRows, 1))
	defer src.Close()
	r, err := verify.Run(ctx, &m.Model, src, verify.Options{})
	if err != nil {
		return err
	}
	if err := d.print("Verify: %s.\n", verdict(&m.Model, r)); err != nil {
		return err
	}
	var errs []error
	for _, f := range r.Faults {
		errs = append(errs, fail.New(fail.Corrupt, "%s", f))
	}
	return errors.Join(errs...)
}

func (d *demonstration) commands() error {
	lead := "The same by commands (bigmkl demo --data DIR writes the files):\n"
	at := func(name string) string { return name }
	if d.data != "" {
		lead = "The same by commands:\n"
		at = func(name string) string { return filepath.Join(d.data, name) }
	}
	return d.print("\n%s"+
		"  bigmkl train --views %s --kernels gauss:auto/10@each-view --norm 4/3 -C %g -o %s %s\n"+
		"  bigmkl predict %s %s -o predictions.txt\n"+
		"  bigmkl verify %s %s\n",
		lead, at(demoViewF), demoC, at(demoModel), at(demoTrain), at(demoModel), at(demoTest), at(demoModel), at(demoTrain))
}

// writeDemo writes the data as files.
func writeDemo(folder string) error {
	if err := files.MkdirAll(folder, 0o777); err != nil {
		return files.OwnFault("cannot make the folder", folder, err)
	}
	files := map[string]func(io.Writer) error{
		demoTrain: func(w io.Writer) error { return writeRows(w, demoRows(trainRows, 1)) },
		demoTest:  func(w io.Writer) error { return writeRows(w, demoRows(testRows, 2)) },
		demoViewF: func(w io.Writer) error {
			for _, v := range demoViews() {
				if _, err := fmt.Fprintf(w, "%s %d %d\n", v.Name, v.First, v.Last); err != nil {
					return err
				}
			}
			return nil
		},
	}
	for name, write := range files {
		f, err := atomicfile.Create(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		defer f.Abort()
		if err := write(f); err != nil {
			return err
		}
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

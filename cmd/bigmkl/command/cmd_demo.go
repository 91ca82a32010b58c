package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/demo"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/fail"
	"bigmkl/verify"
)

// demoCommand holds the flags of the demo command. The demonstration serves as a test of an
// installation, too: it needs no data and ends with a proof.
type demoCommand struct {
	*app
	// data is a folder for the files of the demonstration. write is a folder for public data sets.
	data  string
	write string
	quiet bool
}

// newDemoCommand defines the demo command.
// The problem is generated from a fixed seed, so every computer prints the same figures.
func newDemoCommand(a *app) *cobra.Command {
	d := &demoCommand{app: a}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Train, predict and verify on a generated problem",
		Long: "Demo trains, predicts and verifies on a small generated problem. It takes seconds and\n" +
			"downloads nothing. --write writes small public data sets instead, which the examples of\n" +
			"the documents use.",
		Example: "  bigmkl demo\n  bigmkl demo --write .\n  bigmkl demo --data here",
	}
	f := newFlags(c)
	f.StringVar(&d.data, "data", "", "write the data and the model to this `DIR` and keep them")
	f.StringVar(&d.write, "write", "", "write public data sets to this `DIR`, list them, and train nothing")
	addQuietFlag(f, &d.quiet)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fail.New(fail.Usage, "demo takes no arguments")
		}
		// Both folders would get files of different kinds, so one run writes one of them.
		if d.write != "" {
			if d.data != "" {
				return fail.New(fail.Usage, "--write and --data do not go together").WithHint("--data writes the generated problem")
			}
			return d.writeSets()
		}
		return d.run(c.Context())
	}
	return c
}

// writeSets writes the data sets of the documents and lists them.
// The last line names the file with the sources and licences of the data, which must go along with copies.
func (d *demoCommand) writeSets() error {
	if err := demo.WriteSets(d.write); err != nil {
		return err
	}
	// Each line has the files of a set, because some sets have a file of views.
	for _, s := range demo.Sets {
		if err := d.print("%-40s %s\n", strings.Join(s.Files, ", "), s.Text); err != nil {
			return err
		}
	}
	return d.print("%-40s where the data come from\n", demo.LicencesFile)
}

// run trains, saves, predicts and verifies, and explains each step. The public library is called as a
// program of another module would call it.
func (d *demoCommand) run(ctx context.Context) error {
	// Without --data all files go to a scratch folder, which is removed at the end.
	folder, err := d.cleanup.makeScratch("")
	if err != nil {
		return err
	}
	// The training needs a scratch folder also if --data names a folder for the results.
	scratch := folder
	// Rows and views become files too, for the commands at the end.
	if d.data != "" {
		folder = d.data
		// The files have the same rows as the generator below, so the commands at the end give the same
		// figures.
		if err := demo.Write(folder); err != nil {
			return err
		}
	}
	if err := d.print("The class depends on two of three groups of features, or views: on the distance from the\n"+
		"origin in view \"ring\" and on the sum of view \"slope\", but not on view \"noise\". The program is\n"+
		"not told which views matter.\n\n"+
		"Train: ten Gaussian kernels for each view, %d rows, block norm p = 4/3, cost C = %g.\n", demo.TrainRows, demo.C); err != nil {
		return err
	}
	// The rows come from a generator and not from a file, as a program with data of its own would pass
	// them.
	m, r, err := d.trainModel(ctx, scratch, demo.Norm)
	if err != nil {
		return err
	}
	defer m.Close()
	path := filepath.Join(folder, demo.ModelFile)
	d.cleanup.addTarget(path)
	// Save writes a temporary file and renames it.
	if err := m.Save(ctx, path); err != nil {
		return err
	}
	// The next steps read the model from its file, as a later command would.
	if m, err = bigmkl.Load(path); err != nil {
		return err
	}
	// The status is one word of the solver, such as converged.
	fmt.Fprintf(d.stdout,
		"       %s after %d iterations, relative gap %.2g, %d support vectors\n\n",
		r.Status, r.Iterations, m.Certificate.RelativeGap, len(m.Support))
	if err := d.printWeightsOf(ctx, m, scratch); err != nil {
		return err
	}
	if err := d.predictRows(ctx, m); err != nil {
		return err
	}
	if err := d.verifyModel(ctx, m); err != nil {
		return err
	}
	return d.printCommands()
}

// trainModel trains on the generated rows with the given block norm. The progress is for a terminal
// alone. A file would get lines of progress between the explanations.
func (d *demoCommand) trainModel(ctx context.Context, scratch string, norm float64) (*bigmkl.Model,
	*bigmkl.Result, error) {
	src := dataset.FromSeq(demo.Rows(demo.TrainRows, 1))
	defer src.Close()
	// Ten widths around the median distance, once for each view, make 30 kernels.
	o := bigmkl.Options{Kernels: "gauss:auto/10@each-view", Norm: norm, C: demo.C,
		Views: demo.Views(), Scratch: scratch}
	p := newProgress(d.messages, d.quiet)
	if p != nil && p.terminal {
		o.Recorder = p
	}
	defer p.finish()
	m, r, err := bigmkl.Train(ctx, src, o)
	// The error goes to the caller together with the model, which the caller ignores.
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	// Train returns the model that it has when its context ends. A demonstration of half a training
	// would mislead.
	return m, r, err
}

// printWeightsOf shows how the weights are distributed over the views, and how the share of the
// lightest view depends on the norm.
func (d *demoCommand) printWeightsOf(ctx context.Context, m *bigmkl.Model, scratch string) error {
	b, err := m.Bank()
	if err != nil {
		return err
	}
	// by is the unit of the list: view here, because each view has several kernels.
	by, list := summarizeWeights(&m.Model, b)
	if err := printWeights(d.stdout, by, list); err != nil {
		return err
	}
	// The lightest view is found and not named in the code: the text stays true if the problem changes.
	least := 0
	for i, p := range list {
		if p.Share < list[least].Share {
			least = i
		}
	}
	if err := d.print("\nView %s has the least weight. The norm decides how sharp the selection is:\nthe share of that view", fail.Quote(list[least].Name)); err != nil {
		return err
	}
	// p = 1 gives the sparsest weights and p = 2 the plain sum of kernels.
	for i, norm := range []float64{1, demo.Norm, 2} {
		// The bank of the first model serves all three, because only the norm differs.
		m, _, err := d.trainModel(ctx, scratch, norm)
		if err != nil {
			return err
		}
		// The list has the order of the views, which is the same for every norm.
		_, list := summarizeWeights(&m.Model, b)
		m.Close()
		if err := d.print("%s%.1f %% at p = %s", [...]string{" is ", ", ", ", "}[i],
			100*list[least].Share, formatNorm(norm)); err != nil {
			return err
		}
	}
	return d.print(".\n\n")
}

// predictRows predicts rows that the training did not see. The seed 2 draws other rows than the seed 1
// of the training, from the same distribution.
func (d *demoCommand) predictRows(ctx context.Context, m *bigmkl.Model) error {
	src := dataset.FromSeq(demo.Rows(demo.TestRows, 2))
	defer src.Close()
	// Accuracy on new rows is the figure that a user of a method asks for first.
	// Zero options predict with all threads and within the memory of the computer.
	s, err := score.Of(ctx, m, src, bigmkl.PredictOptions{})
	if err != nil {
		return err
	}
	return d.print("Predict new rows: %s.\n", evaluation{Evaluation: s.Evaluation()})
}

// verifyModel recomputes the certificate of the model. The same seed generates the training rows again,
// which verify needs in addition to the model.
func (d *demoCommand) verifyModel(ctx context.Context, m *bigmkl.Model) error {
	src := dataset.FromSeq(demo.Rows(demo.TrainRows, 1))
	defer src.Close()
	r, err := verify.Run(ctx, &m.Model, src, verify.Options{})
	if err != nil {
		return err
	}
	if err := d.print("Verify: %s.\n", describeResult(&m.Model, r)); err != nil {
		return err
	}
	var errs []error
	// A fault here means an installation that computes wrongly. Its exit code is the code of a corrupt
	// model.
	for _, f := range r.Faults {
		errs = append(errs, fail.New(fail.Corrupt, "%s", f))
	}
	return errors.Join(errs...)
}

// printCommands prints the commands that repeat the demonstration.
func (d *demoCommand) printCommands() error {
	// Without --data the files are gone, so their names are shown without a folder.
	lead := "These commands do the same (bigmkl demo --data DIR writes the files):\n"
	at := func(name string) string { return name }
	if d.data != "" {
		lead = "These commands do the same:\n"
		at = func(name string) string { return filepath.Join(d.data, name) }
	}
	return d.print("\n%s"+
		"  bigmkl train --views %s --kernels gauss:auto/10@each-view --norm 4/3 -C %g -o %s %s\n"+
		"  bigmkl predict %s %s -o predictions.txt\n"+
		"  bigmkl verify %s %s\n",
		lead, at(demo.ViewsFile), demo.C, at(demo.ModelFile), at(demo.TrainFile), at(demo.ModelFile), at(demo.TestFile), at(demo.ModelFile), at(demo.TrainFile))
}

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/internal/atomicfile"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/files"
	"bigmkl/internal/report"
	"bigmkl/internal/selection"
)

// reportCommand holds the flags and arguments of the report command.
type reportCommand struct {
	*app
	// options and read are for the rows of --test, as in predict.
	options bigmkl.PredictOptions
	read    formats.Options
	// trace and align are files that other commands wrote, and test the rows to predict. Each adds a
	// section to the page.
	trace string
	align string
	test  []string
	// out is the page, and figures a folder for its charts. One of both is enough.
	out     string
	figures string
	quiet   bool
	// narrow takes features as 0 that no training row had.
	narrow bool
	// model is the file of the model, and folder the folder of its selection, "" if there is none.
	model, folder string
}

// newReportCommand defines the report command.
// The page needs only the model file. All other inputs add sections.
func newReportCommand(a *app) *cobra.Command {
	r := &reportCommand{app: a}
	c := &cobra.Command{
		Use:   "report [flags] MODEL|FOLDER -o FILE.html",
		Short: "Write a page about a model, a selection or an importance",
		Long: "Report writes one HTML file for a browser or a printer. It shows the learned weights, the\n" +
			"predictions, the meaning of the certificate, the norm that the theory recommends, the options,\n" +
			"and the commands to train the model again. The page loads nothing, and can be read without\n" +
			"scripts.\n\n" +
			"For a folder of select it shows the measure against C and p, the table of all combinations, the\n" +
			"baselines, and the best model. For a folder of importance it shows the contribution of each\n" +
			"source, with intervals, and the sources that can replace each other.\n\n" +
			"--test predicts rows with known labels. It adds metrics, ROC and precision-recall curves, the\n" +
			"confusion matrix, and the calibration of probabilities, or the residuals of a regression.\n" +
			"--trace adds the convergence of a training with train --trace. --align adds the alignments that\n" +
			"align --json printed. --figures also writes every chart as SVG and PDF, as wide as one and two\n" +
			"columns of a journal, with fonts in them.",
		Example: "  bigmkl report heart.model --test heart-new.csv -o heart.html\n" +
			"  bigmkl train --label disease --trace heart.trace -o heart.model heart.csv\n" +
			"  bigmkl align --json --label disease --kernels gauss:auto/10 heart.csv > heart.alignments\n" +
			"  bigmkl report heart.model --trace heart.trace --align heart.alignments -o heart.html",
	}
	f := newFlags(c)
	f.StringVarP(&r.out, "out", "o", "", "write the page to this `FILE`, - for standard output")
	f.StringVar(&r.figures, "figures", "", "write every chart as SVG and PDF into this `DIR`, 85 and 175 mm wide, for papers")
	f.StringVar(&r.trace, "trace", "", "show the training in this `FILE` of train --trace")
	f.StringVar(&r.align, "align", "", "show the alignments in this `FILE` of align --json")
	f.StringArrayVar(&r.test, "test", nil,
		"show how well the rows of this `FILE` are predicted; repeat for more rows, or for arrays that are views")
	addReadFlags(f, &r.read)
	f.StringArrayVar(&r.options.Gram, "gram-test", nil,
		"`FILE` with a precomputed kernel between new rows and training rows (n_test x n_train); repeat it for each kernel, in order")
	// The flags below --test are the flags of predict, because the section predicts these rows.
	addNarrowFlag(f, &r.narrow)
	add(f, &r.options.Threads, "threads", "N", "0", parseCount, "number of threads, 0 for all processors")
	addMemoryFlag(f, &r.options.Memory)
	addQuietFlag(f, &r.quiet)
	c.RunE = func(_ *cobra.Command, args []string) error {
		var faults usageFaults
		faults.require(len(args) == 1, "report MODEL -o FILE.html", "report takes one model or selection, not %d", len(args))
		faults.require(r.out != "" || r.figures != "", "-o FILE.html", "no file is named for the page")
		// Flags that belong to --test are faults without it, since they would have no effect.
		checkNeeds(f, &faults)
		if err := errors.Join(append(faults, f.err(), r.read.Validate())...); err != nil {
			return err
		}
		return r.run(c.Context(), args[0])
	}
	return c
}

// run puts the page together and writes it. Nothing is written before all inputs are read. The argument
// decides between three pages: a file is a model, and a folder belongs to a selection or an importance.
func (r *reportCommand) run(ctx context.Context, path string) error {
	info, err := files.Stat(path)
	if err != nil {
		return files.InputFault("cannot open", path, err)
	}
	// An importance is recognised by its file, because both kinds of folders are given in the same way.
	if info.IsDir() && selection.HasImportance(path) {
		return r.runImportance(path)
	}
	var chosen *selection.Selection
	if r.model = path; info.IsDir() {
		// The folder of a selection has its model and its figures under fixed names.
		r.folder, r.model = path, filepath.Join(path, "best.model")
		if chosen, err = selection.Load(path); err != nil {
			return err
		}
	}
	// The page must not replace a file that it is made from, such as -o with the name of the
	// model.
	inputs := slices.Concat(formats.Paths(r.test), r.options.Gram, r.read.Files(),
		[]string{r.model, filepath.Join(r.folder, "table.json")})
	// Without a selection there is no table. The last name is then cut off again.
	if chosen == nil {
		inputs = inputs[:len(inputs)-1]
	}
	for _, file := range []string{r.trace, r.align} {
		if file != "" {
			inputs = append(inputs, file)
		}
	}
	if err := checkOutput(r.out, inputs...); err != nil {
		return err
	}
	defer limitHeapTo(&r.options.Memory, &r.options.Heap)()
	// The page is complete in memory before its file is created, so a fault leaves an older page as it is.
	p, err := r.makePage(ctx, path, chosen)
	if err != nil {
		return err
	}
	return r.write(p)
}

// runImportance makes the page of a folder that importance has written. The flags that it rejects are
// about a model. An importance keeps no model, only scores of held-out rows.
// Only flags that name further inputs are rejected. --figures works for this page, too.
func (r *reportCommand) runImportance(path string) error {
	var faults usageFaults
	faults.require(len(r.test) == 0 && r.trace == "" && r.align == "", "leave --test, --trace and --align out", "the page of an importance has no model to show")
	if err := errors.Join(faults...); err != nil {
		return err
	}
	if err := checkOutput(r.out, filepath.Join(path, "importance.json")); err != nil {
		return err
	}
	found, err := selection.LoadImportance(path)
	if err != nil {
		return err
	}
	p := report.New("Report on the sources of "+path, fmt.Sprintf("%s, %s", count(len(found.Sources), "source"), count(found.Rows, "row")))
	if err := p.AddImportance(found); err != nil {
		return atFile(err, path)
	}
	// A page of a folder without a command line has no section of commands.
	// The folder keeps the words of the command line that made it, without the folder itself.
	// The command goes on in a folder that has its result, so it shows the table again.
	words, err := selection.CommandOf(path)
	if err != nil {
		return err
	}
	if words != nil {
		line := "bigmkl importance --resume -o " + quoteShell(path) + " " + quoteAll(words)
		p.AddCommands([2]string{"This measures the importance: in this folder it goes on and shows the table, in an empty one it begins.", line})
	}
	return r.write(p)
}

// write writes the page.
func (r *reportCommand) write(p *report.Page) error {
	if err := r.writeFigures(p); err != nil || r.out == "" {
		return err
	}
	// The page is complete before the first byte is written.
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	if isStandardOutput(r.out) {
		return r.print("%s", b.String())
	}
	return r.writeFile(r.out, b.Bytes())
}

// writeFile writes a file whole or not at all.
func (r *reportCommand) writeFile(path string, content []byte) error {
	// The cleanup removes an unfinished file if the process is interrupted.
	r.cleanup.addTarget(path)
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Commit()
}

// writeFigures writes every chart of the page into the folder of --figures, if there is one. A journal
// asks for vector graphics at the width of one or two columns, and a browser cannot export them.
// The folder may exist. Files of the same name are replaced, so a second run refreshes the figures.
func (r *reportCommand) writeFigures(p *report.Page) error {
	if r.figures == "" {
		return nil
	}
	if err := files.MkdirAll(r.figures, 0o777); err != nil {
		return files.OwnFault("cannot make the folder", r.figures, err)
	}
	// The width is part of the name, because a journal may need both.
	for _, f := range p.Figures() {
		// Every chart has two widths and two formats, so four files.
		for _, width := range report.Columns {
			for _, format := range []report.Format{report.SVG, report.PDF} {
				var b bytes.Buffer
				if err := f.Write(&b, format, width); err != nil {
					return err
				}
				if err := r.writeFile(filepath.Join(r.figures, fmt.Sprintf("%s-%.0fmm.%s", f.Name, width, format)), b.Bytes()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// makePage reads the model, the folder and all inputs of the flags, and makes the page from
// them.
func (r *reportCommand) makePage(ctx context.Context, path string, chosen *selection.Selection) (*report.Page, error) {
	// A selection that is not complete has no model. Its page shows the figures so far.
	if chosen != nil && (chosen.Best < 0 || chosen.Missing > 0) { // There is no best model.
		p := report.New("Report on the selection "+path, count(chosen.Rows, "row"))
		return p, atFile(p.AddSelection(chosen, nameArms(chosen)), path)
	}
	m, err := bigmkl.Open(r.model)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	b, err := m.Bank()
	if err != nil {
		return nil, err
	}
	// The head of the page names the norm, C, the task and the size, which identify the run at a glance.
	// A user names either a model or a folder, and the head repeats this word.
	what := "model"
	if chosen != nil {
		what = "selection"
	}
	p := report.New("Report on the "+what+" "+path, fmt.Sprintf("%s; %s, %d rows, %s", describeNorm(&m.Model, b), m.Task, m.Points, count(m.Len(), "kernel")))
	if chosen != nil {
		if err := p.AddSelection(chosen, nameArms(chosen)); err != nil {
			return nil, atFile(err, path)
		}
	}
	// The order of the sections is the order of a reader's questions: how the model was chosen,
	// how well it predicts, what it consists of, whether the optimum was reached, and how to
	// make it again.
	// Sections have no order of their own in the page. They appear as they are added here.
	if err := r.addHeldOut(p, m, chosen); err != nil {
		return nil, err
	}
	p.AddWeights(weightsOf(&m.Model, b))
	var h *report.HeldOut
	// Without --test the page has only the curves of a selection.
	if len(r.test) > 0 {
		// A page with --test reads these rows once, for all figures of the section.
		if h, err = r.predict(ctx, m); err != nil {
			return nil, err
		}
		p.AddHeldOut(h, strings.Join(r.test, ", "))
	}
	// Regions need the rows of --test for their coverage. Without them h is nil.
	p.AddRegions(&m.Model, h)
	p.AddCertificate(&m.Model)
	// Alignments and traces refer to kernels by their number. Specifications show whether they belong
	// to this model.
	specs, names := make([]string, m.Len()), make([]string, m.Len())
	for id := range names {
		specs[id], names[id] = b.Describe(id), b.Brief(id)
	}
	if r.align != "" {
		// A fault of the content gets the name of the file as well.
		a, err := readInput(r.align, report.ReadAlignments)
		if err == nil {
			err = atFile(p.AddAlignments(a, specs, names), r.align)
		}
		if err != nil {
			return nil, err
		}
	}
	if r.trace != "" {
		t, err := readInput(r.trace, report.ReadTrace)
		if err == nil {
			err = atFile(p.AddTrace(t, &m.Model, names), r.trace)
		}
		if err != nil {
			return nil, err
		}
	}
	// The bound on the generalisation error is a function of the norms ||w_m||.
	if w := typicalWeightNorms(&m.Model); w != nil {
		p.AddBound(w, m.Norm)
	}
	// Several classifiers are shown by their mean, as in inspect.
	p.AddFacts(factsOf(averageClassifiers(&m.Model), b, nil))
	commands, err := r.commands(chosen)
	if err != nil {
		return nil, err
	}
	p.AddCommands(commands...)
	return p, nil
}

// addHeldOut adds curves from the decision values that a selection has kept of its chosen
// combination. These rows were held out, so the page has honest curves without --test.
func (r *reportCommand) addHeldOut(p *report.Page, m *bigmkl.Model, chosen *selection.Selection) error {
	if chosen == nil {
		return nil
	}
	// An older folder may have no values. The page then has no such section.
	values, err := selection.LoadHeldOut(r.folder)
	if err != nil || values == nil {
		return err
	}
	// The caption is empty, since these rows come from no file of --test.
	if h := report.PredictHeldOut(m, values); h != nil {
		p.AddHeldOut(h, "")
	}
	return nil
}

// predict predicts the rows of --test. Rows need labels: without them there is nothing to compare the
// predictions with.
func (r *reportCommand) predict(ctx context.Context, m *bigmkl.Model) (*report.HeldOut, error) {
	set, err := readFor(ctx, &m.Model, &r.read)
	if err != nil {
		return nil, err
	}
	// Kernels of pairs refer to a set of objects, which the model does not contain.
	r.options.Objects = set
	src, err := r.openData(ctx, r.test, r.read)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	progress := newProgress(r.messages, r.quiet)
	// Known training rows and unknown features become warnings, as in predict.
	rows, err := watchRows(&m.Model, src, progress.countRows(src), r.narrow)
	if err != nil {
		return nil, err
	}
	// An error below names the files of --test, because the page has several inputs.
	h, err := report.Predict(ctx, m, rows, r.options)
	progress.finish()
	if err != nil {
		return nil, nameFiles(err, r.test)
	}
	r.warn(append(rows.warnings(), rows.known.warning())...)
	return h, nil
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/evaluate/score"
	"bigmkl/internal/atomicfile"
	"bigmkl/internal/fail"
	"bigmkl/model"
)

// prediction is the predict command.
type prediction struct {
	*app
	options bigmkl.PredictOptions
	read    dataset.ReadOptions
	out     string
	each    bool // decision values of all machines
	json    bool
	quiet   bool
	model   string
	data    []string
}

func (a *app) predictCommand() *cobra.Command {
	p := &prediction{app: a}
	c := &cobra.Command{
		Use:   "predict [flags] MODEL DATA...",
		Short: "Predict rows with a model",
		Long: "Predict writes one line a row, \"label decision\", in regression the prediction: to OUT, or to standard output unless --json asks for\n" +
			"one object instead. Labels in the data may be missing; where they are there, accuracy, AUC, average precision and more are\n" +
			"reported, in regression the errors: on standard output if the lines go elsewhere, on standard error otherwise; --json has\n" +
			"them class by class.\n\n" +
			"Of several machines (train --multiclass) the decision is the one that won: the largest of ovr, the sum of the winner's of ovo;\n" +
			"--decisions writes those of all machines, in the order in which inspect lists them. Where rows have sets of labels, a line is\n" +
			"the set, such as 1,3, and the decision of each label; - is the set without labels, and so is a row without any in the data.\n\n" +
			"--probability appends the probability of each class, or of each label, to the lines, and writes a line before them that names\n" +
			"these in their order: \"labels A B ..\". The label stays that of the decision. With it, log loss and Brier score are reported.",
		Example: "  bigmkl predict adult.model a9a.t -o adult.predictions",
	}
	f := flagsOf(c)
	readFlags(f, &p.read)
	f.StringVarP(&p.out, "out", "o", "", "`OUT` file, - for standard output")
	f.StringArrayVar(&p.options.Gram, "gram-test", nil, "`FILE` with the n_test x n_train matrix of a precomputed kernel; repeat in order")
	add(f, &p.options.Threads, "threads", "N", "0", parseCount, "0 for all processors")
	memoryFlag(f, &p.options.Memory)
	f.BoolVar(&p.each, "decisions", false, "write the decision values of all machines")
	f.BoolVar(&p.options.Probability, "probability", false, "give probabilities, by a model that was trained with --probability")
	jsonFlag(f, &p.json)
	quietFlag(f, &p.quiet)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := errors.Join(f.err(), modelAndData(args)); err != nil {
			return err
		}
		if p.json && standard(p.out) {
			return fail.New(fail.Usage, "--json and the predictions both want standard output").WithHint("write the predictions to a file")
		}
		if p.each && p.json && p.out == "" {
			return fail.New(fail.Usage, "--decisions without lines to write them in").WithHint("-o OUT")
		}
		p.model, p.data = args[0], args[1:]
		return p.run(c.Context())
	}
	return c
}

// modelAndData checks the arguments of predict and verify.
func modelAndData(args []string) error {
	switch len(args) {
	case 0:
		return fail.New(fail.Usage, "no model and no data named").WithHint("MODEL DATA")
	case 1:
		return fail.New(fail.Usage, "no data file named").WithHint("MODEL DATA, where - is standard input")
	}
	return nil
}

func (p *prediction) run(ctx context.Context) error {
	if err := checkOutput(p.out, append(append(p.data, p.model), p.read.Files()...)...); err != nil {
		return err
	}
	defer keepTo(&p.options.Memory, &p.options.Heap)()
	m, err := bigmkl.Open(p.model)
	if err != nil {
		return err
	}
	defer m.Close()
	p.read.Labels, p.read.Sequences = m.Labeling(), m.Sequences
	src, err := p.open(ctx, p.data, p.read)
	if err != nil {
		return err
	}
	defer src.Close()
	progress := newProgress(p.messages, p.quiet)
	s, err := p.write(ctx, m, progress.count(src))
	progress.done()
	if err != nil {
		return inFiles(err, p.data)
	}
	if doubt := m.Doubt(); doubt != "" {
		p.complain("warning: %s", doubt)
	}
	for _, w := range s.Warnings() {
		p.complain("warning: %s", w)
	}
	e := evaluation{Evaluation: s.Evaluation()}
	e.details = append(e.details, detail{"model", newStandingJSON(&m.Model)})
	switch {
	case p.json:
		return p.printJSON(e)
	case p.out != "" && !standard(p.out):
		return p.print("%s\n", e)
	case !p.quiet:
		fmt.Fprintln(p.stderr, e)
	}
	return nil
}

// standingJSON is how far the training of a model came.
type standingJSON struct {
	RelativeGap number `json:"relative_gap"`
	Gap         number `json:"gap"` // that was asked for
	Converged   bool   `json:"converged"`
	Untrained   int    `json:"untrained"` // machines that no step has been taken for
}

func newStandingJSON(m *model.Model) standingJSON {
	c, _ := m.Worst()
	return standingJSON{number(c.RelativeGap), number(m.Gap), m.Converged(), m.Untrained()}
}

// write predicts the rows and writes their lines, if they are wanted.
func (p *prediction) write(ctx context.Context, m *bigmkl.Model, src dataset.Source) (*score.Score, error) {
	switch {
	case p.out == "" && p.json:
		return score.Of(ctx, m, src, p.options)
	case p.out == "" || standard(p.out):
		return p.lines(ctx, m, src, p.stdout)
	}
	p.cleanup.writing(p.out)
	f, err := atomicfile.Create(p.out)
	if err != nil {
		return nil, err
	}
	defer f.Abort()
	s, err := p.lines(ctx, m, src, f)
	if err != nil {
		return nil, err
	}
	return s, f.Commit()
}

func (p *prediction) lines(ctx context.Context, m *bigmkl.Model, src dataset.Source, to io.Writer) (*score.Score, error) {
	s, o := score.New(&m.Model), p.options
	o.Left = s.Keep
	out := bufio.NewWriterSize(to, 1<<16)
	var line []byte
	if p.options.Probability && m.Sigmoids != nil {
		fmt.Fprintf(out, "labels %s\n", strings.Join(score.ClassNames(&m.Model), " "))
	}
	err := m.Predict(ctx, src, o, func(row bigmkl.Prediction) error {
		s.Add(row)
		line = line[:0]
		if row.Label != "" {
			line = append(append(line, row.Label...), ' ')
		}
		if row.Decisions != nil && (p.each || m.Multiclass == model.MultiLabel) {
			for _, f := range row.Decisions {
				line = append(strconv.AppendFloat(line, f, 'g', 9, 64), ' ')
			}
		} else {
			line = append(strconv.AppendFloat(line, row.Decision, 'g', 9, 64), ' ')
		}
		for _, p := range row.Probabilities {
			line = append(strconv.AppendFloat(line, p, 'g', 6, 64), ' ')
		}
		line[len(line)-1] = '\n'
		_, err := out.Write(line)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, out.Flush()
}

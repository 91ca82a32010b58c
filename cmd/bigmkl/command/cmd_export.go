package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bigmkl/internal/atomicfile"
	"bigmkl/internal/export"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// exportCommand holds the flags and arguments of the export command.
type exportCommand struct {
	*app
	// out is the file to write, and to its format: json, libsvm or onnx.
	out string
	to  string
	// input is the type of numbers that an ONNX graph takes. Models of scikit-learn are usually called
	// with float32.
	input string
	// withoutProbability permits formats that cannot hold the probabilities of a model. Without the
	// flag, such an export is rejected, because its users would miss the probabilities only later.
	withoutProbability bool
	quiet              bool
}

// newExportCommand defines the export command.
// Each format has its own limits. Package export knows them, and this command only names the model in its
// errors.
func newExportCommand(a *app) *cobra.Command {
	e := &exportCommand{app: a}
	c := &cobra.Command{
		Use:   "export [flags] -o OUT MODEL",
		Short: "Write a model for other programs",
		Long: "Export writes a model for other programs. JSON has all of it (docs/JSON.md). LIBSVM has one\n" +
			"linear, polynomial, Gaussian, sigmoid or precomputed kernel. An ONNX graph has\n" +
			export.ONNXKernels + " kernels, scaling\n" +
			"included. Decision values of all three agree with predict to 1e-4 (1 + |f|).\n" +
			"Probabilities are included. A model that a format cannot represent is rejected with\n" +
			"the reason.",
		Example: "  bigmkl export -o m.json m.model\n" +
			"  bigmkl export -o m.onnx m.model\n" +
			"  bigmkl export --to libsvm -o m.svm m.model",
	}
	f := newFlags(c)
	f.StringVarP(&e.out, "out", "o", "", "write to this file `OUT`, - for standard output")
	// The ending of the file mostly names the format, and standard output has none.
	addWords(f, &e.to, "to", "FORMAT", "", export.Formats,
		"format to write: "+strings.Join(export.Formats, ", ")+" (default: the ending of OUT)")
	addWords(f, &e.input, "input", "TYPE", export.Float64, export.Inputs,
		"type of the rows of --to onnx: "+strings.Join(export.Inputs, ", ")+"; programs that run models of skl2onnx send float32")
	f.BoolVar(&e.withoutProbability, "without-probability", false,
		"leave out the probabilities of the model, for example if the format cannot hold them")
	addQuietFlag(f, &e.quiet)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := errors.Join(f.err(), e.checkFlags(f, args)); err != nil {
			return err
		}
		return e.run(c.Context(), args[0])
	}
	return c
}

// checkFlags returns all faults of the command line that can be found without reading a file.
func (e *exportCommand) checkFlags(f *flags, args []string) error {
	var faults usageFaults
	faults.require(e.out != "", "-o OUT", "no output file is named")
	faults.require(len(args) == 1, "export -o OUT MODEL", "export takes one model, not %d", len(args))
	// The ending decides without regard to case, as on systems whose names have none.
	if e.to == "" {
		e.to = strings.TrimPrefix(strings.ToLower(filepath.Ext(e.out)), ".")
	}
	faults.require(e.out == "" || slices.Contains(export.Formats, e.to),
		"--to "+strings.Join(export.Formats, ", "), "the name of the result does not say its format")
	// Other formats have no type of input, and an option without effect would mislead.
	faults.require(!f.Changed("input") || e.to == export.ONNX, "--to "+export.ONNX, "--input has no effect on %s", e.to)
	return errors.Join(faults...)
}

// run opens the model and writes it. A model that did not reach its gap is exported with a warning:
// LIBSVM and ONNX files have no place for a certificate.
func (e *exportCommand) run(ctx context.Context, path string) error {
	// The file must not replace the model that it is made from.
	if err := checkOutput(e.out, path); err != nil {
		return err
	}
	m, err := model.Open(path)
	if err != nil {
		return err
	}
	defer m.Close()
	// The warning is the only sign, so it is printed even with --quiet.
	if doubt := m.Convergence().Doubt(); doubt != "" {
		e.complain("warning: %s", doubt)
	}
	// The head is for JSON: with it a reader finds which contract the file follows.
	o := export.Options{Format: e.to, Head: jsonHead("export"), Version: newVersionJSON().Version,
		Input: e.input, WithoutProbability: e.withoutProbability}
	// Data without names of columns have inputs by number.
	if m.Columns != nil {
		// Inputs of a graph get the names of the columns of the training data.
		o.Names = featureNames(m.Columns)
	}
	err = e.write(ctx, m, o)
	// The message goes to standard error, as standard output may be the model.
	if err == nil && !e.quiet {
		// The line names probabilities only if the file has them.
		with := ""
		if m.Sigmoids != nil && !e.withoutProbability {
			with = ", with probabilities"
		}
		fmt.Fprintf(e.stderr, "%s and %s written%s\n", count(m.Len(), "kernel"),
			count(len(m.Support), "support vector"), with)
	}
	var fault *fail.Error
	// Package export has no file name for the reason why a format cannot represent the model.
	if errors.As(err, &fault) && fault.Class == fail.Usage && fault.File == "" {
		fault.At(path, 0, 0)
	}
	return err
}

// write writes the model to the output file or to standard output.
// A failed export leaves an older file of that name as it was.
func (e *exportCommand) write(ctx context.Context, m *model.Model, o export.Options) error {
	if isStandardOutput(e.out) {
		return export.Write(ctx, e.stdout, m, o)
	}
	// An interrupt removes the unfinished file of this name.
	e.cleanup.addTarget(e.out)
	f, err := atomicfile.Create(e.out)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := export.Write(ctx, f, m, o); err != nil {
		return err
	}
	return f.Commit()
}

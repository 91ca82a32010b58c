package command

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/internal/fail"
)

// gramCommand holds the flags and arguments of the gram command.
type gramCommand struct {
	*app
	problemFlags
	// bits is the precision of each value, 32 as in training or 64 for comparisons.
	// The value is a word and not a number, since 32 and 64 are the only choices.
	bits  string
	out   string
	quiet bool
}

// newGramCommand defines the gram command.
// The flags are the flags of train that change kernels. byMatrices selects their rows in the table of
// options.
func newGramCommand(a *app) *cobra.Command {
	g := &gramCommand{app: a, bits: "32"}
	c := &cobra.Command{
		Use:   "gram [flags] -o OUT DATA...",
		Short: "Write kernel matrices as .npy files",
		Long: "Gram writes the n x n matrix of each kernel. Its values are those that training uses in the same\n" +
			"precision, except for linear kernels, which training centres. If there are several kernels, OUT\n" +
			"must contain %d (or %03d), which is replaced by the number of the kernel, from 1. To train on a\n" +
			"matrix, use --kernels precomputed:FILE.",
		Example: "  bigmkl gram --kernels gauss:2^-4..2^2 -o K%d.npy data.txt",
	}
	f := newFlags(c)
	// Other programs that read a matrix expect the kernel by its definition.
	g.options.Normalize = "none"
	g.defineOptions(f, byMatrices)
	addReadFlags(f, &g.rows.read)
	addWords(f, &g.bits, "precision", "BITS", "32", []string{"32", "64"},
		"precision of the values: 32 or 64")
	f.StringVarP(&g.out, "out", "o", "",
		"write the matrix to this file `OUT`, - for standard output; for several kernels, OUT contains %d, such as K%d.npy")
	addQuietFlag(f, &g.quiet)
	c.RunE = func(_ *cobra.Command, args []string) error {
		g.rows.paths = args
		if err := errors.Join(f.err(), g.checkFlags()); err != nil {
			return err
		}
		return g.run(c.Context())
	}
	return c
}

// checkFlags returns all faults of the command line that can be found without reading a file.
func (g *gramCommand) checkFlags() error {
	var faults []error
	if g.out == "" {
		faults = append(faults, fail.New(fail.Usage, "no output file is named").WithHint("-o OUT"))
	}
	if len(g.rows.paths) == 0 {
		faults = append(faults,
			fail.New(fail.Usage, "no data file is named").WithHint("- is standard input"))
	}
	// The library would find these faults as well, but only after the data are open.
	faults = append(faults, checkKernels(g.options.Kernels), g.options.Validate())
	return errors.Join(faults...)
}

// run computes the kernel matrices and writes each of them to its file. The number of kernels is
// known only once the rows have been read, so the names of files are checked then.
func (g *gramCommand) run(ctx context.Context) error {
	src, err := g.openForOutput(ctx, g.out, g.rows.views, g.rows.paths, &g.options, &g.rows.read)
	if err != nil {
		return err
	}
	defer src.Close()
	// Without --memory the limit is the memory of the computer or of its cgroup.
	defer limitHeap(&g.options)()
	p := newProgress(g.messages, g.quiet)
	// It is the number of kernels of the last call, which is the same in all calls.
	written := 0
	// Gram asks for the file of each kernel in turn. An error of the function ends it.
	err = bigmkl.Gram(ctx, p.countRows(src), g.options, g.bits == "64",
		func(kernel, kernels int) (string, error) {
			p.finish()
			written = kernels
			// A wrong name ends the command at the first call.
			path, err := g.fileOfKernel(kernel, kernels)
			if err != nil {
				return "", err
			}
			g.cleanup.addTarget(path)
			return path, nil
		})
	p.finish()
	// The line goes to standard error, because standard output may be the matrix.
	if err == nil && !g.quiet {
		fmt.Fprintf(g.stderr, "%d kernel matrices written\n", written)
	}
	return err
}

// numberVerb matches the place of the number of a kernel in -o, %d or with leading zeros such as
// %03d.
var numberVerb = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%(0[1-9])?d`) })

// fileOfKernel returns the file of a kernel. The argument kernel counts from 0, and the numbers in
// file names count from 1. The function accepts no other verb, so a % in the name of a folder does not
// matter to it.
func (g *gramCommand) fileOfKernel(kernel, kernels int) (string, error) {
	// Without a place for the number, one file can hold one kernel.
	at := numberVerb().FindStringIndex(g.out)
	if at == nil {
		if kernels > 1 {
			return "", fail.New(fail.Usage, "%d kernels cannot be written to one file %s", kernels,
				g.out).WithHint("-o K%%d.npy")
		}
		// The library writes to a path, so standard output needs a path as well.
		if isStandardOutput(g.out) {
			return "/dev/stdout", nil
		}
		return g.out, nil
	}
	// Only the first %d is replaced. A second one stays in the name.
	return g.out[:at[0]] + fmt.Sprintf(g.out[at[0]:at[1]], kernel+1) + g.out[at[1]:], nil
}

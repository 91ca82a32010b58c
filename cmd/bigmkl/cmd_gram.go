package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// matrices is the gram command.
type matrices struct {
	*app
	options bigmkl.Options
	read    dataset.ReadOptions
	bits    string
	views   string
	out     string
	quiet   bool
	data    []string
}

func (a *app) gramCommand() *cobra.Command {
	g := &matrices{app: a, bits: "32"}
	c := &cobra.Command{
		Use:   "gram [flags] -o OUT DATA...",
		Short: "Write kernel matrices as .npy files",
		Long: "Gram writes the n x n matrix of each kernel, the very values that training uses in that precision (but for linear\n" +
			"kernels, which training centres). OUT with several\n" +
			"kernels holds %d (or %03d), which becomes 1, 2, ... in the order of the kernels. Train on a matrix with\n" +
			"--kernels precomputed:FILE.",
		Example: "  bigmkl gram --kernels gauss:2^-4..2^2 -o K%d.npy data.txt",
	}
	f := flagsOf(c)
	bankFlags(f, &g.options, &g.views, "none")
	readFlags(f, &g.read)
	add(f, &g.bits, "precision", "BITS", "32", oneOf("32", "64"), "32 or 64")
	f.StringVarP(&g.out, "out", "o", "", "`OUT` file, - for standard output")
	quietFlag(f, &g.quiet)
	c.RunE = func(_ *cobra.Command, args []string) error {
		g.data = args
		if err := errors.Join(f.err(), g.check()); err != nil {
			return err
		}
		return g.run(c.Context())
	}
	return c
}

func (g *matrices) check() error {
	var faults []error
	if g.out == "" {
		faults = append(faults, fail.New(fail.Usage, "no file named to write").WithHint("-o OUT"))
	}
	if len(g.data) == 0 {
		faults = append(faults, fail.New(fail.Usage, "no data file named").WithHint("- is standard input"))
	}
	faults = append(faults, checkSpecs(g.options.Kernels), g.options.Validate())
	return errors.Join(faults...)
}

func (g *matrices) run(ctx context.Context) error {
	src, err := g.ready(ctx, g.out, g.views, g.data, &g.options, &g.read)
	if err != nil {
		return err
	}
	defer src.Close()
	defer keepHeap(&g.options)()
	p := newProgress(g.messages, g.quiet)
	written := 0
	err = bigmkl.Gram(ctx, p.count(src), g.options, g.bits == "64", func(kernel, kernels int) (string, error) {
		p.done()
		written = kernels
		path, err := g.path(kernel, kernels)
		if err != nil {
			return "", err
		}
		g.cleanup.writing(path)
		return path, nil
	})
	p.done()
	if err == nil && !g.quiet {
		fmt.Fprintf(g.stderr, "%d kernel matrices written\n", written)
	}
	return err
}

// verb is where the number of a kernel goes.
var verb = regexp.MustCompile(`%(0[1-9])?d`)

// path names the file of a kernel; kernels count from 0 here and from 1 there.
func (g *matrices) path(kernel, kernels int) (string, error) {
	at := verb.FindStringIndex(g.out)
	if at == nil {
		if kernels > 1 {
			return "", fail.New(fail.Usage, "%d kernels for one file %s", kernels, g.out).WithHint("-o K%%d.npy")
		}
		if standard(g.out) {
			return "/dev/stdout", nil
		}
		return g.out, nil
	}
	return g.out[:at[0]] + fmt.Sprintf(g.out[at[0]:at[1]], kernel+1) + g.out[at[1]:], nil
}

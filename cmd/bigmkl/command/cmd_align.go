package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/internal/dataset/formats"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// alignCommand holds the flags and arguments of the align command.
type alignCommand struct {
	*app
	problemFlags
	// align has the sample, the centring and the rule.
	align bigmkl.AlignOptions
	// out is the file of the matrix, and empty without --out.
	out string
	// rule names the rule for weights, and weightsOut the file that they are written to.
	rule, weightsOut string
	// all lists every kernel, also with hundreds of them. quiet turns the progress off.
	json  bool
	all   bool
	quiet bool
}

// defaultSample is the number of points that align samples by default. All pairs of n points
// cost n^2 values of each kernel. The error of an estimate from 2,048 points is a few
// hundredths, whatever n is. Four times as many points halve that error and cost 16 times as much.
const defaultSample = 2048

// newAlignCommand defines the align command.
// The flags of kernels and data are the flags of gram, because both commands compute matrices without a
// training.
func newAlignCommand(a *app) *cobra.Command {
	g := &alignCommand{app: a, align: bigmkl.AlignOptions{Sample: defaultSample}}
	c := &cobra.Command{
		Use:   "align [flags] DATA...",
		Short: "Compare kernels with each other and with the labels",
		Long: "Align computes the alignment of each pair of kernels, which is the cosine of the angle between\n" +
			"their matrices, and the alignment of each kernel with the labels. It is 1 if one matrix is a\n" +
			"multiple of the other. Matrices are centred, because a bias centres them, too. --plain leaves\n" +
			"them as they are. Kernels with a large alignment are redundant. Kernels with a small one\n" +
			"complement each other.\n\n" +
			"The alignments are estimated from a sample of the points, with errors of a few hundredths.\n" +
			"--sample 0 uses all pairs of points, without a matrix of their size in memory. Multiplicative\n" +
			"normalisation changes no alignment. With more than two classes, labels count as equal or\n" +
			"different.\n\n" +
			"--rule computes fixed weights of the kernels for train --weights, under the given --normalize:\n\n" +
			"  align        proportional to the plain alignment with the labels\n" +
			"  alignf       the combination that is best aligned, centred\n" +
			"  kandola:L    the same with a penalty of L on the squares\n" +
			"  frobenius    the combination nearest to the labels\n" +
			"  fsm          the kernel that separates two classes best relative to their spread",
		Example: "  bigmkl align --kernels gauss:auto/10,linear adverts.libsvm.gz\n" +
			"  bigmkl align --sample 0 --plain --kernels gauss:2^-4..2^2@each-view --views views.txt -o A.npy data.txt\n" +
			"  bigmkl align --sample 0 --normalize multiplicative --rule alignf --weights-out w.npy adverts.libsvm.gz",
	}
	f := newFlags(c)
	// Multiplicative normalisation changes no alignment, so the default leaves its cost out.
	g.options.Normalize = "none"
	g.defineOptions(f, byMatrices)
	addReadFlags(f, &g.rows.read)
	add(f, &g.align.Sample, "sample", "N", fmt.Sprint(defaultSample), parseCount,
		"number of rows to sample, 0 for all")
	// Without centring, it is the alignment of Cristianini et al. (2001).
	f.BoolVar(&g.align.Plain, "plain", false, "do not centre the matrices")
	add(f, &g.options.Positive, "positive", "L,..", "", parseLabels,
		"labels of the positive class; all others are negative")
	f.StringVarP(&g.out, "out", "o", "", "write the M x M matrix of alignments to this .npy `FILE`")
	f.StringVar(&g.rule, "rule", "",
		"compute weights of the kernels by this `RULE`: align, alignf, kandola:L, frobenius or fsm")
	f.StringVar(&g.weightsOut, "weights-out", "", "write the weights of --rule to this .npy `FILE`")
	f.BoolVar(&g.all, "all", false,
		fmt.Sprintf("list all kernels, not only the %d closest to the labels", mostListed))
	addJSONFlag(f, &g.json)
	addQuietFlag(f, &g.quiet)
	c.RunE = func(_ *cobra.Command, args []string) error {
		g.rows.paths = args
		if err := errors.Join(f.err(), g.checkFlags(f)); err != nil {
			return err
		}
		return g.run(c.Context())
	}
	return c
}

// checkFlags returns all faults of the command line that can be found without reading a file.
func (g *alignCommand) checkFlags(f *flags) error {
	// All faults are collected, so a user can correct them at once.
	var faults usageFaults
	checkNeeds(f, &faults)
	if len(g.rows.paths) == 0 {
		faults = append(faults,
			fail.New(fail.Usage, "no data file is named").WithHint("- is standard input"))
	}
	// Only the table or the object of --json has standard output.
	if isStandardOutput(g.out) {
		faults = append(faults,
			fail.New(fail.Usage,
				"the table and the matrix cannot both go to standard output").WithHint("write the matrix to a file"))
	}
	// A .npy file is binary, and the table is text.
	if isStandardOutput(g.weightsOut) {
		faults = append(faults, fail.New(fail.Usage, "--weights-out cannot go to standard output").
			WithHint("name a file"))
	}
	// The text of a rule is parsed by the library, as train --weights parses it. Both accept the same
	// rules.
	if g.rule != "" {
		var err error
		g.align.Rule, err = bigmkl.ParseWeightRule(g.rule)
		faults = append(faults, err)
	}
	faults = append(faults, checkKernels(g.options.Kernels), g.options.Validate(),
		g.align.Validate())
	return errors.Join(faults...)
}

// run computes the alignments and reports them. The matrix and the weights are written before the table
// is printed. A script that reads the table to its end then finds both files.
func (g *alignCommand) run(ctx context.Context) error {
	// A result must not replace a file that is read. openForOutput checks -o in the same way.
	if err := checkOutput(g.weightsOut, append(formats.Paths(g.rows.paths), g.rows.views)...); err != nil {
		return err
	}
	src, err := g.openForOutput(ctx, g.out, g.rows.views, g.rows.paths, &g.options, &g.rows.read)
	if err != nil {
		return err
	}
	defer src.Close()
	defer limitHeap(&g.options)()
	p := newProgress(g.messages, g.quiet)
	// r has M alignments with the labels, and the M x M matrix of pairs.
	r, err := bigmkl.Align(ctx, p.countRows(src), g.options, g.align)
	p.finish()
	if err != nil {
		return nameFiles(err, g.rows.paths)
	}
	// The files are complete or absent: a signal removes an unfinished one by the list of targets.
	if g.out != "" {
		g.cleanup.addTarget(g.out)
		if err := writeMatrix(g.out, r.Kernels); err != nil {
			return err
		}
	}
	if g.weightsOut != "" {
		g.cleanup.addTarget(g.weightsOut)
		if err := writeVector(g.weightsOut, r.Weights); err != nil {
			return err
		}
	}
	// The object has all kernels, whether or not --all is given.
	if g.json {
		return g.printJSON("align", newAlignJSON(r, !g.align.Plain))
	}
	return g.printAlignments(r)
}

// alignJSON is the object that align --json prints. An undefined alignment is null. N is the number of
// rows, and Sample how many of them were used. Both are equal if all pairs were used.
// Entry (i, j) of Matrix is <K_i, K_j> / (||K_i|| ||K_j||), of centred matrices if Centred is set.
type alignJSON struct {
	N       int                 `json:"n"`
	Sample  int                 `json:"sample"`
	Centred bool                `json:"centred"`
	Kernels []alignedKernelJSON `json:"kernels"`
	// Matrix is null if it has more than mostNumbers entries; -o writes it in any case.
	Matrix [][]number `json:"matrix"`
}

// alignedKernelJSON describes one kernel. Number and Nearest are row numbers of the matrix and
// count from 0. Labels is the alignment with the labels. Nearest is the other kernel with the largest
// alignment, and null if none is defined.
type alignedKernelJSON struct {
	// Numbers count from 0 here, because programs index the matrix with them. The table counts from 1.
	Number    int    `json:"index"`
	Spec      string `json:"spec"`
	Labels    number `json:"labels"`
	Nearest   *int   `json:"nearest"`
	Alignment number `json:"nearest_alignment"`
	// Weight is absent without --rule.
	Weight *number `json:"weight,omitempty"`
}

// newAlignJSON converts alignments to the object that --json prints.
func newAlignJSON(r *bigmkl.Alignments, centred bool) alignJSON {
	// The loop below adds the kernels in the order of --kernels.
	j := alignJSON{N: r.Points, Sample: r.Sample, Centred: centred}
	for id, spec := range r.Specs {
		// NaN becomes null in JSON.
		k := alignedKernelJSON{Number: id, Spec: spec, Labels: number(r.Labels[id]),
			Alignment: number(math.NaN())}
		if at, a := nearestKernel(r, id); at >= 0 {
			k.Nearest, k.Alignment = &at, number(a)
		}
		if r.Weights != nil {
			w := number(r.Weights[id])
			k.Weight = &w
		}
		j.Kernels = append(j.Kernels, k)
	}
	// The square of the number of kernels can exceed what a reader of JSON can take.
	if len(r.Specs)*len(r.Specs) <= mostNumbers {
		for _, row := range r.Kernels {
			j.Matrix = append(j.Matrix, numbers(row))
		}
	}
	return j
}

// nearestKernel finds the other kernel with the largest alignment to the given one. It returns at =
// -1 if no alignment is defined. An alignment is undefined if a matrix is 0 after centring, as for a
// constant feature.
func nearestKernel(r *bigmkl.Alignments, id int) (at int, alignment float64) {
	at = -1
	for i, a := range r.Kernels[id] {
		if i != id && float.Finite(a) && (at < 0 || a > alignment) {
			at, alignment = i, a
		}
	}
	return at, alignment
}

// printAlignments writes a table of kernels, those most aligned with the labels first. Kernels
// count from 1, as in messages.
func (g *alignCommand) printAlignments(r *bigmkl.Alignments) error {
	// The kernels keep their numbers, and only their order in the table changes.
	order := make([]int, len(r.Specs))
	for i := range order {
		order[i] = i
	}
	// An undefined alignment is NaN, which cmp orders below all numbers, so it comes last.
	slices.SortStableFunc(order,
		func(a, b int) int { return cmp.Compare(r.Labels[b], r.Labels[a]) })
	// It is the number of kernels that the table leaves out.
	left := 0
	if !g.all {
		left = max(0, len(order)-mostListed)
		order = order[:len(order)-left]
	}
	// The head names the sample, because the errors of estimates depend on it.
	kind, of := "centred alignments", "all"
	if g.align.Plain {
		kind = "plain alignments"
	}
	if r.Sample < r.Points {
		of = fmt.Sprintf("a sample of %d of the", r.Sample)
	}
	if err := g.print("%s of %s, over the pairs of %s %d rows\n\n", kind, count(len(r.Specs), "kernel"), of,
		r.Points); err != nil {
		return err
	}
	t := tabwriter.NewWriter(g.stdout, 0, 0, 2, ' ', 0)
	// The column of weights is there only with --rule.
	weight := func(int) string { return "" }
	if r.Weights != nil {
		weight = func(id int) string { return fmt.Sprintf("\t%.6g", r.Weights[id]) }
		fmt.Fprintf(t, "kernel\tspecification\twith labels\tnearest\tits alignment\tweight\n")
	} else {
		fmt.Fprintf(t, "kernel\tspecification\twith labels\tnearest\tits alignment\n")
	}
	for _, id := range order {
		// A single kernel has no neighbour.
		near, with := "-", "-"
		if at, a := nearestKernel(r, id); at >= 0 {
			near, with = fmt.Sprint(at+1), formatAlignment(a)
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s%s\n", id+1, shorten(r.Names[id], mostSpec),
			formatAlignment(r.Labels[id]), near, with, weight(id))
	}
	// The last line counts the kernels that are not shown, and names the flag that shows them.
	if left > 0 {
		fmt.Fprintf(t, "\tand %d further ones (--all)\t\t\t\n", left)
	}
	return t.Flush()
}

// formatAlignment formats an alignment, which may be undefined.
func formatAlignment(a float64) string {
	if math.IsNaN(a) {
		return "-"
	}
	return fmt.Sprintf("%.4f", a)
}

package main

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
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// alignment is the align command.
type alignment struct {
	*app
	options bigmkl.Options
	align   bigmkl.AlignOptions
	read    dataset.ReadOptions
	views   string
	out     string
	json    bool
	all     bool
	quiet   bool
	data    []string
}

// usualSample is the number of points that align takes unless it is told otherwise: errors of a few hundredths.
const usualSample = 2048

func (a *app) alignCommand() *cobra.Command {
	g := &alignment{app: a, align: bigmkl.AlignOptions{Sample: usualSample}}
	c := &cobra.Command{
		Use:   "align [flags] DATA...",
		Short: "Say how much kernels are alike, and like the labels",
		Long: "Align gives the alignment of every two kernels, the cosine of the angle between their matrices, and that of each kernel with\n" +
			"the labels: 1 where one is a multiple of the other. Matrices are centred, as training does by its bias; --plain takes them as\n" +
			"they are. Kernels that lie close together are redundant; those that do not, complementary.\n\n" +
			"A sample of the points stands for all of them, with errors of a few hundredths; --sample 0 takes all pairs, without a\n" +
			"matrix of their size in memory. A multiplicative normalisation changes no alignment. The labels of more than two classes are\n" +
			"taken together: points are of one class or not.",
		Example: "  bigmkl align --kernels gauss:auto/10,linear a9a.gz\n" +
			"  bigmkl align --sample 0 --plain --kernels gauss:2^-4..2^2@each-view --views views.txt -o A.npy data.txt",
	}
	f := flagsOf(c)
	bankFlags(f, &g.options, &g.views, "none")
	readFlags(f, &g.read)
	add(f, &g.align.Sample, "sample", "N", fmt.Sprint(usualSample), parseCount, "points whose pairs stand for all, 0 for all points")
	f.BoolVar(&g.align.Plain, "plain", false, "do not centre the matrices")
	add(f, &g.options.Positive, "positive", "L,..", "", parseLabels, "labels that make one class, all others being the second")
	f.StringVarP(&g.out, "out", "o", "", "write the M x M matrix of the kernels to this .npy `FILE`")
	f.BoolVar(&g.all, "all", false, fmt.Sprintf("all kernels, not the %d closest to the labels alone", mostListed))
	jsonFlag(f, &g.json)
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

func (g *alignment) check() error {
	var faults []error
	if len(g.data) == 0 {
		faults = append(faults, fail.New(fail.Usage, "no data file named").WithHint("- is standard input"))
	}
	if standard(g.out) {
		faults = append(faults, fail.New(fail.Usage, "the table and the matrix both want standard output").WithHint("write the matrix to a file"))
	}
	faults = append(faults, checkSpecs(g.options.Kernels), g.options.Validate(), g.align.Validate())
	return errors.Join(faults...)
}

func (g *alignment) run(ctx context.Context) error {
	src, err := g.ready(ctx, g.out, g.views, g.data, &g.options, &g.read)
	if err != nil {
		return err
	}
	defer src.Close()
	defer keepHeap(&g.options)()
	p := newProgress(g.messages, g.quiet)
	r, err := bigmkl.Align(ctx, p.count(src), g.options, g.align)
	p.done()
	if err != nil {
		return inFiles(err, g.data)
	}
	if g.out != "" {
		g.cleanup.writing(g.out)
		if err := writeMatrix(g.out, r.Kernels); err != nil {
			return err
		}
	}
	if g.json {
		return g.printJSON(newAlignJSON(r, !g.align.Plain))
	}
	return g.show(r)
}

// alignJSON is what --json prints. Alignments that are not defined are null.
type alignJSON struct {
	N       int           `json:"n"`
	Sample  int           `json:"sample"`
	Centred bool          `json:"centred"`
	Kernels []alignedJSON `json:"kernels"`
	Matrix  [][]number    `json:"matrix"` // null if it is long: -o writes it
}

// alignedJSON is a kernel; Number and Nearest are places in the matrix, from 0 as in arrays.
type alignedJSON struct {
	Number    int    `json:"index"`
	Spec      string `json:"spec"`
	Labels    number `json:"labels"`
	Nearest   *int   `json:"nearest"`
	Alignment number `json:"nearest_alignment"`
}

func newAlignJSON(r *bigmkl.Alignments, centred bool) alignJSON {
	j := alignJSON{N: r.Points, Sample: r.Sample, Centred: centred}
	for id, spec := range r.Specs {
		k := alignedJSON{Number: id, Spec: spec, Labels: number(r.Labels[id]), Alignment: number(math.NaN())}
		if at, a := nearest(r, id); at >= 0 {
			k.Nearest, k.Alignment = &at, number(a)
		}
		j.Kernels = append(j.Kernels, k)
	}
	if len(r.Specs)*len(r.Specs) <= mostNumbers {
		for _, row := range r.Kernels {
			j.Matrix = append(j.Matrix, numbers(row))
		}
	}
	return j
}

// nearest is the other kernel that is most like a kernel; -1 if there is none.
func nearest(r *bigmkl.Alignments, id int) (at int, alignment float64) {
	at = -1
	for i, a := range r.Kernels[id] {
		if i != id && a-a == 0 && (at < 0 || a > alignment) {
			at, alignment = i, a
		}
	}
	return at, alignment
}

// show writes a table, the kernels closest to the labels first, numbered from 1 as in messages.
func (g *alignment) show(r *bigmkl.Alignments) error {
	order := make([]int, len(r.Specs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Labels[b], r.Labels[a]) }) // NaN last
	left := 0
	if !g.all {
		left = max(0, len(order)-mostListed)
		order = order[:len(order)-left]
	}
	kind, of := "centred alignments", "all"
	if g.align.Plain {
		kind = "plain alignments"
	}
	if r.Sample < r.Points {
		of = fmt.Sprintf("a sample of %d of the", r.Sample)
	}
	if err := g.print("%s of %d kernels, over the pairs of %s %d rows\n\n", kind, len(r.Specs), of, r.Points); err != nil {
		return err
	}
	t := tabwriter.NewWriter(g.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "kernel\tspecification\twith labels\tnearest\tits alignment\n")
	for _, id := range order {
		near, with := "-", "-"
		if at, a := nearest(r, id); at >= 0 {
			near, with = fmt.Sprint(at+1), formatAlignment(a)
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\n", id+1, clip(r.Specs[id], mostSpec), formatAlignment(r.Labels[id]), near, with)
	}
	if left > 0 {
		fmt.Fprintf(t, "\tand %d further ones (--all)\t\t\t\n", left)
	}
	return t.Flush()
}

func formatAlignment(a float64) string {
	if math.IsNaN(a) {
		return "-"
	}
	return fmt.Sprintf("%.4f", a)
}

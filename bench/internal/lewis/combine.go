package lewis

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/internal/selection"
)

// combineParts lists the parts of chapter 2 of Lewis 2006 that are repeated.
// The names are the arguments of the command.
var combineParts = []string{"noise", "weights", "missing"}

// The kernels and views of yeast-ml, one linear kernel for each. The thesis centres and scales its
// kernels, which norm=centred does.
const (
	expression = "linear@EXPR norm=centred"
	phylogeny  = "linear@PHYLO norm=centred"
)

// Combine repeats chapter 2 of Lewis's thesis on yeast-ml.
// The thesis has proteins, which are not available. yeast-ml has the same kinds of views.
func Combine() harness.Experiment {
	var seed uint64
	var repeat int
	return harness.Experiment{
		Name: "combine", Short: "stationary kernel combination after Lewis (2006), chapter 2",
		Long: "Compares the plain sum of kernels with weights that are learned (p = 1) on yeast-ml, each label against\n" +
			"the rest, by selection's trials: 500 rows a repetition, labels with 30 rows or more in each, five folds,\n" +
			"a linear kernel a view with norm=centred, C = 10, in AUC. noise adds copies of expression with permuted\n" +
			"rows; weights sweeps the ratio of the two weights; missing takes expression from a share of the rows,\n" +
			"with each way of filling in. The trainings run in this process.",
		Argument: "PART...", StandIn: "noise", Several: true,
		Flags: func(f *pflag.FlagSet) {
			f.Uint64Var(&seed, "seed", 17, "seed of the rows that are drawn, of folds, copies and missing rows")
			f.IntVar(&repeat, "repeat", 2, "repetitions of the folds")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, args []string) error {
			// The data are found once for all parts.
			c := &combining{session: s, report: r, seed: seed, repeat: repeat}
			if ok, err := c.find(); err != nil || !ok {
				return err
			}
			for _, part := range args {
				var err error
				switch part {
				case "noise":
					err = c.noise(ctx)
				case "weights":
					err = c.weights(ctx)
				case "missing":
					err = c.missing(ctx)
				default:
					err = fmt.Errorf("no part %s (one of %s)", part, strings.Join(combineParts, ", "))
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// combining has what all parts need: the data with their views, the seed and the number of
// repetitions.
type combining struct {
	session *harness.Session
	report  *harness.Report
	// files are the parts of yeast-ml, whose rows are joined.
	files  []string
	views  []dataset.View
	seed   uint64
	repeat int
}

// find looks for the data. It is false if they are absent.
func (c *combining) find() (bool, error) {
	// The published division into training and test rows has no meaning here.
	for _, part := range []string{"", "t"} {
		d, ok := c.session.Data.Find("yeast-ml", part)
		if !ok {
			c.report.Note("%s", c.session.Data.DescribeAbsence("yeast-ml"))
			return false, nil
		}
		c.files = append(c.files, d.File)
	}
	var err error
	c.views, err = dataset.ReadViews(filepath.Join(filepath.Dir(c.files[0]), "yeast-ml.views.txt"))
	return err == nil, err
}

// run runs a selection of the given lists of kernels and norms with the protocol of the thesis.
// The trials of package selection draw the rows; all combinations have the same ones, so they
// are compared fold by fold.
func (c *combining) run(ctx context.Context, banks []string, norms []float64, t selection.Trials) (*selection.Selection, error) {
	// A row has a set of labels, and each label makes a problem against the rest.
	src, err := dataset.Open(c.files, dataset.ReadOptions{Labels: dataset.Sets})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	// The folder keeps the state of the selection, and only the figures are needed.
	folder, err := os.MkdirTemp(c.session.Scratch, "combine")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	// These are the numbers of the protocol: 500 rows for each repetition, and labels with at least 30
	// of them.
	t.Size, t.Contrast, t.Least = 500, selection.AgainstRest, 30
	// Cost, gap and scaling are fixed, so the combinations differ in kernels and norms alone.
	o := selection.Options{
		Training: bigmkl.Options{
			Scale: dataset.ScaleNone, Multiclass: model.MultiLabel, Views: c.views, Gap: 1e-4, Threads: c.session.Threads, Scratch: c.session.Scratch, Seed: c.seed,
		},
		Banks: banks, Norms: norms, Costs: []float64{10}, Measure: "auc", NoBaselines: true, Trials: t,
		Splits: selection.Splits{Folds: 5, Repeat: c.repeat}, Folder: filepath.Join(folder, "s"),
		Report: func(p selection.Progress) { c.session.Progress.ShowNow("%d of %d trainings", p.Done, p.Total) },
	}
	if c.session.Quick {
		o.Trials.Size, o.Trials.Least, o.Splits = 120, 20, selection.Splits{Folds: 2, Repeat: 1}
	}
	return selection.Run(ctx, src, o)
}

// meanOver returns the mean figure of a cell over the labels. Each label counts the same,
// however many rows have it, as in the tables of the thesis.
// cell is the number of a combination at its cost, arm by arm.
func meanOver(s *selection.Selection, cell int) (mean float64) {
	for _, p := range s.Problems {
		mean += p.Cells[cell].Mean / float64(len(s.Problems))
	}
	return mean
}

// winsOf counts the labels on which one cell is better than another, a comparison that does not
// depend on the size of the differences.
func winsOf(s *selection.Selection, cell, other int) (wins int) {
	for _, p := range s.Problems {
		// Labels on which both are equal count for neither.
		if p.Cells[cell].Mean > p.Cells[other].Mean {
			wins++
		}
	}
	return wins
}

// pairOf returns the one-sided p-value that a cell is better than another, NaN if there is none.
func pairOf(s *selection.Selection, first, second int) float64 {
	// Both orders of a pair are in the list.
	for _, p := range s.Pairs {
		if p.First == first && p.Second == second {
			return p.P
		}
	}
	return math.NaN()
}

// noiseRow is a line of the table of copies.
type noiseRow struct {
	// The AUC is the mean over the labels.
	Copies  int    `json:"copies" table:"noise copies"`
	Learned string `json:"learned" table:"AUC, p = 1"`
	Sum     string `json:"sum" table:"AUC, sum"`
	Wins    string `json:"wins" table:"labels on which p = 1 is better"`
	P       string `json:"p" table:"p-value"`
}

// noise compares the sum with learned weights beside copies of expression whose rows are
// permuted. A copy has the geometry of the view and no information. The sum gives it the weight
// of a true view, so its accuracy should fall with the number of copies, and learned weights
// should not.
func (c *combining) noise(ctx context.Context) error {
	t := c.report.Table("Copies of expression with permuted rows: the sum against learned weights")
	// Cell 0 has p = 1, and cell 1 the sum, p = 2.
	for copies := range 3 {
		trials := selection.Trials{Noise: copies, NoiseView: "EXPR"}
		s, err := c.run(ctx, []string{expression + "," + phylogeny}, []float64{1, 2}, trials)
		if err != nil {
			return err
		}
		t.Add(noiseRow{copies, fmt.Sprintf("%.4f", meanOver(s, 0)), fmt.Sprintf("%.4f", meanOver(s, 1)),
			fmt.Sprintf("%d of %d", winsOf(s, 0, 1), len(s.Problems)), fmt.Sprintf("%.2g", pairOf(s, 0, 1))})
	}
	t.Note("means over the labels; the p-value is that of the one-sided corrected resampled t test over all folds that p = 1 is better")
	return nil
}

// weightRow is a line of the sweep.
type weightRow struct {
	// Best counts the labels on which no other line has a larger AUC.
	Ratio string `json:"ratio" table:"weight of expression / phylogeny"`
	AUC   string `json:"auc" table:"AUC"`
	Best  int    `json:"best" table:"labels on which it is best"`
}

// weights sweeps the ratio of the weights of the two kernels. Further lines have one kernel
// alone, and a note has learned weights. At p = 2 the weight of a kernel is its prior
// importance, so a prior fixes the ratio. The sweep shows what the best possible ratio would
// gain.
func (c *combining) weights(ctx context.Context) error {
	var banks, names []string
	// The ratio goes from 1/64 to 64 in steps of 4.
	for k := -6; k <= 6; k += 2 {
		ratio := math.Exp2(float64(k))
		// The two weights sum to 1, as learned weights of p = 1 do.
		banks = append(banks, fmt.Sprintf("%s prior=%g,%s prior=%g", expression, ratio/(1+ratio), phylogeny, 1/(1+ratio)))
		names = append(names, fmt.Sprintf("2^%d", k))
	}
	banks, names = append(banks, expression, phylogeny), append(names, "expression alone", "phylogeny alone")
	// Every list is one bank of the same selection, so all have the same trials.
	s, err := c.run(ctx, banks, []float64{2}, selection.Trials{})
	if err != nil {
		return err
	}
	learned, err := c.run(ctx, []string{expression + "," + phylogeny}, []float64{1}, selection.Trials{})
	if err != nil {
		return err
	}
	t := c.report.Table("A sweep of the ratio of the weights")
	// Of equals the first line counts.
	best := make([]int, len(banks))
	for _, p := range s.Problems {
		at := 0
		for k := range best {
			if p.Cells[k].Mean > p.Cells[at].Mean {
				at = k
			}
		}
		best[at]++
	}
	for k, name := range names {
		t.Add(weightRow{name, fmt.Sprintf("%.4f", meanOver(s, k)), best[k]})
	}
	t.Note("learned weights (p = 1): AUC %.4f on the same trials", meanOver(learned, 0))
	t.Note("%d labels", len(s.Problems))
	return nil
}

// missingRow is a line of the table of missing rows.
type missingRow struct {
	// The columns are the ways to fill in a missing view: none, self and all.
	Share string `json:"share" table:"expression missing"`
	None  string `json:"none" table:"none"`
	Self  string `json:"self" table:"self"`
	All   string `json:"all" table:"all"`
	Alone string `json:"alone" table:"phylogeny alone"`
}

// missing removes the view expression from shares of the rows of training and fold, and fills in
// each way. The last column has phylogeny alone, which no row lacks: a way of filling in is
// worth something only above it.
func (c *combining) missing(ctx context.Context) error {
	var banks []string
	for _, fill := range []string{"none", "self", "all"} {
		banks = append(banks, expression+" missing="+fill+","+phylogeny)
	}
	shares := []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5}
	if c.session.Quick {
		shares = []float64{0.5}
	}
	s, err := c.run(ctx, banks, []float64{1}, selection.Trials{Missing: shares, MissingView: "EXPR"})
	if err != nil {
		return err
	}
	// One kernel needs no weights.
	alone, err := c.run(ctx, []string{phylogeny}, []float64{2}, selection.Trials{})
	if err != nil {
		return err
	}
	t := c.report.Table("Expression missing from a share of the rows: learned weights, by what is filled in")
	// of returns the cell of a list at a share, -1 if there is none.
	of := func(bank int, share float64) int {
		for k, cell := range s.Cells {
			if a := s.Arms[cell.Arm]; a.Bank == bank && a.Missing == share {
				return k
			}
		}
		return -1
	}
	for _, share := range shares {
		row := missingRow{Share: fmt.Sprintf("%g", share), Alone: fmt.Sprintf("%.4f", meanOver(alone, 0))}
		// The order of the lists is the order of the columns.
		for bank, at := range []*string{&row.None, &row.Self, &row.All} {
			*at = fmt.Sprintf("%.4f", meanOver(s, of(bank, share)))
		}
		t.Add(row)
	}
	t.Note("AUC, means over %d labels", len(s.Problems))
	return nil
}

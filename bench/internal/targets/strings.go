package targets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/cache"
	"bigmkl/dataset"
)

// siteProblem is a problem with several string kernels, whose rows are the most expensive ones.
// kernels is a list as for --kernels.
type siteProblem struct {
	data    harness.DataSet
	points  int
	kernels string
	// bases is the number of base rows for each point.
	bases int64
}

const (
	// celegans-acc has sequences around acceptor sites of splicing. The four kernels have no base in
	// common.
	acceptorSet = "celegans-acc"
	// Two weighted degree kernels of different lengths, and two spectrum kernels.
	siteKernels = "wd:20,wd:8:shift=3,spectrum:4,spectrum:6"
	siteBases   = 4
	fullSites   = 8000
	quickSites  = 300
	// smallShare divides the bytes of all rows. The quotient is the memory for rows in the small
	// budget.
	smallShare = 10
	// siteLetters is the length of generated sequences.
	siteLetters = 398
)

// findAcceptors returns the sequences of acceptor sites, or generated ones if they are absent.
// The file is a table of labels and sequences, and not LIBSVM text.
func findAcceptors(s *harness.Session, r *harness.Report) harness.DataSet {
	path := filepath.Join(string(s.Data), acceptorSet, acceptorSet+".seq.tsv.gz")
	if _, err := os.Stat(path); s.Data != "" && err == nil {
		return harness.DataSet{Name: acceptorSet, File: path, Sequences: dataset.DNA}
	}
	r.Note("%s. Synthetic sequences stand in for it", s.Data.DescribeAbsence(acceptorSet))
	return harness.DataSet{Name: "synthetic sites",
		Synthetic: &harness.Synthetic{Kind: "sites", Points: fullSites, Features: siteLetters, Seed: 11},
		Sequences: dataset.DNA}
}

// rowsBytes returns the bytes of all base rows: float32, for every base and every pair of
// points.
func (p *siteProblem) rowsBytes() int64 { return 4 * p.bases * int64(p.points) * int64(p.points) }

// options returns the options that all trainings of the problem share.
// Spherical normalisation makes sequences of different composition comparable.
func (p *siteProblem) options(mode cache.Mode) bigmkl.Options {
	return bigmkl.Options{Kernels: p.kernels, Sequences: dataset.DNA, Limit: p.points, C: 10,
		Gap: 1e-3, Normalize: "spherical", Cache: mode}
}

// budgets returns the small memory budget and the least disk budget. They come from the plan of
// the training, because a fixed number of bytes would become too small or too large with every
// change of the memory. With the least disk, rows get only the space that reading the data
// needed before.
func (p *siteProblem) budgets(ctx context.Context, s *harness.Session) (memory, disk int64, err error) {
	src, err := p.data.Open(bigmkl.TaskClass)
	if err != nil {
		return 0, 0, err
	}
	defer src.Close()
	// One iteration is enough for a plan, which trains nothing.
	o := p.options(cache.Auto)
	o.Threads, o.Scratch, o.Norm, o.MaxIterations = s.Threads, s.Scratch, 4.0/3, 1
	plan, err := bigmkl.NewPlan(ctx, src, o)
	if err != nil {
		return 0, 0, err
	}
	return plan.Memory.Least + p.rowsBytes()/smallShare, plan.Disk.Least, nil
}

// Strings measures what the row cache and its disk tier are worth where rows are
// expensive. A value of a string kernel takes microseconds, and a value from disk much less, so a cache
// on disk can pay.
func Strings() harness.Experiment {
	var points int
	return harness.Experiment{
		Name: "strings", Short: "what the row cache and its disk tier are worth for string kernels",
		Long: "Trains " + siteKernels + " on acceptor sites:\n" +
			"without a row cache, in the least memory and a tenth of what all rows need, with the\n" +
			"least disk and with as much disk as rows need, and with room for all rows.",
		Flags: func(f *pflag.FlagSet) {
			f.IntVar(&points, "points", 0, fmt.Sprintf("number of points (default %d)", fullSites))
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			p := siteProblem{data: findAcceptors(s, r), points: fullSites, kernels: siteKernels,
				bases: siteBases}
			if s.Quick {
				p.points = quickSites
			}
			if points > 0 {
				p.points = points
			}
			// Budgets depend on the number of points, so they are planned after the flags are read.
			small, leastDisk, err := p.budgets(ctx, s)
			if err != nil {
				return err
			}
			t := r.Table("%d sequences, %s: %d MiB of base rows", p.points, p.kernels,
				p.rowsBytes()>>20)
			var never harness.Outcome
			for _, c := range []struct {
				name         string
				mode         cache.Mode
				memory, disk int64
			}{
				// 0 leaves a budget to the defaults.
				{"never", cache.Never, 0, 0},
				{"small, least disk", cache.Auto, small, leastDisk},
				{"small, disk", cache.Auto, small, 0},
				{"all rows", cache.Auto, 0, 0},
			} {
				o := p.options(c.mode)
				o.Memory, o.Disk = c.memory, c.disk
				out, err := s.Train(ctx, harness.Training{Data: p.data, Norm: "4/3", Options: o})
				if err != nil {
					return err
				}
				row := newTierRow(c.name, p.bases, out)
				if c.mode == cache.Never {
					never = out
				} else {
					row.compareWith(never)
				}
				t.Add(row)
			}
			return nil
		},
	}
}

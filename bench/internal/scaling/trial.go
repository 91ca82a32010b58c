package scaling

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/trial"
)

// The time of a training grows with the rows by a power that depends on the data, the kernels and C. A trial trains on
// samples of growing sizes and extends their times (package trial). An extension is easy to get right on problems that
// it was fitted to, so this list has tasks, costs and kernels of many kinds, and each row also has the time of the whole
// training.

// trialProblem is a training whose time a trial estimates.
type trialProblem struct {
	data string
	rows int // 0 are all
	// Threads, folder and seed are the same for all, and not part of options.
	options bigmkl.Options
}

// trialProblems are trainings of tasks, norms, costs and kernels of all kinds that take up to a minute.
// Names are folders of the data sets. Rows of 0 mean the whole set.
var trialProblems = []trialProblem{
	{"ijcnn1", 0, bigmkl.Options{Kernels: "gauss:auto/10"}},
	{"ijcnn1", 0, bigmkl.Options{Kernels: "gauss:auto", C: 100}},
	{"ijcnn1", 0, bigmkl.Options{Kernels: "gauss:auto/10", Norm: 1}},
	{"a9a", 0, bigmkl.Options{Kernels: "gauss:auto/10"}},
	{"a9a", 0, bigmkl.Options{Kernels: "linear"}},
	{"a9a", 16000, bigmkl.Options{Kernels: "gauss:auto/3,linear", Norm: 2, C: 10}},
	{"w8a", 0, bigmkl.Options{Kernels: "gauss:auto/5"}},
	{"covtype20k", 0, bigmkl.Options{Kernels: "gauss:auto/5", Multiclass: bigmkl.OneVsRest}},
	{"covtype20k", 0, bigmkl.Options{Kernels: "gauss:auto/5", Multiclass: bigmkl.OneVsOne}},
	{"susy30k", 0, bigmkl.Options{Kernels: "gauss:auto/5"}},
	{"higgs7k", 0, bigmkl.Options{Kernels: "gauss:auto/10"}},
	{"higgs7k", 0, bigmkl.Options{Kernels: "linear@each-feature", Norm: 4}},
	{"magic", 0, bigmkl.Options{Kernels: "gauss:auto/10"}},
	{"skin", 0, bigmkl.Options{Kernels: "gauss:auto/3"}},
	{"shuttle", 0, bigmkl.Options{Kernels: "gauss:auto/5", Multiclass: bigmkl.OneVsRest}},
	{"kddcup99", 100000, bigmkl.Options{Kernels: "gauss:auto/3", Multiclass: bigmkl.OneVsRest}},
	{"pendigits", 0, bigmkl.Options{Kernels: "gauss:auto/10", Multiclass: bigmkl.OneVsRest}},
	{"letter", 0, bigmkl.Options{Kernels: "gauss:auto", Multiclass: bigmkl.OneVsOne}},
	{"mnist", 20000, bigmkl.Options{Kernels: "gauss:auto/5", Multiclass: bigmkl.OneVsRest}},
	{"mnist", 20000, bigmkl.Options{Kernels: "gauss:auto/20", Positive: []string{"1", "3", "5", "7", "9"}}},
	{"connect-4", 20000, bigmkl.Options{Kernels: "gauss:auto/5", Multiclass: bigmkl.OneVsRest}},
	{"whitewine", 0, bigmkl.Options{Kernels: "gauss:auto/10", Task: bigmkl.TaskSVR}},
	{"whitewine", 0, bigmkl.Options{Kernels: "gauss:auto/10", Task: bigmkl.TaskQuantile}},
}

// trialRow is an estimate beside the training. Low and High are the range that plan prints. Ratio is
// above 1 if the estimate was too long.
type trialRow struct {
	Data    string `json:"data" table:"data"`
	Rows    int    `json:"rows" table:"rows"`
	Problem string `json:"problem" table:"problem"`
	// Sample is the size of the largest sample, from which the time is extrapolated.
	Sample int `json:"sample" table:"rows of the last sample"`
	// Trial is the time that the trial itself took.
	Trial float64 `json:"trial_seconds" table:"trial s|%.1f"`
	// Low and High bracket the estimate as plan prints it.
	Estimate float64 `json:"estimate_seconds" table:"estimate s|%.2f"`
	Low      float64 `json:"low_seconds" table:"low|%.2f"`
	High     float64 `json:"high_seconds" table:"high|%.2f"`
	Took     float64 `json:"seconds" table:"training s|%.2f"`
	Ratio    float64 `json:"ratio" table:"estimate / training|%.2f"`
}

// Trial compares the times that a trial estimates with the times of the trainings.
// The extrapolation is a power of the number of rows, so its error grows with their ratio.
func Trial() harness.Experiment {
	about := 6 * time.Second
	return harness.Experiment{
		Name: "trial", Short: "How right plan --trial is",
		Long: "Trial estimates the time of trainings as plan --trial does, from trainings on samples of their rows,\n" +
			"and then trains on all rows. Times are wall times: other work on the machine makes both longer.",
		Flags: func(f *pflag.FlagSet) {
			f.DurationVar(&about, "about", about, "how long a trial takes; a short one extrapolates farther")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			base := bigmkl.Options{Threads: s.Threads, Scratch: s.Scratch, Seed: 1}
			// A small set and a short trial show only that the code works.
			if s.Quick {
				return runTrial(ctx, r, base, []trialProblem{{"german-numeric", 0, bigmkl.Options{Kernels: "gauss:auto/3"}}}, 100*time.Millisecond, s.Data.Find)
			}
			return runTrial(ctx, r, base, trialProblems, about, s.Data.Find)
		},
	}
}

// runTrial compares estimates and times of problems. about is the time of a trial, and base has
// the options that all trainings share.
func runTrial(ctx context.Context, r *harness.Report, base bigmkl.Options, problems []trialProblem, about time.Duration,
	find func(name, part string) (harness.DataSet, bool)) error {
	t := r.Table("Estimates of plan --trial")
	within := 0
	var rows []trialRow
	for _, p := range problems {
		// find is a parameter, so a test can give a small set.
		d, there := find(p.data, "")
		if !there {
			t.Note("%s is absent.", p.data)
			continue
		}
		row, err := measureTrial(ctx, d, base, p, about)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", p.data, row.Problem, err)
		}
		// The note below the table counts the estimates within a factor of 2.
		if rows = append(rows, row); row.Ratio >= 0.5 && row.Ratio <= 2 {
			within++
		}
		t.Add(row)
	}
	t.Note("%d of %d estimates are within a factor of 2.", within, len(rows))
	return nil
}

// measureTrial trains on all rows and then estimates the time of this training by a trial. The
// sample is taken while the training reads the rows, as plan --trial takes it.
func measureTrial(ctx context.Context, d harness.DataSet, base bigmkl.Options, p trialProblem, about time.Duration) (row trialRow, err error) {
	// p stays as it is, because the table is shared.
	o := p.options
	o.Threads, o.Scratch, o.Seed, o.Limit = base.Threads, base.Scratch, base.Seed, p.rows
	// Defaults are written out: p = 4/3 and C = 1.
	row = trialRow{Data: p.data, Problem: fmt.Sprintf("%s %s%s p=%.3g C=%.3g", o.Kernels, o.Task, o.Multiclass, cmp.Or(o.Norm, 4.0/3), cmp.Or(o.C, 1))}
	src, err := d.Open(cmp.Or(o.Task, bigmkl.TaskClass))
	if err != nil {
		return row, err
	}
	defer src.Close()
	// 1 GiB bounds the sample in memory.
	sample := trial.NewSample(dataset.Limit(src, p.rows), 1<<30, o.Seed)
	m, result, err := bigmkl.Train(ctx, sample, o)
	if err != nil {
		return row, err
	}
	row.Rows, row.Took = m.Points, result.Train.Seconds()
	if err := m.Close(); err != nil {
		return row, err
	}
	// The trial comes after the training, so both meet the same state of the computer.
	began := time.Now()
	// The trial trains on parts of the sample, each larger than the one before.
	e, err := sample.Run(ctx, o, about)
	if err != nil {
		return row, err
	}
	row.Trial, row.Sample = time.Since(began).Seconds(), e.Runs[len(e.Runs)-1].Rows
	row.Estimate, row.Low, row.High = e.Time.Seconds(), e.Low.Seconds(), e.High.Seconds()
	row.Ratio = harness.Ratio(row.Estimate, row.Took)
	return row, nil
}

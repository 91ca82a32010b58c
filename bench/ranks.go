package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bigmkl/model"
)

// rankRow is a training by several processes of one thread each.
type rankRow struct {
	Ranks   int     `json:"ranks" table:"ranks"`
	Threads int     `json:"threads" table:"threads each"`
	Seconds float64 `json:"train_seconds" table:"seconds|%.2f"`
	// Against is the time against that of one process with two threads.
	Against float64 `json:"against_two_threads" table:"against two threads|%.2f x"`
	// Modelled is the time that the model of the cluster gives, and Off how far the measured one is.
	Modelled float64 `json:"modelled_seconds,omitempty" table:"modelled|%.2f|blank"`
	Off      float64 `json:"off_percent,omitempty" table:"measured against modelled|%+.0f %%|blank"`
	// Resident is the peak of the largest rank, and Sent what all of them have sent.
	Resident int64 `json:"peak_rss_bytes" table:"peak of a rank, MiB|MiB"`
	Sent     int64 `json:"sent_bytes" table:"sent, MiB|MiB"`
}

// ranksExperiment measures what ranks cost and gain on one machine, and says what a cluster would.
func ranksExperiment() experiment {
	return experiment{
		name:  "ranks",
		short: "one training by 1, 2 and 4 processes, and a model of clusters",
		long: "Trains MNIST even/odd with two banks of 50 Gaussians (p = 4/3, C = 1, gap 1e-3) in one process and by mpirun, and\n" +
			"holds the times to a model of an iteration, whose figures are those of one process and of a\n" +
			"recorded exchange. The same model then gives clusters of up to 1,024 ranks.",
		lacking: func(ctx context.Context) string {
			if _, err := exec.LookPath("go"); err != nil {
				return "there is no go"
			}
			version, err := exec.CommandContext(ctx, "mpirun", "--version").Output()
			if err != nil || !strings.Contains(string(version), "Open MPI") {
				return "there is no mpirun of Open MPI"
			}
			return ""
		},
		run: runRanks,
	}
}

// rankBanks are the kernels that ranks train on: widths, which share almost all of their work, so that
// messages and what each rank does for itself count most, and kernels on features of their own.
var rankBanks = []struct{ name, kernels string }{
	{"fifty widths", fiftyGaussians}, {"fifty sets of 100 features", "gauss:auto@random:100*50"},
}

// runRanks is the experiment.
func runRanks(ctx context.Context, s *session, r *experimentReport, _ []string) error {
	dir, err := os.MkdirTemp(s.scratch, "ranks-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	digits, positive := s.findDigits(r)
	n := s.chooseInts(nil, []int{20000}, []int{1000})[0]
	l := launcher{program: filepath.Join(dir, "bigmkl-mpi"), data: filepath.Join(dir, "rows"), model: filepath.Join(dir, "model")}
	if err := l.prepare(ctx, digits, n, positive); err != nil {
		return err
	}
	for _, bank := range rankBanks {
		u := thesisTraining(digits, positive, bank.kernels, "4/3", n)
		if err := l.compare(ctx, s, r, bank.name, u); err != nil {
			return err
		}
	}
	return nil
}

// compare holds trainings by ranks to the model of their cluster.
func (l *launcher) compare(ctx context.Context, s *session, r *experimentReport, name string, u training) error {
	alone := map[int]outcome{} // by threads
	for _, threads := range []int{1, 2, 4} {
		u.Options.Threads = min(threads, s.threads)
		if _, done := alone[u.Options.Threads]; done {
			continue
		}
		o, err := s.runTraining(ctx, u)
		if err != nil {
			return err
		}
		alone[u.Options.Threads] = o
	}
	e, err := recordExchange(ctx, u)
	if err != nil {
		return err
	}
	t := r.table("Processes on this machine, %s", name)
	t.note("Ranks are processes of one thread, which Open MPI binds to nothing. They are modelled as one process with as "+
		"many threads, up to the processors, whose messages cost nothing. %d threads are %.2f x as fast as one here.",
		min(2, s.threads), ratio(alone[1].Seconds, alone[min(2, s.threads)].Seconds))
	two, err := l.train(ctx, u, 0, 2)
	if err != nil {
		return err
	}
	two.Against = 1
	t.add(two)
	for _, ranks := range []int{1, 2, 4} {
		row, err := l.train(ctx, u, ranks, 1)
		if err != nil {
			return err
		}
		row.Against, row.Modelled = ratio(row.Seconds, two.Seconds), alone[min(ranks, s.threads)].Seconds
		row.Off = 100 * (ratio(row.Seconds, row.Modelled) - 1)
		t.add(row)
	}
	newClusterModel(alone[1], e).tabulate(r, name)
	return nil
}

// launcher starts trainings on a file of rows.
type launcher struct{ program, data, model string }

// prepare builds the program and writes the rows as text.
func (l *launcher) prepare(ctx context.Context, d dataSet, limit int, positive []string) error {
	build := exec.CommandContext(ctx, "go", "build", "-tags", "mpi", "-o", l.program, "bigmkl/cmd/bigmkl")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build -tags mpi: %w: %s", err, text)
	}
	src, err := d.open(model.TaskClass)
	if err != nil {
		return err
	}
	defer src.Close()
	f, err := os.Create(l.data)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for range limit {
		row, err := src.Next()
		if err != nil {
			return err
		}
		label := row.Label
		if len(positive) > 0 {
			label = "-1"
			if slices.Contains(positive, row.Label) {
				label = "1"
			}
		}
		w.WriteString(label)
		for k, j := range row.Index {
			fmt.Fprintf(w, " %d:%g", j+1, row.Value[k])
		}
		w.WriteString("\n")
	}
	return errors.Join(w.Flush(), f.Close())
}

// train trains on the rows that were written, in one process if ranks is 0, and otherwise by mpirun.
func (l *launcher) train(ctx context.Context, u training, ranks, threads int) (rankRow, error) {
	o := &u.Options
	args := []string{l.program, "train", "--quiet", "--json", "--threads", strconv.Itoa(threads), "--kernels", o.Kernels,
		"--norm", u.Norm, "-C", fmt.Sprint(o.C), "--gap", fmt.Sprint(o.Gap), "--scale", o.Scale, "--normalize", o.Normalize,
		"-o", l.model, l.data}
	if ranks > 0 {
		args = append([]string{"mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n", strconv.Itoa(ranks)}, args...)
	}
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	var complaints strings.Builder
	c.Stderr = &complaints
	text, err := c.Output()
	if err != nil {
		return rankRow{}, fmt.Errorf("%d ranks: %w: %s", ranks, err, complaints.String())
	}
	var told struct {
		Seconds  float64 `json:"train_seconds"`
		Resident int64   `json:"peak_rss_bytes"`
		Ranks    []struct {
			Resident int64 `json:"peak_rss_bytes"`
			Sent     int64 `json:"sent_bytes"`
		} `json:"ranks"`
	}
	if err := json.Unmarshal(text, &told); err != nil {
		return rankRow{}, fmt.Errorf("%d ranks: %w", ranks, err)
	}
	row := rankRow{Ranks: max(1, ranks), Threads: threads, Seconds: told.Seconds, Resident: told.Resident}
	for _, rank := range told.Ranks {
		row.Resident, row.Sent = max(row.Resident, rank.Resident), row.Sent+rank.Sent
	}
	return row, nil
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/host"
)

// run describes one training.
type training struct {
	Data    dataSet        `json:"data"`
	Test    *dataSet       `json:"test,omitempty"`   // rows to predict afterwards
	Norm    string         `json:"norm"`             // as the table shows it, such as 4/3
	Solver  string         `json:"solver,omitempty"` // of the library or a baseline, "" for the library's own choice
	Options bigmkl.Options `json:"options"`          // without Norm, Init and Recorder
}

// String says what is trained.
func (u training) String() string {
	text := u.Data.Name
	if u.Options.Limit > 0 {
		text += fmt.Sprintf(", n %d", u.Options.Limit)
	}
	text = fmt.Sprintf("%s, %s, p %s", text, cmp.Or(u.Options.Kernels, "default kernels"), u.Norm)
	if u.Solver != "" {
		text += ", " + u.Solver
	}
	if u.Options.Tuning != (chunking.Tuning{}) {
		text += fmt.Sprintf(", %+v", u.Options.Tuning)
	}
	return text
}

// outcome is the row of a training: what was asked, how long it took, and its certificate.
type outcome struct {
	Data     string  `json:"data" table:"data"`
	Points   int     `json:"n" table:"n"`
	Features int     `json:"features" table:"D"`
	Kernels  int     `json:"kernels" table:"kernels"`
	Norm     string  `json:"p" table:"p"`
	Threads  int     `json:"threads" table:"threads"`
	Budget   int64   `json:"memory_budget_bytes,omitempty" table:"budget MiB|MiB|blank"`
	Target   float64 `json:"target_gap"`
	Seconds  float64 `json:"train_seconds" table:"seconds|%.2f"`
	CPU      float64 `json:"cpu_seconds" table:"CPU s with reading|%.2f"`
	Reading  float64 `json:"read_seconds" table:"reading s|%.2f"`
	Process  float64 `json:"process_seconds"` // wall clock from start to end, predicting included
	certificate
	Error    float64 `json:"test_error_percent,omitempty" table:"test error|%.2f %%|blank"`
	Tested   int     `json:"test_points,omitempty"`
	Moves    int     `json:"moves,omitempty"` // of weights that stay in between
	Primal   float64 `json:"primal"`
	Dual     float64 `json:"dual"`
	Hits     int64   `json:"cache_hits"`
	Misses   int64   `json:"cache_misses"`
	DiskHits int64   `json:"cache_disk_hits"`
	Spills   int64   `json:"cache_spills"`
	Spilled  int64   `json:"cache_spilled_bytes"`
	// Where the seconds went: passes, sleeping points (passes too, and copies), the quadratic model, checks; the rest is the
	// solver's.
	PassSeconds  float64 `json:"pass_seconds"`
	SleepSeconds float64 `json:"sleep_seconds"`
	ModelSeconds float64 `json:"model_seconds"`
	CheckSeconds float64 `json:"check_seconds"`
	Entries      int64   `json:"entries"`  // kernel values that passes added to gradients
	Products     int64   `json:"products"` // multiplications of their bases, cached ones aside
}

// certificate is what every row with the time of a training states.
type certificate struct {
	Iterations int     `json:"iterations" table:"iterations"`
	Passes     int64   `json:"passes" table:"passes"`
	Rows       int64   `json:"rows" table:"rows"`
	Support    int     `json:"support_vectors" table:"support vectors"`
	Gap        float64 `json:"relative_gap" table:"relative gap|%.2e"`
	Status     string  `json:"status" table:"status"`
	Resident   int64   `json:"peak_rss_bytes" table:"peak MiB|MiB"`
	Anonymous  int64   `json:"peak_anonymous_bytes" table:"of it anonymous|MiB"`
}

// failed is the outcome of a run that gave no model.
func (u training) failed(err error) outcome {
	return outcome{
		Data: u.Data.Name, Points: u.Options.Limit, Norm: u.Norm, Threads: u.Options.Threads, Budget: u.Options.Memory, Target: u.Options.Gap,
		certificate: certificate{Status: "failed: " + err.Error()},
	}
}

// converged tells whether the certificate is the one that was asked for.
func (c *certificate) converged() bool { return c.Status == string(chunking.Converged) }

// work trains, and predicts if there are rows for it.
func (u training) trainAndPredict(ctx context.Context, rec bigmkl.Recorder) (outcome, error) {
	p, err := parseNorm(u.Norm)
	if err != nil {
		return outcome{}, err
	}
	src, err := u.Data.open(u.Options.Task)
	if err != nil {
		return outcome{}, err
	}
	defer src.Close()
	o := u.Options
	o.Norm, o.Recorder = p, rec
	if err := setSolver(&o, u.Solver); err != nil {
		return outcome{}, err
	}
	host.LimitHeap(o.Memory) // as the command line does it
	o.Heap = host.KeepHeap
	m, r, err := bigmkl.Train(ctx, src, o)
	if err != nil {
		return outcome{}, err
	}
	c := r.Gradient.Cache
	gap, _ := m.Worst()
	out := outcome{
		Data: u.Data.Name, Points: m.Points, Features: m.Features, Kernels: m.Len(), Norm: u.Norm, Threads: o.Threads, Budget: o.Memory,
		Target: m.Gap, Seconds: r.Train.Seconds(), CPU: processTime().Seconds(), Reading: r.Read.Seconds(),
		certificate: certificate{
			Iterations: r.Iterations, Passes: r.Gradient.Passes, Rows: r.Gradient.Rows, Support: len(m.Support),
			Gap: gap.RelativeGap, Status: string(r.Status), Resident: host.PeakRSS(), Anonymous: host.RSSAnon(),
		},
		Moves: r.Moves, Primal: m.Certificate.Primal, Dual: m.Certificate.Dual,
		Hits: c.Hits, Misses: c.Misses, DiskHits: c.DiskHits, Spills: c.Spills, Spilled: c.SpilledBytes,
		PassSeconds: r.Times.Passes.Seconds(), SleepSeconds: r.Times.Sleep.Seconds(), ModelSeconds: r.Times.Model.Seconds(),
		CheckSeconds: r.Times.Checking.Seconds(), Entries: r.Gradient.Entries, Products: r.Gradient.Products,
	}
	if u.Test != nil && ctx.Err() == nil {
		if out.Error, out.Tested, err = u.predict(ctx, m); err != nil {
			return out, err
		}
	}
	return out, nil
}

// predict gives the share of wrong labels among the test rows, in percent.
func (u training) predict(ctx context.Context, m *bigmkl.Model) (percent float64, rows int, err error) {
	src, err := u.Test.open(u.Options.Task)
	if err != nil {
		return 0, 0, err
	}
	defer src.Close()
	wrong := 0
	err = m.Predict(ctx, &narrowSource{src, m.Features}, bigmkl.PredictOptions{Threads: u.Options.Threads}, func(p bigmkl.Prediction) error {
		rows++
		if p.Label != p.Known {
			wrong++
		}
		return nil
	})
	return 100 * float64(wrong) / float64(max(rows, 1)), rows, err
}

// narrow drops the features that no training row had.
type narrowSource struct {
	dataset.Source
	features int
}

func (n *narrowSource) Next() (dataset.Row, error) {
	row, err := n.Source.Next()
	for k := len(row.Index) - 1; k >= 0 && int(row.Index[k]) >= n.features; k-- {
		row.Index, row.Value = row.Index[:k], row.Value[:k]
	}
	return row, err
}

// parseNorm reads a block norm such as 1, 4/3 or 1.0667.
func parseNorm(text string) (float64, error) {
	a, b, quotient := strings.Cut(text, "/")
	p, err := strconv.ParseFloat(a, 64)
	if err == nil && quotient {
		var q float64
		q, err = strconv.ParseFloat(b, 64)
		p /= q
	}
	if err != nil {
		return 0, errors.New("norm " + strconv.Quote(text) + " is no number")
	}
	return p, nil
}

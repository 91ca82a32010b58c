package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/bench/internal/baseline"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/host"
)

// Training describes one training. It is passed to a child process as JSON, so it has no
// functions and no open files.
type Training struct {
	Data DataSet `json:"data"`
	// Test holds rows to predict after the training.
	Test *DataSet `json:"test,omitempty"`
	// Norm is the block norm as the table shows it, such as 4/3.
	Norm string `json:"norm"`
	// Solver is one of the library or a baseline, or "" for the choice of the library.
	Solver string `json:"solver,omitempty"`
	// Options has no Norm, Init and Recorder.
	Options bigmkl.Options `json:"options"`
}

// String returns what is trained as one line.
// The line has only what differs between trainings of an experiment.
func (u Training) String() string {
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

// Outcome is the row of a training: its problem, its time and its certificate. Tags decide which fields
// the tables show. All fields are in JSON.
type Outcome struct {
	// n is the number of rows, D the number of features, p the block norm.
	Data     string `json:"data" table:"data"`
	Points   int    `json:"n" table:"n"`
	Features int    `json:"features" table:"D"`
	Kernels  int    `json:"kernels" table:"kernels"`
	Norm     string `json:"p" table:"p"`
	Threads  int    `json:"threads" table:"threads"`
	Budget   int64  `json:"memory_budget_bytes,omitempty" table:"budget MiB|MiB|blank"`
	// Seconds is the wall clock of the training alone. CPU is the processor time of the process with
	// reading and preparation.
	Target  float64 `json:"target_gap"`
	Seconds float64 `json:"train_seconds" table:"seconds|%.2f"`
	CPU     float64 `json:"cpu_seconds" table:"CPU s with reading|%.2f"`
	Reading float64 `json:"read_seconds" table:"reading s|%.2f"`
	// Process is wall clock from start to end, predictions included.
	Process float64 `json:"process_seconds"`
	Certificate
	Error  float64 `json:"test_error_percent,omitempty" table:"test error|%.2f %%|blank"`
	Tested int     `json:"test_points,omitempty"`
	// Moves counts the steps of the weights, where a solver makes them apart from other steps.
	Moves  int     `json:"moves,omitempty"`
	Primal float64 `json:"primal"`
	Dual   float64 `json:"dual"`
	// The cache counts kernel rows: found, computed, found on disk, and written to disk.
	Hits     int64 `json:"cache_hits"`
	Misses   int64 `json:"cache_misses"`
	DiskHits int64 `json:"cache_disk_hits"`
	Spills   int64 `json:"cache_spills"`
	Spilled  int64 `json:"cache_spilled_bytes"`
	// The next five fields state where the time was spent: passes, shrunken points (their passes
	// and copies), the quadratic model, checks, and the solver's loops over points. All of it is
	// shared out to the threads. The solver needs the rest, on one thread.
	PassSeconds  float64 `json:"pass_seconds"`
	SleepSeconds float64 `json:"sleep_seconds"`
	ModelSeconds float64 `json:"model_seconds"`
	CheckSeconds float64 `json:"check_seconds"`
	LoopSeconds  float64 `json:"loop_seconds"`
	// PrepareSeconds is the time before the first step.
	PrepareSeconds float64 `json:"prepare_seconds"`
	// Entries counts the kernel values that passes added to gradients.
	Entries int64 `json:"entries"`
	// Products counts the multiplications for their bases, except for cached ones.
	Products int64 `json:"products"`
}

// Certificate holds what every row with the time of a training also has to state. A time without the
// gap that was reached means nothing: every solver is fast to a large gap.
type Certificate struct {
	// Rows counts computed kernel rows, which do not depend on the computer.
	Rows int64 `json:"rows" table:"rows"`
	TrainedFigures
	Anonymous int64 `json:"peak_anonymous_bytes" table:"anonymous memory|MiB"`
}

// TrainedFigures holds the figures that every version of the program reports of a training.
type TrainedFigures struct {
	Iterations int   `json:"iterations" table:"iterations"`
	Passes     int64 `json:"passes" table:"passes"`
	Support    int   `json:"support_vectors" table:"support vectors"`
	// Gap is (P - D) / max(|P|, |D|) of the worst classifier.
	Gap      float64 `json:"relative_gap" table:"relative gap|%.2e"`
	Status   string  `json:"status" table:"status"`
	Resident int64   `json:"peak_rss_bytes" table:"peak MiB|MiB"`
}

// failed returns the outcome of a training that gave no model. The row stays in the table, with the
// reason as its status: a missing row would look like a training that was not tried.
func (u Training) failed(err error) Outcome {
	return Outcome{
		Data: u.Data.Name, Points: u.Options.Limit, Norm: u.Norm, Threads: u.Options.Threads,
		Budget: u.Options.Memory, Target: u.Options.Gap,
		Certificate: Certificate{TrainedFigures: TrainedFigures{Status: "failed: " + err.Error()}},
	}
}

// Converged reports whether the training reached the gap that was asked for.
func (c *Certificate) Converged() bool { return c.Status == string(chunking.Converged) }

// trainAndPredict trains, and predicts the test rows if there are any. It runs in a child
// process, so processor times and peaks of memory belong to this training alone.
func (u Training) trainAndPredict(ctx context.Context, rec bigmkl.Recorder) (Outcome, error) {
	p, err := ParseNorm(u.Norm)
	if err != nil {
		return Outcome{}, err
	}
	src, err := u.Data.Open(u.Options.Task)
	if err != nil {
		return Outcome{}, err
	}
	defer src.Close()
	o := u.Options
	beginning := &firstSteps{Recorder: rec}
	o.Norm, o.Recorder = p, beginning
	if err := baseline.Set(&o, u.Solver); err != nil {
		return Outcome{}, err
	}
	// The heap is limited as the command line does it.
	host.LimitHeap(o.Memory)
	o.Heap = host.KeepHeap
	m, r, err := bigmkl.Train(ctx, src, AsPosed(o))
	if err != nil {
		return Outcome{}, err
	}
	// The figures come from the library, and peaks of memory from the system.
	c := r.Gradient.Cache
	gap, _ := m.Convergence().Worst()
	out := Outcome{
		Data: u.Data.Name, Points: m.Points, Features: m.Features, Kernels: m.Len(), Norm: u.Norm,
		Threads: o.Threads, Budget: o.Memory,
		Target: m.Gap, Seconds: r.Train.Seconds(), CPU: ProcessTime().Seconds(),
		Reading: r.Read.Seconds(),
		Certificate: Certificate{
			Rows: r.Gradient.Rows,
			TrainedFigures: TrainedFigures{
				Iterations: r.Iterations, Passes: r.Gradient.Passes, Support: len(m.Support),
				Gap: gap.RelativeGap, Status: string(r.Status), Resident: host.PeakRSS(),
			},
			// The parent replaces it by the largest of its samples if that is more.
			Anonymous: host.RSSAnon(),
		},
		Moves: r.Moves, Primal: m.Certificate.Primal, Dual: m.Certificate.Dual,
		Hits: c.Hits, Misses: c.Misses, DiskHits: c.DiskHits, Spills: c.Spills,
		Spilled:     c.SpilledBytes,
		PassSeconds: r.Times.Passes.Seconds(), SleepSeconds: r.Times.Sleep.Seconds(),
		ModelSeconds: r.Times.Model.Seconds(),
		CheckSeconds: r.Times.Checking.Seconds(), LoopSeconds: r.Times.Shared.Seconds(),
		PrepareSeconds: beginning.before(),
		Entries:        r.Gradient.Entries, Products: r.Gradient.Products,
	}
	// An interrupted training has no test.
	if u.Test != nil && ctx.Err() == nil {
		if out.Error, out.Tested, err = u.predict(ctx, m); err != nil {
			return out, err
		}
	}
	return out, nil
}

// firstSteps is a recorder that takes the times of the first two steps.
type firstSteps struct {
	bigmkl.Recorder
	steps []float64 // their ends in seconds
}

// Record implements bigmkl.Recorder.
func (f *firstSteps) Record(e bigmkl.Event) error {
	if len(f.steps) < 2 {
		f.steps = append(f.steps, e.Elapsed.Seconds())
	}
	if f.Recorder == nil {
		return nil
	}
	return f.Recorder.Record(e)
}

// before returns the seconds before the first step, which takes as long as the second. It is 0 where
// there are no two steps. The preparation has no event of its own.
func (f *firstSteps) before() float64 {
	if len(f.steps) < 2 {
		return 0
	}
	return max(0, 2*f.steps[0]-f.steps[1])
}

// predict returns the percentage of wrong labels among the test rows. Features that no training row had
// are left out, as public test sets have some.
func (u Training) predict(ctx context.Context, m *bigmkl.Model) (percent float64, rows int,
	err error) {
	src, err := u.Test.Open(u.Options.Task)
	if err != nil {
		return 0, 0, err
	}
	defer src.Close()
	wrong := 0
	err = m.Predict(ctx, dataset.Narrow(src, m.Features),
		bigmkl.PredictOptions{Threads: u.Options.Threads}, func(p bigmkl.Prediction) error {
			rows++
			if p.Label != p.Known {
				wrong++
			}
			return nil
		})
	return 100 * float64(wrong) / float64(max(rows, 1)), rows, err
}

// ParseNorm parses a block norm such as 1, 4/3 or 1.0667.
func ParseNorm(text string) (float64, error) {
	// 4/3 has no exact decimal, so the quotient is part of the name.
	a, b, quotient := strings.Cut(text, "/")
	p, err := strconv.ParseFloat(a, 64)
	if err == nil && quotient {
		var q float64
		q, err = strconv.ParseFloat(b, 64)
		p /= q
	}
	if err != nil {
		return 0, errors.New("norm " + strconv.Quote(text) + " is not a number")
	}
	return p, nil
}

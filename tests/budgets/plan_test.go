package budgets

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/bytesize"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestLeastBudgets: training accepts the least budgets of the plan and rejects anything less. The
// words of the rejection are the same whether it comes before or after the data were read.
func TestLeastBudgets(t *testing.T) {
	t.Parallel()
	dense, sparse := datasettest.Clouds(datasettest.Random(t, 90), 1000, 20), bigmkltest.Words(t, 91, 200, 3000, 15)
	table := map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		"dense":            {dense, bigmkl.Options{Kernels: "gauss:auto/3,linear,poly:2"}},
		"dense, unscaled":  {dense, bigmkl.Options{Kernels: "gauss:auto/3", Normalize: "none", Tuning: chunking.Tuning{NoShrink: true}}},
		"many groups":      {dense, bigmkl.Options{Kernels: "gauss:auto/1@each-feature,laplace:1@random:5*60", Normalize: "spherical"}},
		"products":         {dense, bigmkl.Options{Kernels: "prod(gauss:auto,poly:2,laplace:1@1-10) norm=spherical,pow(linear,2)"}},
		"sparse products":  {sparse, bigmkl.Options{Kernels: "prod(gauss:auto,poly:2,laplace:1@1-10) norm=spherical,pow(linear,2)"}},
		"sparse":           {sparse, bigmkl.Options{Kernels: "gauss:auto/3"}},
		"sparse, standard": {sparse, bigmkl.Options{Kernels: "gauss:auto/3", Scale: "standard"}},
		"double":           {dense, bigmkl.Options{Kernels: "gauss:auto/3", Precision: "64", Norm: 8}},
	}
	for name, c := range table {
		t.Run(name, func(t *testing.T) {
			bigmkltest.NameInTurn(t, table, name, 3)
			o := c.o
			o.Threads, o.MaxIterations, o.Scratch = 2, 3, t.TempDir()
			p := bigmkltest.Planned(t, c.rows, o)
			o.Memory = p.Memory.Least
			// With so little memory the gradients may be out of core.
			p = bigmkltest.Planned(t, c.rows, o)
			o.Disk = p.Disk.Least
			if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(c.rows), o); err != nil {
				t.Errorf("the least budgets: %v", err)
			}
			less := o
			less.Memory--
			bigmkltest.TooSmall(t, c.rows, less, "memory", p.Memory.Least)
			for _, disk := range []int64{1, p.Spool - 1, p.Disk.Least - 1} {
				less = o
				less.Disk = disk
				what := p.Disk.Least
				if disk < p.Points+p.Spool && c.o.Scale == "standard" {
					// Nobody knew yet how sparse the scaled points are.
					what = 0
				}
				bigmkltest.TooSmall(t, c.rows, less, "disk", what)
			}
		})
	}
}

// TestPlanIsWhatHappens: the plan and the run have the same figures.
func TestPlanIsWhatHappens(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 92), 3000, 10)
	o := bigmkl.Options{Kernels: "gauss:auto/20,linear", Threads: 2, Memory: 1 << 30, Scratch: t.TempDir()}
	p := bigmkltest.Planned(t, rows, o)
	m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	if p.Rows != m.Points || p.Features != m.Features || p.Kernels != len(m.Theta) || p.Groups != 2 || p.Sparse {
		t.Errorf("%+v", p)
	}
	for s, name := range map[*budget.Share]string{&p.Memory: "memory", &p.Disk: "disk"} {
		sum := int64(0)
		for _, part := range s.Fixed {
			sum += part.Bytes
		}
		// Each part is rounded by itself.
		if off := s.Least - sum; off < -16 || off > 16 {
			t.Errorf("%s: %d bytes in parts of %d", name, sum, s.Least)
		}
		if s.Least > s.InCore || s.InCore > s.Ample || s.Budget < s.Least {
			t.Errorf("%s: %+v", name, *s)
		}
	}
	f := p.Time
	if f.Pass <= 0 || f.Model <= 0 || f.Read <= 0 || f.Iterations[0] <= 0 || f.Iterations[1] < f.Iterations[0] || f.Train[1] < f.Train[0] {
		t.Errorf("%+v", f)
	}
	t.Logf("between %v and %v; %v", f.Train[0], f.Train[1], r.Train)

	// From InCore on the gradients are in memory, from Ample on there is room for every row.
	for _, c := range []struct {
		memory int64
		in     bool
	}{{p.Memory.InCore, true}, {p.Memory.InCore - 2, false}} {
		o.Memory = c.memory
		if q := bigmkltest.Planned(t, rows, o); (q.Memory.Gradients > 0) != c.in || (q.Disk.Gradients > 0) == c.in {
			t.Errorf("%d bytes: %d of gradients in memory and %d on disk", c.memory, q.Memory.Gradients, q.Disk.Gradients)
		}
	}
	o.Memory = p.Memory.Ample
	if q := bigmkltest.Planned(t, rows, o); q.Memory.Rows < 3000*4*3000 {
		t.Errorf("%d bytes for rows", q.Memory.Rows)
	}
}

// TestCheckpointsAreWhatIsPlanned: no checkpoint is larger than planned, and gradients make
// up most of that size.
func TestCheckpointsAreWhatIsPlanned(t *testing.T) {
	t.Parallel()
	two, classes := datasettest.Clouds(datasettest.Random(t, 96), 500, 6), datasettest.Clusters(datasettest.Random(t, 97), 300, 4, 3, false)
	for i := range two {
		two[i].Target = float64(i % 5)
	}
	for name, c := range map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		"one": {two, bigmkl.Options{Kernels: "gauss:auto/20,linear"}}, "lbfgs": {two, bigmkl.Options{Kernels: "linear", Task: bigmkl.TaskSquare, Solver: bigmkl.SolverLBFGS}},
		"pairs":     {classes, bigmkl.Options{Kernels: "gauss:auto/5", Multiclass: bigmkl.OneVsOne}},
		"quantiles": {two, bigmkl.Options{Kernels: "gauss:auto/5", Task: bigmkl.TaskQuantile, Taus: []float64{0.1, 0.5, 0.9}}},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.o
			o.Checkpoint, o.CheckpointEvery, o.MaxIterations, o.Gap = filepath.Join(t.TempDir(), "ck"), 1, 4, 1e-9
			p := bigmkltest.Planned(t, c.rows, o).Checkpoints
			if p.Folder != o.Checkpoint || p.Most != 3*p.Bytes || p.Free <= 0 || p.Short() != "" {
				t.Errorf("%+v", p)
			}
			largest := int64(0)
			o.Recorder = bigmkltest.Recorder(func(bigmkl.Event) error {
				names, err := os.ReadDir(o.Checkpoint)
				for _, n := range names {
					if info, e := n.Info(); e == nil {
						largest = max(largest, info.Size())
					}
				}
				return err
			})
			bigmkltest.TrainModel(t, datasettest.Stream(c.rows), o)
			// The quasi-Newton steps that a checkpoint has room for are not there yet.
			if largest > p.Bytes || name != "lbfgs" && largest < p.Bytes/3-1<<16 {
				t.Errorf("a checkpoint of %d bytes, %d were planned", largest, p.Bytes)
			}
			p.Free = p.Most - 1
			if !strings.Contains(p.Short(), "left out") {
				t.Errorf("%q", p.Short())
			}
		})
	}
}

// TestBudgetText: a budget that a rejection proposes is never read as less than what is needed.
func TestBudgetText(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 93))
	for range 1000 {
		n := rng.Int64N(1 << (1 + rng.IntN(50)))
		text := bytesize.Flag(n)
		at := len(text) - len("MiB")
		unit := text[at:]
		value, err := strconv.ParseFloat(text[:at], 64)
		if err != nil {
			t.Fatal(err)
		}
		bytes := value * map[string]float64{"MiB": 1 << 20, "GiB": 1 << 30}[unit]
		if bytes < float64(n) || bytes > 1.01*float64(n)+1<<20 {
			t.Fatalf("%d bytes are proposed as %s", n, bytesize.Flag(n))
		}
	}
}

// TestSparseModel: the model of points that are stored sparsely holds the non-zeros of its support
// vectors and no more, however small the disk is. A file with all features of the vectors, as older
// versions wrote it, gives the same decisions, certificate and start.
func TestSparseModel(t *testing.T) {
	t.Parallel()
	const d = 8000
	rows, test := bigmkltest.Words(t, 94, 200, d, 15), bigmkltest.Words(t, 95, 40, d, 15)
	o := bigmkl.Options{Kernels: "gauss:auto/3,linear", Store: dataset.LayoutSparse, Threads: 2, Scratch: t.TempDir()}
	got, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	file := bigmkltest.Encoded(t, got)
	if most := 8*15*len(rows) + 100*len(rows) + 8192; len(file) > most {
		t.Errorf("a file of %d bytes, at most %d of them are needed", len(file), most)
	}
	laid := got.Model
	laid.Sparse = nil
	for s := range got.Support {
		laid.Vectors = append(laid.Vectors, got.Vector(s)...)
	}
	once := reread(t, &bigmkl.Model{Model: laid})
	if len(bigmkltest.Encoded(t, once)) < 4*d*len(got.Support) || once.Sparse != nil {
		t.Fatal("the vectors are not laid out")
	}
	for name, m := range map[string]*bigmkl.Model{"the file": reread(t, got), "a file of once": once} {
		if !slices.Equal(bigmkltest.Decisions(t, m, test, bigmkl.PredictOptions{}), bigmkltest.Decisions(t, got, test, bigmkl.PredictOptions{})) {
			t.Errorf("%s: other decisions", name)
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		again := o
		again.Init = m
		if _, r := bigmkltest.Converge(t, datasettest.Stream(rows), again); r.Iterations > 5 {
			t.Errorf("%s: %d iterations from the solution", name, r.Iterations)
		}
	}
	o.Disk = bigmkltest.Planned(t, rows, o).Disk.Least
	if little, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o); !slices.Equal(bigmkltest.Encoded(t, little), file) {
		t.Error("another model file with little disk")
	}
}

// reread writes a model to a file and reads it back.
func reread(t *testing.T, m *bigmkl.Model) *bigmkl.Model {
	t.Helper()
	b := bigmkltest.Encoded(t, m)
	read, err := model.Decode(bytes.NewReader(b), int64(len(b)), "test")
	if err != nil {
		t.Fatal(err)
	}
	return &bigmkl.Model{Model: *read}
}

package bigmkl

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"bigmkl/chunking"
	"bigmkl/cluster"
	"bigmkl/cluster/shards"
	"bigmkl/dataset"
	"bigmkl/dataset/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/verify/verifytest"
)

// trainOnRanks trains with several ranks of this process, each of which reads the rows and has as
// many threads as its number says. It returns what rank 0 returns.
func trainOnRanks(t *testing.T, ctx context.Context, rows []dataset.Row, o Options, size int) (
	*Model, *Result, error) {
	t.Helper()
	var serving sync.WaitGroup
	ranks := cluster.Local(size)
	options := func(rank int) Options {
		o := o
		o.Team, o.Threads, o.Scratch = shards.NewTeam(ranks[rank]), 1+rank%2, t.TempDir()
		return o
	}
	for rank := 1; rank < size; rank++ {
		o := options(rank)
		serving.Go(func() {
			// What rank 0 is cut by is no matter of the others.
			_, _, err := Train(context.Background(), datasettest.Stream(rows), o)
			if !errors.Is(err, shards.ErrServed) {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	m, r, err := Train(ctx, datasettest.Stream(rows), options(0))
	serving.Wait()
	return m, r, err
}

// TestBytesOfRanks: the problems of the table of bytes give the models of one process on 2, 3 and 4
// ranks. Each problem is trained on one of these numbers, or on all in the long tests.
func TestBytesOfRanks(t *testing.T) {
	t.Chdir(t.TempDir())
	list := bytesProblems(t)
	for i := range list {
		p := &list[i]
		gates, err := p.o.gates()
		learned := err == nil && gates.Learned() || strings.HasPrefix(p.o.Kernels, "proj(")
		if p.path != nil || p.o.Task == TaskRKDA || p.o.Task == TaskMED || p.o.Task == TaskMixture || p.o.Multiclass == SingleMachine || learned {
			continue // These are for one process.
		}
		t.Run(p.name, func(t *testing.T) {
			o := p.o
			if p.from != nil {
				start := *p.from
				start.Memory, start.Disk = o.Memory, o.Disk
				o.Init, _ = converge(t, datasettest.Stream(p.rows), start)
			}
			alone := p.record(t, 1)[0]
			sizes := []int{2 + i%3}
			if testlevel.Reached(testlevel.ManyTimes) {
				sizes = []int{2, 3, 4}
			}
			for _, size := range sizes {
				m, r, err := trainOnRanks(t, t.Context(), p.rows, o, size)
				if err != nil {
					t.Fatal(err)
				}
				if converged := r.Status == chunking.Converged; converged == p.short {
					t.Errorf("%d ranks: %s after %d iterations", size, r.Status, r.Iterations)
				}
				o.Threads = 1
				if got := p.digest(t, m, o); got != alone {
					t.Errorf("%d ranks: %v, one process: %v", size, got, alone)
				}
			}
		})
	}
}

// TestPlanOfRanks compares what a plan says that ranks send with what they sent, and its checkpoints with those of one process: the
// gradients of all ranks are in one file.
func TestPlanOfRanks(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 287001), 4200, 6)
	o := Options{Kernels: "gauss:0.1..2/6,poly:2", Norm: 4.0 / 3, C: 1, Memory: 1 << 30, Disk: 1 << 30, Threads: 1}
	one, err := NewPlan(t.Context(), datasettest.Stream(rows), o)
	if err != nil || one.Exchange != nil {
		t.Fatalf("%v, %v", one, err)
	}
	for _, size := range []int{2, 4} {
		p, err := NewPlanOfRanks(t.Context(), datasettest.Stream(rows), o, size)
		if err != nil || p.Exchange == nil {
			t.Fatalf("%v, %v", p, err)
		}
		if p.Checkpoints != one.Checkpoints || p.Memory.Gradients > one.Memory.Gradients || size == 4 && 3*p.Memory.Gradients > 2*one.Memory.Gradients {
			t.Errorf("%d ranks: checkpoints %+v and gradients of %d bytes, one process %+v and %d", size, p.Checkpoints, p.Memory.Gradients, one.Checkpoints, one.Memory.Gradients)
		}
		m, r, err := trainOnRanks(t, t.Context(), rows, o, size)
		if err != nil {
			t.Fatal(err)
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		x, arrived := p.Exchange, int64(0)
		for rank, f := range r.Ranks {
			if f.Rows > x.Rows {
				t.Errorf("%d ranks: rank %d has %d rows, at most %d were planned", size, rank, f.Rows, x.Rows)
			}
			if rank > 0 {
				arrived += f.Sent
			}
		}
		whole := int64(r.Iterations) * (x.Combined + x.Sums + x.Model)
		t.Logf("%d ranks, %d iterations: %d bytes arrived, %d planned for all awake", size, r.Iterations, arrived, whole)
		if share := float64(arrived) / (float64(whole) * float64(size-1) / float64(size)); share > 1.2 || share < 0.2 {
			t.Errorf("%d ranks: %d bytes arrived in %d iterations, %.2f times what is planned", size, arrived, r.Iterations, share)
		}
		if sent := r.Ranks[0].Sent; sent > int64(float64(r.Iterations)*1.2*float64(x.ToEach)*float64(size-1))+int64(8*len(rows)*size) {
			t.Errorf("%d ranks: rank 0 sent %d bytes in %d iterations, %d are planned for each rank and iteration", size, sent, r.Iterations, x.ToEach)
		}
	}
}

// ender ends a context after some iterations.
type ender struct {
	after int
	end   context.CancelFunc
}

func (e *ender) Record(event Event) error {
	if event.Iteration >= e.after {
		e.end()
	}
	return nil
}

// TestRanksResume: what some ranks have begun another number of ranks ends, with the same bytes.
func TestRanksResume(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 266021), 1400, 6)
	o := Options{
		Kernels: mixedBank, Norm: 4.0 / 3, C: 10, Gap: 1e-5, Memory: 1 << 30, Disk: 1 << 30, Threads: 1,
		CheckpointEvery: Zero,
	}
	m, whole := converge(t, datasettest.Stream(rows), o)
	want := encoded(t, m)
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	for _, sizes := range [][2]int{{3, 2}, {1, 4}, {2, 1}} {
		for _, after := range []int{2, whole.Iterations / 2, whole.Iterations - 1} {
			o.Checkpoint, o.Resume = t.TempDir(), false
			ctx, end := context.WithCancel(t.Context())
			o.Recorder = &ender{after, end}
			_, r, err := trainOnRanks(t, ctx, rows, o, sizes[0])
			end()
			if err != nil || r.Status != chunking.Interrupted {
				t.Fatalf("%d ranks, ended after %d iterations: %v", sizes[0], after, err)
			}
			o.Resume, o.Recorder = true, nil
			m, r, err := trainOnRanks(t, t.Context(), rows, o, sizes[1])
			if err != nil || r.Resumed < after {
				t.Fatalf("%d ranks: resumed at %d: %v", sizes[1], r.Resumed, err)
			}
			if !bytes.Equal(encoded(t, m), want) {
				t.Errorf("%d ranks end otherwise what %d ranks began, after %d iterations", sizes[1], sizes[0], after)
			}
		}
	}
}

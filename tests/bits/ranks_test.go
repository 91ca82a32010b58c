package bits

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/cluster"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// withRanks calls train on several ranks of this process, with as many threads as the number of the rank, and
// returns what it gives on rank 0. Other ranks do not see what interrupts rank 0.
func withRanks(t *testing.T, ctx context.Context, o bigmkl.Options, size int, train func(ctx context.Context, o bigmkl.Options) error) error {
	t.Helper()
	var serving sync.WaitGroup
	ranks := cluster.Local(size)
	options := func(rank int) bigmkl.Options {
		o := o
		o.Team, o.Threads, o.Scratch = shards.NewTeam(ranks[rank]), 1+rank%2, t.TempDir()
		return o
	}
	for rank := 1; rank < size; rank++ {
		o := options(rank)
		serving.Go(func() {
			if err := train(context.Background(), o); !errors.Is(err, shards.ErrServed) {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	err := train(ctx, options(0))
	serving.Wait()
	return err
}

// trainOnRanks trains with several ranks of this process, each of which reads the rows. It returns what rank 0
// returns.
func trainOnRanks(t *testing.T, ctx context.Context, rows []dataset.Row, o bigmkl.Options, size int) (m *bigmkl.Model, r *bigmkl.Result, err error) {
	t.Helper()
	err = withRanks(t, ctx, o, size, func(ctx context.Context, o bigmkl.Options) error {
		model, result, err := bigmkl.Train(ctx, datasettest.Stream(rows), o)
		if o.Team.Leads() {
			m, r = model, result
		}
		return err
	})
	return m, r, err
}

// TestPlanOfRanks compares the planned messages of ranks with the sent ones, and the planned checkpoints with the checkpoints of one process: the
// gradients of all ranks are in one file.
func TestPlanOfRanks(t *testing.T) {
	t.Parallel()
	random := datasettest.Random(t, 287001)
	clouds, three := datasettest.Clouds(random, 4000, 6), datasettest.Clusters(random, 4000, 6, 3, false)
	numbers := bigmkltest.Curve(random, 4000, 6)
	for name, p := range map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		"one classifier":    {clouds, bigmkl.Options{Kernels: "gauss:0.1..2/2", Norm: 4.0 / 3, C: 1}},
		"several columns":   {three, bigmkl.Options{Kernels: "gauss:0.1..2/2", Norm: 4.0 / 3, C: 1, Multiclass: bigmkl.SingleClassifier}},
		"several quantiles": {numbers, bigmkl.Options{Kernels: "gauss:0.1..2/2", Norm: 4.0 / 3, Task: bigmkl.TaskQuantile, Taus: []float64{0.2, 0.8}}},
		"gates that learn":  {clouds, bigmkl.Options{Kernels: "gauss:0.1..2/2", Norm: 2, C: 1, Gating: "softmax", GateTol: 0.1}},
	} {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 4, 2)
			p.o.Memory, p.o.Disk, p.o.Threads, p.o.Gap, p.o.Normalize = 1<<30, 1<<30, 1, 0.1, "none"
			testPlanOfRanks(t, p.rows, p.o)
		})
	}
}

func testPlanOfRanks(t *testing.T, rows []dataset.Row, o bigmkl.Options) {
	one, err := bigmkl.NewPlan(t.Context(), datasettest.Stream(rows), o)
	if err != nil || one.Exchange != nil {
		t.Fatalf("%v, %v", one, err)
	}
	var want []byte
	for _, size := range []int{2, 4} {
		p, err := bigmkl.NewPlanOfRanks(t.Context(), datasettest.Stream(rows), o, size)
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
		if want == nil {
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			want = bigmkltest.Encoded(t, m)
		}
		if !bytes.Equal(bigmkltest.Encoded(t, m), want) {
			t.Errorf("%d ranks come to another model", size)
		}
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

// TestRowsOfRanksServeOn: cached rows serve on when points fall asleep and wake, on each rank as in one process. Where most points
// that stay awake are of one rank, units are dealt out evenly and rows are computed again; the model is the same.
func TestRowsOfRanksServeOn(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 287002), 700, 6)
	o := bigmkl.Options{
		Kernels: "gauss:0.1..2/6,poly:2", Norm: 4.0 / 3, C: 1, Memory: 1 << 30, Disk: 1 << 30, Threads: 1, Cache: cache.Always,
		Tuning: chunking.Tuning{WorkingSet: 64, Shrink: 0.8},
	}
	// Those that will be support vectors come first.
	var first, last []dataset.Row
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	for i, row := range rows {
		if slices.Contains(m.Support, int32(i)) {
			first = append(first, row)
		} else {
			last = append(last, row)
		}
	}
	t.Logf("%d of %d rows are support vectors", len(first), len(rows))
	for name, rows := range map[string][]dataset.Row{"mixed": rows, "sorted": append(first, last...)} {
		m, one := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		if !bigmkltest.Slept(one) {
			t.Fatalf("%s: no point was left out", name)
		}
		want := bigmkltest.Encoded(t, m)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		for _, size := range []int{2, 3} {
			m, r, err := trainOnRanks(t, t.Context(), rows, o, size)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bigmkltest.Encoded(t, m), want) {
				t.Errorf("%s: %d ranks come to another model", name, size)
			}
			t.Logf("%s, %d ranks: %d rows were computed, and %d by one process", name, size, r.Gradient.Cache.Misses, one.Gradient.Cache.Misses)
			if name == "mixed" && r.Gradient.Cache.Misses != one.Gradient.Cache.Misses {
				t.Errorf("%d ranks: %d rows were computed, and %d by one process", size, r.Gradient.Cache.Misses, one.Gradient.Cache.Misses)
			}
		}
	}
}

// TestHeapOfRanks: every rank leaves its heap what rank 0 leaves its own, in each precision, also while it serves.
func TestHeapOfRanks(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 287003), 600, 6)
	o := bigmkl.Options{Kernels: mixedBank, Gap: 1e-6, Memory: 1 << 30, Disk: 1 << 30}
	var mutex sync.Mutex
	limits := map[*shards.Team][]int64{} // those that differ from the one before
	err := withRanks(t, t.Context(), o, 3, func(ctx context.Context, o bigmkl.Options) error {
		o.Threads = 1
		o.Heap = func(bytes int64) {
			mutex.Lock()
			defer mutex.Unlock()
			if list := limits[o.Team]; list == nil || list[len(list)-1] != bytes {
				limits[o.Team] = append(list, bytes)
			}
		}
		m, _, err := bigmkl.Train(ctx, datasettest.Stream(rows), o)
		if o.Team.Leads() && err == nil {
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var lists [3][]int64
	for team, list := range limits {
		lists[team.Rank()] = list
	}
	t.Log(lists)
	for rank, list := range lists[1:] {
		// Rank 0 alone goes on to make a model.
		if n := len(lists[0]) - 1; n < 3 || !slices.Equal(list, lists[0][:n]) {
			t.Errorf("rank %d limits its heap to %d one after the other, rank 0 to %d", 1+rank, list, lists[0])
		}
	}
}

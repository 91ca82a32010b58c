package targets

import (
	"context"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/cache"
)

// tierProblem is a problem whose kernel rows are expensive and do not fit in memory: dense points,
// one Gaussian kernel, and a memory budget of a tenth of all rows, which has to hold everything
// else as well.
type tierProblem struct {
	// A point has no zeros.
	points, features int
	// memory is 0 for a tenth of all rows.
	memory int64
}

var (
	fullTier = tierProblem{points: 20000, features: 3000}
	// The quick problem has a fixed budget, because a tenth of its rows is less than a run needs.
	quickTier = tierProblem{points: 3000, features: 300, memory: 44 << 20}
)

// runs returns one training for each of the given cache modes.
// The trainings differ in the mode alone, so their models are the same.
func (t tierProblem) runs(modes ...cache.Mode) []harness.Training {
	memory := t.memory
	if memory == 0 {
		memory = t.wanted() / 10
	}
	var list []harness.Training
	for _, m := range modes {
		list = append(list, harness.Training{
			Data: harness.DataSet{Name: "dense clouds",
				Synthetic: &harness.Synthetic{Kind: "dense", Points: t.points, Features: t.features, Seed: 8}},
			Norm: "2",
			Options: bigmkl.Options{Kernels: "gauss:auto/1", C: 1, Gap: 1e-3, Normalize: "none",
				Memory: memory, Cache: m},
		})
	}
	return list
}

// wanted returns the bytes of all base rows. A base row has a float32 for each point, and one Gaussian
// kernel has one base.
func (t tierProblem) wanted() int64 { return 4 * int64(t.points) * int64(t.points) }

// tierRow is a training with the counts of its row cache.
type tierRow struct {
	// Faster and Cheaper compare with the first training, which has no cache.
	Mode     string  `json:"cache" table:"cache"`
	Faster   float64 `json:"faster" table:"times faster than never|%.2f|blank"`
	Cheaper  float64 `json:"cheaper" table:"times less CPU|%.2f|blank"`
	RAMHits  int64   `json:"memory_hits" table:"hits in memory"`
	FromDisk int64   `json:"disk_hits" table:"on disk"`
	// Computed counts base rows. Spills are rows that were written to disk.
	Computed int64 `json:"computed" table:"rows computed"`
	Written  int64 `json:"spills" table:"spills"`
	Bytes    int64 `json:"spilled_bytes" table:"MiB of them|MiB"`
	harness.Outcome
}

// compareWith compares the row with a training that had no cache.
// Wall clock and processor time differ, because a thread that waits for the disk uses no processor.
func (r *tierRow) compareWith(never harness.Outcome) {
	r.Faster, r.Cheaper = harness.Ratio(never.Seconds, r.Seconds), harness.Ratio(never.CPU, r.CPU)
}

// newTierRow makes the row of a training. The argument bases is the number of base rows for each
// point. A row of a training needs one row of each base. Rows that were found in the cache were not
// computed.
// Hits count both tiers, so hits in memory are the difference.
func newTierRow(mode string, bases int64, o harness.Outcome) tierRow {
	return tierRow{Mode: mode, RAMHits: o.Hits - o.DiskHits, FromDisk: o.DiskHits,
		Computed: bases*o.Rows - o.Hits, Written: o.Spills, Bytes: o.Spilled, Outcome: o}
}

// CacheTier measures what the disk tier of the row cache is worth.
func CacheTier() harness.Experiment {
	var points, features int
	var memory int64
	return harness.Experiment{
		Name: "cachetier", Short: "what the disk tier of the row cache is worth",
		Long: "Trains one Gaussian on generated dense points with many features, in a tenth of the\n" +
			"memory that all base rows would need: without a row cache, with a cache that decides by\n" +
			"cost, and with a cache that keeps every row.",
		Flags: func(f *pflag.FlagSet) {
			f.IntVar(&points, "points", 0, "number of points (default 20000)")
			f.IntVar(&features, "features", 0, "number of features (default 3000)")
			f.Int64Var(&memory, "memory", 0, "memory budget in MiB (default: a tenth of all rows)")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			// Flags replace the shape. Other values than the defaults show where the disk stops to pay.
			shape := fullTier
			if s.Quick {
				shape = quickTier
			}
			if points > 0 || features > 0 {
				shape = tierProblem{max(points, 100), max(features, 1), 0}
			}
			if memory > 0 {
				shape.memory = memory << 20
			}
			t := r.Table("%d points, %d features: %d MiB of base rows, %.0f MiB of memory",
				shape.points, shape.features, shape.wanted()>>20,
				float64(shape.runs(cache.Never)[0].Options.Memory)/(1<<20))
			// The training without a cache must be the first one.
			var never harness.Outcome
			for _, u := range shape.runs(cache.Never, cache.Auto, cache.Always) {
				o, err := s.Train(ctx, u)
				if err != nil {
					return err
				}
				row := newTierRow(u.Options.Cache.String(), 1, o)
				if u.Options.Cache == cache.Never {
					never = o
				} else {
					row.compareWith(never)
				}
				t.Add(row)
			}
			return nil
		},
	}
}

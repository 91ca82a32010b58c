package main

import (
	"context"
	"math/rand/v2"

	"bigmkl/internal/simd"
)

// limitRow is a limit of the machine.
type limitRow struct {
	What string  `json:"what" table:"limit"`
	One  float64 `json:"one_thread" table:"one thread|%.1f"`
	Wall float64 `json:"one_thread_wall" table:"by wall clock|%.1f|blank"` // where CPU time is the better measure
	All  float64 `json:"all_threads" table:"all threads, wall clock|%.1f|blank"`
	Unit string  `json:"unit" table:"unit"`
	How  string  `json:"how" table:"how"`
}

// routineRow is a routine beside its bound.
type routineRow struct {
	Routine string  `json:"routine" table:"routine"`
	Type    string  `json:"type" table:"type"`
	Shape   string  `json:"shape" table:"shape"`
	Rate    float64 `json:"rate" table:"per second of CPU time|%.2f"`
	Wall    float64 `json:"wall_rate" table:"of wall clock|%.2f"`
	Unit    string  `json:"unit" table:"unit"`
	Bound   float64 `json:"bound" table:"bound|%.2f"`
	By      string  `json:"bound_by" table:"given by"`
	Share   float64 `json:"share_percent" table:"share of the bound|%.1f %%"`
	Floor   float64 `json:"floor_percent,omitempty" table:"floor|%.0f %%|blank"`
	Verdict string  `json:"verdict,omitempty" table:"verdict"`
}

// limits measures the machine and the routines of package simd.
func limits() experiment {
	return experiment{
		name: "limits", short: "the machine, and each routine as a share of its own bound",
		long: "Measures the peak of multiply-adds, streams to and from memory, the disk, and every routine of the inner loops beside the\n" +
			"limit that binds it: the peak is measured before and after each sample of a routine, and the share is the median of\n" +
			"the ratios of their CPU times.",
		run: func(ctx context.Context, s *session, r *report, _ []string) error {
			machine := r.table("The machine")
			if err := s.machineLimits(ctx, machine); err != nil {
				return err
			}
			routines := r.table("Routines at level %s", simd.Level())
			routines.note("Bounds given by operations are vector instructions that the function cannot do without, at the rate of the " +
				"multiply-adds of the peak; a processor that adds beside its multiply-add units can exceed them.")
			routines.note("Products and differences stream %d working rows over %d MiB of packed panels; the others stay in the first or second-level cache.",
				workingRows, panelBytes()>>20)
			for _, list := range [][]routine{routinesOf[float32]("float32"), routinesOf[float64]("float64")} {
				for _, c := range list {
					if ctx.Err() != nil {
						return ctx.Err()
					}
					s.progress.now("%s %s %s", c.name, c.kind, c.shape)
					routines.add(c.measure(s.sampler()))
				}
			}
			return nil
		},
	}
}

// peakWork runs multiply-adds for some ten microseconds.
func peakWork[T simd.Real]() work {
	return func() float64 { return float64(simd.MultiplyAdds[T](500)) }
}

// drawn returns n numbers between lo and hi.
func drawn[T simd.Real](n int, lo, hi float64) []T {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	list := make([]T, n)
	for i := range list {
		list[i] = T(lo + (hi-lo)*rng.Float64())
	}
	return list
}

package main

import (
	"context"

	"bigmkl/internal/simd"
)

// limits measures the machine and the routines of package simd.
func limitsExperiment() experiment {
	return experiment{
		name: "limits", short: "the machine, and each routine as a share of its own bound",
		long: "Measures the peak of multiply-adds, streams to and from memory, the disk, and every routine of the inner loops beside the\n" +
			"limit that binds it: the peak is measured before and after each sample of a routine, and the share is the median of\n" +
			"the ratios of their CPU times.",
		run: func(ctx context.Context, s *session, r *experimentReport, _ []string) error {
			machine := r.table("The machine")
			if err := s.measureHost(ctx, machine); err != nil {
				return err
			}
			routines := r.table("Routines at level %s", simd.Level())
			routines.note("Bounds given by operations are vector instructions that the function cannot do without, at the rate of the " +
				"multiply-adds of the peak; a processor that adds beside its multiply-add units can exceed them.")
			routines.note("Products and differences stream %d working rows over %d MiB of packed panels; the others stay in the first or second-level cache.",
				workingRows, panelBytes()>>20)
			for _, list := range [][]routineCase{routinesOf[float32]("float32"), routinesOf[float64]("float64")} {
				for _, c := range list {
					if ctx.Err() != nil {
						return ctx.Err()
					}
					s.progress.showNow("%s %s %s", c.name, c.kind, c.shape)
					routines.add(c.measure(s.newSampler()))
				}
			}
			return nil
		},
	}
}

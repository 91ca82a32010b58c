// Package limits measures the limits of the computer and the share of its own limit that each routine reaches.
package limits

import (
	"context"

	"bigmkl/bench/internal/harness"
	"bigmkl/internal/simd"
)

// Experiment measures the host, and the routines of package simd relative to its limits. A share below
// its floor is a regression of the assembly, on whatever computer it is measured.
func Experiment() harness.Experiment {
	return harness.Experiment{
		Name: "limits", Short: "the host, and each routine as a share of its own bound",
		Long: "Measures the peak of multiply-adds, memory, the disk, and every routine of the inner loops\n" +
			"beside the limit that bounds it. The peak is measured before and after each sample of a\n" +
			"routine, and the share is the median of the ratios of their CPU times.",
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			// The limits are measured first. Each routine is measured against them again within its own
			// samples.
			machine := r.Table("The host")
			if err := measureHost(ctx, s, machine); err != nil {
				return err
			}
			routines := r.Table("Routines at level %s", simd.Level())
			routines.Note("Bounds by operations count the vector instructions that a function needs, at the rate of " +
				"the multiply-adds of the peak. A processor that adds outside its multiply-add units can exceed them.")
			routines.Note("Products and differences stream %d working rows over %d MiB of packed panels. "+
				"The others stay in the first or second-level cache.",
				workingRows, panelBytes()>>20)
			// Both precisions have assembly of their own.
			for _, list := range [][]routineCase{routinesOf[float32]("float32"),
				routinesOf[float64]("float64")} {
				for _, c := range list {
					// An interrupt keeps the rows that are in the table.
					if ctx.Err() != nil {
						return ctx.Err()
					}
					s.Progress.ShowNow("%s %s %s", c.name, c.kind, c.shape)
					routines.Add(c.measure(s.NewSampler()))
				}
			}
			return nil
		},
	}
}

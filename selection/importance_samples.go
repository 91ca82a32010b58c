package selection

import (
	"context"

	"gonum.org/v1/gonum/stat"
)

// Shares of ||w|| depend on the rows. Samples of half of them, drawn without replacement, have the spread of the
// bootstrap, whose variance is that of the same number of rows: sigma^2/n = (1 - 1/2) sigma^2/(n/2). At p = 1 the share
// of samples in which a source has weight is its probability of selection (Meinshausen and Buehlmann 2010).

// activeShare is the share of ||w|| above which a source has weight. The certificate of a training lets a weight that is 0 at
// the optimum be as large as about the gap.
const activeShare = 1e-3

// sampleRows is the largest number of rows of which samples are halves.
const sampleRows = 2000

// openSampled opens the rows that samples are drawn from.
func (r *importer) openSampled(ctx context.Context) error {
	rng := stream(r.all.Training.Seed, drawSampleRows)
	s, err := r.openSubset(ctx, r.draw(rest(nil, r.data.Store().Len()), sampleRows, rng), r.all.Training.Gap)
	if err != nil {
		return err
	}
	r.sampled = s
	return nil
}

// measureSample adds the next reading to the step of samples.
func (r *importer) measureSample(ctx context.Context, s *step, plan []reading) error {
	if r.sampled == nil {
		if err := r.openSampled(ctx); err != nil {
			return err
		}
	}
	if s.Choice == nil {
		var err error
		if s.Choice, err = r.choose(ctx, r.sampled, stream(r.all.Training.Seed, drawChoice, r.numberOf(s))); err != nil {
			return err
		}
	}
	next := plan[len(s.Readings)]
	p := s.point()
	if next.What == sparse {
		p.Norm = sparseSum
	}
	rng := stream(r.all.Training.Seed, drawSample, len(s.Readings)/2)
	half := r.deal(r.sampled.rows, 1, 0.5, rng)[0]
	held, err := r.sampled.h.Train(ctx, r.sampled.without(half), p, nil)
	if err != nil {
		return err
	}
	r.enter(&next, held)
	s.Readings = append(s.Readings, next)
	return r.keep(s, plan)
}

// spreadOf describes numbers of samples.
func spreadOf(values []float64) (s Spread) {
	if len(values) > 0 {
		s.Mean, s.Deviation = stat.PopMeanStdDev(values, nil)
	}
	return s
}

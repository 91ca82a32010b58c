package train

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/fail"
	"bigmkl/internal/gating"
	"bigmkl/internal/model"
)

// seenGates are gates as a function of the points, with parameters that a course may move. The table of the
// gates has the values of learned, with gates below the floor closed in the last solution.
type seenGates struct {
	learned  *gating.Learned // nil if the gates stay
	features *gating.Features
	of       []int32 // gate of each kernel
	copies   []int32 // see kernelspec.Bank
	// from has the parameters of the first start, those of another solution. If it is nil, the start
	// is gating.Start's.
	from []float64
	seed uint64 // of starts
	// seen are the points as gates see them: the rows of the store, or their kernel values with landmarks.
	seen gating.Rows
	// rows are those that the gates are learned on, the points of one of several classifiers, and
	// nil for all.
	rows []int32
}

var _ parameters = (*seenGates)(nil)

// classifierPoints are some of the points, in the order of their list.
type classifierPoints struct {
	gating.Rows
	rows []int32
}

// Len returns the number of points.
func (p classifierPoints) Len() int { return len(p.rows) }

// Row writes the features of a point to x.
func (p classifierPoints) Row(i int, x []float32) { p.Rows.Row(int(p.rows[i]), x) }

// points returns the rows that the gates are learned on.
func (g *seenGates) points() gating.Rows {
	if g.rows == nil {
		return g.seen
	}
	return classifierPoints{g.seen, g.rows}
}

// row returns the number of a point among all rows.
func (g *seenGates) row(point int) int {
	if g.rows == nil {
		return point
	}
	return int(g.rows[point])
}

// start returns the parameters of the start with the given number.
func (g *seenGates) start(ctx context.Context, number int) ([]float64, error) {
	if number == 0 && g.from != nil {
		return g.from, nil
	}
	l, err := gating.Start(ctx, g.points(), g.features, g.learned.Form, g.copies, number, g.seed)
	if err != nil {
		return nil, err
	}
	return l.Parameters, nil
}

// holds reports whether the start with the given number holds the spreads of Gaussian gates at first. That from
// a model has been learned already.
func (g *seenGates) holds(number int) bool {
	return g.learned.Form == gating.Gauss && (number > 0 || g.from == nil)
}

// spreads reports which parameters are the spreads of Gaussian gates.
func (g *seenGates) spreads() []bool { return g.learned.Spreads() }

// bounds returns the bounds of the parameters, nil without any.
func (g *seenGates) bounds() (lower, upper []float64) { return g.learned.Bounds() }

// startFromModel makes the gates of a model the first start, in the units of these rows. A model
// without gates that are learned leaves the start as it is. Gates of another form, number or
// features are an error of class fail.Usage.
func (g *gates) startFromModel(m *model.Model) error {
	of := m.Family.Gates()
	if of == nil || !of.Learned() {
		return nil
	}
	d := g.features.Len()
	if of.Kind != g.model.Kind || of.Number != g.model.Number || of.On != g.model.On ||
		len(of.Mean) != d || !slices.Equal(of.Loadings, g.model.Loadings) ||
		!of.Landmarks.Equal(g.model.Landmarks) {
		return fail.New(fail.Usage, "the model to start from has other gates: %d of %s",
			of.Number, of.Kind).WithHint("start from a model without gates, or of the same ones")
	}
	g.from = slices.Clone(of.Parameters)
	for m := range g.model.Number {
		own := g.from[m*(d+1) : (m+1)*(d+1)]
		for j := range d {
			mean, deviation := g.features.Mean[j], g.features.Deviation[j]
			if g.learned.Form == gating.Gauss {
				own[j] = (own[j]*of.Deviation[j] + of.Mean[j] - mean) / deviation
				continue
			}
			own[d] += own[j] * (mean - of.Mean[j]) / of.Deviation[j]
			own[j] *= deviation / of.Deviation[j]
		}
	}
	return nil
}

// move gives the gates other parameters and computes them for every point. If closing is set,
// gates below the floor are closed. Its only error is the error of the context.
func (g *gates) move(ctx context.Context, threads int, parameters []float64, closing bool) error {
	copy(g.learned.Parameters, parameters)
	threads = max(1, threads)
	group, ctx := errgroup.WithContext(ctx)
	points := g.points()
	n := points.Len()
	for k := range threads {
		group.Go(func() error {
			x, z := make([]float32, g.seen.Dim()), make([]float64, g.features.Len())
			for i := n * k / threads; i < n*(k+1)/threads; i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				points.Row(i, x)
				g.features.Standardise(x, z)
				eta := g.table.Row(g.row(i))
				g.learned.Values(z, eta)
				if closing {
					g.learned.Closed(eta)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

package train

import (
	"context"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/budget"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/fail"
)

// Several processes may train together, each a rank of a team (package shards). All read the data,
// make and normalise the kernels, and find the weights of a rule, each for itself and with the same
// bits. Then they join: rank 0 trains as one process does, but that every rank holds its shard of
// the gradients, and the others serve until rank 0 has ended.

// shareOf returns the part of packed points that this rank of a team compares with their checksums.
func shareOf(team *shards.Team) dataset.Share {
	if team.Alone() {
		return dataset.Share{}
	}
	return dataset.Share{Part: team.Rank(), Parts: team.Size()}
}

// servedRun is a run on a rank that serves.
type servedRun struct{ *run }

var _ shards.Run = (*servedRun)(nil)

// PrepareProblem implements shards.Run.
func (r *servedRun) PrepareProblem(ctx context.Context, point int) error {
	if point < 0 || point >= len(r.points) {
		return fail.New(fail.Corrupt, "rank 0 asks for problem %d of a path of %d", point, len(r.points))
	}
	here := newRun(r.withPoint(r.points[point]), ctx, r.began)
	if err := here.normalizePlanned(ctx); err != nil {
		return err
	}
	r.run = here
	return nil
}

// SetPrecision implements shards.Run: the heap has the share that it has on rank 0.
func (r *servedRun) SetPrecision(double bool) {
	stage := budget.Single
	if double {
		stage = budget.Double
	}
	r.limitTo(stage)
}

// NewGradients implements shards.Run.
func (r *servedRun) NewGradients(ctx context.Context, rows []int32) (*gradient.Gradient, func() error, error) {
	r.SetPrecision(false)
	if rows == nil {
		g, err := r.newGradients(r.Store, nil)
		return g, nil, err
	}
	points, err := r.Store.Select(ctx, r.Options.Budget.Scratch, rows)
	if err != nil {
		return nil, nil, err
	}
	g, err := r.newGradients(points, rows)
	if err != nil {
		points.Close()
	}
	return g, points.Close, err
}

// MoveGates implements shards.Run.
func (r *servedRun) MoveGates(ctx context.Context, rows []int32, parameters []float64, closing bool) error {
	return r.gates.ofClassifier(rows).move(ctx, r.Options.Budget.Threads, parameters, closing)
}

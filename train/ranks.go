package train

import (
	"context"
	"fmt"
	"strings"

	"bigmkl/budget"
	"bigmkl/cluster/shards"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
)

// Several processes may train together, each a rank of a team (package shards). All read the data,
// make and normalise the kernels, and find the weights of a rule, each for itself and with the same
// bits. Then they join: rank 0 trains as one process does, but that every rank holds its shard of
// the gradients, and the others serve until rank 0 has ended.

// join compares the ranks of a team once the kernels are known. Ranks other than 0 serve then, and
// get shards.ErrServed in the end. One process alone goes on at once.
func (r *run) join(ctx context.Context) error {
	team := r.Options.Team
	if team.Alone() {
		return nil
	}
	identity, err := r.describeIdentity()
	if err := team.Join(identity, err); err != nil || team.Leads() {
		return err
	}
	return shards.Serve(ctx, team, r.Kernels.Len(), &servedRun{r}, func() error { return changed(r.Store, r.Kernels) })
}

// share is the part of packed points that this rank compares with their checksums.
func (o *Options) share() dataset.Share {
	if o.Team.Alone() {
		return dataset.Share{}
	}
	return dataset.Share{Part: o.Team.Rank(), Parts: o.Team.Size()}
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
	r.LimitHeap(r.plan.Heap(stage))
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
	return r.gates.ofMachine(rows).move(ctx, r.Options.Budget.Threads, parameters, closing)
}

// describeIdentity lists what the bits of the run depend on, a line for each fact.
func (r *run) describeIdentity() (string, error) {
	facts, err := r.identity().facts()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, f := range facts {
		b.WriteString(f.Name + " " + f.Value + "\n")
	}
	for _, p := range r.points {
		fmt.Fprintf(&b, "problem of the path %v %v", p.Norm, p.C)
		if p.CostPower != nil {
			fmt.Fprintf(&b, " %v", *p.CostPower)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// newGradients returns the gradients of some points at alpha = 0 that this rank holds, which are
// the given rows of the store; nil stands for all rows.
func (r *run) newGradients(points kernels.Points, rows []int32) (*gradient.Gradient, error) {
	bank, o := r.gates.over(r.Kernels.Bank), r.plan.Gradient(r.BudgetRun())
	o.Skeletons = r.Kernels.Skeletons
	o.Columns, o.Repeated = r.columns(&r.Options.Problem, len(r.Store.Classes())), r.KeepsAlpha && !r.Stream
	if rows != nil {
		bank = bank.Of(rows)
		for i, s := range o.Skeletons {
			o.Skeletons[i] = s.Of(rows)
		}
	}
	if !r.Options.Team.Alone() {
		o.Ranks = r.Options.Team
	}
	return gradient.New(points, bank, o)
}

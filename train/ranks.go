package train

import (
	"context"
	"strings"

	"bigmkl/cluster/shards"
	"bigmkl/gradient"
	"bigmkl/kernels"
	"bigmkl/model"
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
	fresh := func(rows []int32) (*gradient.Gradient, func() error, error) {
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
	return shards.Serve(ctx, team, r.Kernels.Len(), fresh)
}

// describeIdentity lists what the bits of the run depend on, a line for each fact.
func (r *run) describeIdentity() (string, error) {
	facts, err := r.identity()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, f := range facts {
		b.WriteString(f.Name + " " + f.Value + "\n")
	}
	return b.String(), nil
}

// newGradients returns the gradients of some points at alpha = 0 that this rank holds, which are
// the given rows of the store; nil stands for all rows.
func (r *run) newGradients(points kernels.Points, rows []int32) (*gradient.Gradient, error) {
	bank, o := r.gatedBank(), r.plan.Gradient(r.BudgetRun())
	o.Skeletons = r.Kernels.Skeletons
	switch p := &r.Options.Problem; {
	case p.inColumns():
		o.Columns = len(r.Store.Classes())
	case model.HasComponents(p.Task):
		o.Columns = r.several.Machines
	}
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

package train

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// checkpoints are those of a run: what the run is, in words, the state of the solver, and the gradients as they are.
// To compute them afresh would change their last bits.
type checkpoints struct {
	folder *checkpoint.Folder
	facts  []fact    // the identity of the run, once it is known
	last   time.Time // of the latest checkpoint

	sought bool              // the checkpoint to go on from has been looked for
	found  *checkpoint.Saved // that one, until the solver goes on from it; nil if there is none
}

// A checkpoint is written between iterations, or in the midst of one that is cut, always whole or not at
// all: the folder keeps the last two, and a run that is killed while it writes the third goes on from
// the second. The first section names everything that the bits of the run depend on (identity.go), and
// a run refuses the checkpoint of another one. Budgets, threads and limits are not part of it: they
// may change from one part of a run to the next without changing a bit of the model.

// openCheckpoints locks the folder of checkpoints, if there is to be one. Those of a run that has come to its end are of no
// further use unless the run is to be resumed; those of one that has not are not thrown away.
func openCheckpoints(o *Options) (*checkpoints, error) {
	if o.Budget.Checkpoint == "" {
		return nil, nil
	}
	folder, err := checkpoint.Open(o.Budget.Checkpoint)
	if err != nil {
		return nil, err
	}
	if o.Checkpoint.Resume {
		return &checkpoints{folder: folder}, nil
	}
	last, damaged, err := folder.Last()
	unfinished := damaged != nil
	if err == nil && last != nil {
		var s saved
		unfinished = readJSON(last, sectionState, &s) != nil || !s.isFinished()
		last.Close()
	}
	if unfinished {
		err = fail.New(fail.Usage, "the folder holds checkpoints of a run that has not come to its end").At(o.Budget.Checkpoint, 0, 0).
			WithHint("--resume goes on with it; for another run name another folder, or empty this one")
	}
	if err == nil {
		err = folder.Clear()
	}
	if err != nil {
		folder.Close()
		return nil, err
	}
	return &checkpoints{folder: folder}, nil
}

// keep writes a checkpoint if it is time, or must be. f are the machines that are finished, of
// several. A checkpoint that cannot be written is a warning: the one before is still there, and the
// run is worth more than its insurance.
func (c *checkpoints) saveIfDue(r *run, g *gradients, d *chunking.Driver, f *finished, must bool) {
	if c == nil || f != nil && f.endedByLimit() || !must && time.Since(c.last) < r.Options.Checkpoint.Every {
		return
	}
	err := c.write(context.WithoutCancel(r.hard), g, d.State(), f)
	c.last, r.kept = time.Now(), err == nil
	if err != nil {
		r.warn("the checkpoint after iteration %d could not be written: %v", d.State().Iterations, err)
	}
}

// write writes the state of the solver, that of the gradients, and the machines that are finished.
func (c *checkpoints) write(ctx context.Context, g *gradients, s *chunking.State, f *finished) error {
	facts, err := json.Marshal(c.facts)
	if err != nil {
		return err
	}
	w := saved{State: s, Finished: f}
	sections := []checkpoint.Section{
		{Name: sectionRun, Data: facts},
		{Name: sectionAlpha, Data: mmap.Bytes(s.Alpha)}, {Name: sectionCombined, Data: mmap.Bytes(s.Combined)},
		{Name: sectionTheta, Data: mmap.Bytes(s.Theta)}, {Name: sectionEnergies, Data: mmap.Bytes(s.V)},
		{Name: sectionSet, Data: mmap.Bytes(toInt32s(s.Set))},
	}
	if f != nil {
		sections = append(sections, f.sections()...)
	}
	if s.Ended == "" { // the gradients of a run that is over are not needed any more
		state, err := g.State(ctx)
		if err != nil {
			return err
		}
		sections = append(sections, w.gradientSections(s, state, g.Values())...)
	}
	state, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return c.folder.Write(append(sections, checkpoint.Section{Name: sectionState, Data: state}))
}

// describe puts the run in words, once.
func (c *checkpoints) describeRun(w *Workspace) error {
	var err error
	if c != nil && c.facts == nil {
		c.facts, err = w.identity()
	}
	return err
}

// release lets go of a checkpoint that no solver went on from.
func (c *checkpoints) releaseFound() {
	if c.found != nil {
		c.found.Close()
		c.found = nil
	}
}

// close lets go of the folder. It may be called for nil.
func (c *checkpoints) close() {
	if c != nil {
		c.releaseFound()
		c.folder.Close()
	}
}

// find gives the checkpoint that the run goes on from, nil if there is none. It looks once, before the run writes any of its
// own: those are states of the problem in hand when they were written, and of several machines that is another one by and by.
func (c *checkpoints) findLast(r *run) (*checkpoint.Saved, error) {
	if c == nil || !r.Options.Checkpoint.Resume {
		return nil, nil
	}
	if c.sought {
		return c.found, nil
	}
	if err := c.describeRun(r.Workspace); err != nil {
		return nil, err
	}
	c.sought = true
	last, damaged, err := c.folder.Last()
	if err != nil || last == nil {
		return nil, err
	}
	if damaged != nil {
		r.warn("%v: the checkpoint before it is used", damaged)
	}
	var facts []fact
	err = readJSON(last, sectionRun, &facts)
	if err == nil {
		if e := c.refuseOther(facts); e != nil {
			err = e.At(r.Options.Budget.Checkpoint, 0, 0)
		}
	}
	if err != nil {
		last.Close()
		return nil, err
	}
	c.found = last
	return last, nil
}

// resume brings solver and gradients to the last checkpoint, and reports false if there is none. f are
// the machines that are finished, of several.
func (c *checkpoints) resume(ctx context.Context, r *run, g *gradients, d *chunking.Driver, f *finished) (bool, error) {
	if err := c.describeRun(r.Workspace); err != nil {
		return false, err
	}
	last, err := c.findLast(r)
	if err != nil || last == nil {
		return false, err
	}
	defer c.releaseFound() // the next problem of the run begins at its own start
	s, err := r.restore(ctx, g, last, f)
	if err == nil {
		err = d.Resume(s)
	}
	r.result.Resumed = d.State().Iterations
	return err == nil, err
}

// restore reads the state of the solver and brings back the gradients.
func (r *run) restore(ctx context.Context, to *gradients, from *checkpoint.Saved, f *finished) (*chunking.State, error) {
	var w saved
	if err := readJSON(from, sectionState, &w); err != nil {
		return nil, err
	}
	if w.State == nil {
		return nil, fail.New(fail.Corrupt, "the checkpoint has no state")
	}
	if there, here := w.Finished.count(), f.count(); there != here {
		return nil, fail.New(fail.Corrupt, "the checkpoint is of machine %d, the run is at machine %d", there+1, here+1)
	}
	n := numbers{from: from}
	s := w.State
	s.Alpha, s.Combined = n.floats(sectionAlpha), n.floats(sectionCombined)
	s.Theta, s.V = n.floats(sectionTheta), n.floats(sectionEnergies)
	s.Set = toInts(n.integers(sectionSet))
	if s.Ended != "" {
		return s, n.err
	}
	g := gradient.State{Double: s.Double, Sum: n.floats(sectionSum), Hollow: w.Hollow}
	if n.has(sectionActive) {
		active := n.integers(sectionActive)
		s.Active = toInts(active)
		if !g.Hollow {
			g.Active = active
		}
	}
	for i := range w.Sleepers {
		g.Sleepers = append(g.Sleepers, gradient.Sleeper{
			Index: n.integers(fmt.Sprint(sectionSleepers, i)), Alpha: n.floats(fmt.Sprint(sectionAsleep, i)),
		})
	}
	for i := 0; i < w.Steps && n.err == nil; i++ {
		s.Steps = append(s.Steps, n.floats(fmt.Sprint(sectionSteps, i)))
	}
	if n.has(sectionDelta) {
		s.Delta = n.floats(sectionDelta)
	}
	if n.has(sectionDone) {
		g.Pending = &gradient.Pending{Done: n.bytes(sectionDone), Sums: n.floats(sectionSums), Combined: n.floats(sectionParts)}
		if s.Delta == nil && n.err == nil {
			n.err = fail.New(fail.Corrupt, "the checkpoint has a pass that was cut, and nothing that it was to add")
		}
	}
	if n.err != nil {
		return nil, n.err
	}
	if !g.Hollow {
		if err := from.Into(sectionGradients, mmap.Bytes(to.Values())); err != nil {
			return nil, err
		}
	}
	if g.Double {
		r.LimitHeap(r.plan.Heap(budget.Double))
	}
	return s, to.Resume(ctx, &g)
}

// differs refuses the checkpoint of a run that is another one, naming what differs.
func (c *checkpoints) refuseOther(there []fact) *fail.Error {
	values := make(map[string]string)
	for _, f := range there {
		values[f.Name] = f.Value
	}
	var list []string
	for _, f := range c.facts {
		if v, ok := values[f.Name]; !ok || v != f.Value {
			list = append(list, fmt.Sprintf("%s is %s there and %s here", f.Name, fail.Quote(v), fail.Quote(f.Value)))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return fail.New(fail.Version, "the checkpoint is of another run: %s", strings.Join(list, ", ")).
		WithHint("a run is resumed with the data, the options and the program that it was begun with")
}

package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// A checkpoint holds the identity of the run, the state of the solver, and the gradients as they
// are. Gradients that are computed again would differ in their last bits, and so would the model.
//
// It is written between two iterations, or in the middle of one that is cut, and always whole or
// not at all. The folder keeps the last two: a run that is killed while it writes the third resumes
// from the second. The first section names everything that the bits of the run depend on
// (identity.go), and a run rejects the checkpoint of another one. Budgets, threads and limits are
// not among them: they may differ between the parts of a run without changing a bit of the model.
//
// The solver decides when its state can be saved, and calls saveIfDue then (chunking.Limits.Keep).

// checkpoints writes and reads the checkpoints of a run. nil means a run without checkpoints.
type checkpoints struct {
	folder *checkpoint.Folder // locked until close
	facts  []Fact             // identity of the run; nil before the kernels are known
	last   time.Time          // time of the latest checkpoint
	kept   bool               // of a projection, whether the latest attempt to write one succeeded

	// sought is set once the checkpoint to resume from has been looked for. found is that
	// checkpoint until a solver has resumed from it; it is nil if there is none.
	sought bool
	found  *checkpoint.Saved

	// learning is the descent of gates that every checkpoint holds the state of, or nil.
	learning *learning
}

const (
	// handover is how long the resumed run of several ranks waits for the folder: a launcher may end
	// before the last of the ranks that it has killed.
	handover = 15 * time.Second
	retry    = 50 * time.Millisecond
)

// openFolder opens the folder of checkpoints as soon as a rank that is being killed has left it.
func openFolder(ctx context.Context, o *Options) (*checkpoint.Folder, error) {
	late := time.After(handover)
	for {
		folder, err := checkpoint.Open(o.Budget.Checkpoint)
		if o.Team == nil || !o.Checkpoint.Resume || !errors.Is(err, checkpoint.ErrHeld) {
			return folder, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-late:
			return nil, err
		case <-time.After(retry):
		}
	}
}

// openCheckpoints locks the folder of checkpoints, and returns nil if the options name none. For a
// run that resumes nothing it empties the folder, but only if the run in it has finished: the state
// of an unfinished run may have taken days, and is rejected with an error instead of being deleted.
func openCheckpoints(ctx context.Context, o *Options) (*checkpoints, error) {
	if o.Budget.Checkpoint == "" {
		return nil, nil
	}
	folder, err := openFolder(ctx, o)
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
		err = fail.New(fail.Usage, "the folder holds checkpoints of a run that has not come to its end").
			At(o.Budget.Checkpoint, 0, 0).
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

// saveIfDue writes a checkpoint if the interval has passed or must is set. f holds the finished
// classifiers if the run has several, and is nil otherwise. A checkpoint that cannot be written is
// a warning and no error: the previous one still exists, and the run can do without.
//
// After a limit has ended one of several classifiers, nothing is saved: a resumed run has to train
// that classifier to its end, and would find it finished.
func (c *checkpoints) saveIfDue(r *run, g *gradients, d *chunking.Driver, f *finished, must bool) {
	if c == nil || f != nil && f.endedByLimit() {
		return
	}
	if !must && time.Since(c.last) < r.Options.Checkpoint.Every {
		return
	}
	// The state is most needed when the context has ended. Its end must therefore not stop the
	// writing.
	err := c.write(context.WithoutCancel(r.hard), g, d.State(), f)
	c.last, r.kept = time.Now(), err == nil
	if err != nil {
		r.warn("the checkpoint after iteration %d could not be written: %v",
			d.State().Iterations, err)
	}
}

// write writes the state of the solver, the state of the gradients, and the finished classifiers.
// The section of the state comes last because it has the number of sections of each kind.
func (c *checkpoints) write(ctx context.Context, g *gradients, s *chunking.State,
	f *finished) error {
	facts, err := json.Marshal(c.facts)
	if err != nil {
		return err
	}
	w := saved{State: s, Finished: f}
	sections := []checkpoint.Section{
		{Name: sectionRun, Data: facts},
		{Name: sectionAlpha, Data: mmap.Bytes(s.Alpha)},
		{Name: sectionCombined, Data: mmap.Bytes(s.Combined)},
		{Name: sectionTheta, Data: mmap.Bytes(s.Theta)},
		{Name: sectionEnergies, Data: mmap.Bytes(s.V)},
		{Name: sectionSet, Data: mmap.Bytes(toInt32s(s.Set))},
	}
	if s.Finest != nil {
		sections = append(sections, checkpoint.Section{Name: sectionFinest, Data: mmap.Bytes(s.Finest)})
	}
	if e := g.ColumnEnergies(); e != nil {
		sections = append(sections, checkpoint.Section{Name: sectionColumns, Data: mmap.Bytes(e)})
	}
	if f != nil {
		sections = append(sections, f.sections()...)
	}
	sections = append(sections, c.learning.sections(&w)...)
	// A run that is over needs no gradients any more, and its last checkpoint is small.
	if s.Ended == "" {
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

// describeRun computes the identity of the run, once. The kernels have to be known by then.
func (c *checkpoints) describeRun(w *Workspace) error {
	var err error
	if c != nil && c.facts == nil {
		c.facts, err = w.identity().facts()
	}
	return err
}

// releaseFound closes the checkpoint that was found for resuming.
func (c *checkpoints) releaseFound() {
	if c.found != nil {
		c.found.Close()
		c.found = nil
	}
}

// close unlocks the folder. It may be called for nil.
func (c *checkpoints) close() {
	if c != nil {
		c.releaseFound()
		c.folder.Close()
	}
}

// findLast returns the checkpoint that the run resumes from, or nil if there is none. It looks only
// once, before the run writes checkpoints of its own. A later look would find one of those, which
// may belong to another classifier than the one that asks.
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
	var facts []Fact
	err = readJSON(last, sectionRun, &facts)
	if err == nil {
		if e := c.rejectOther(facts); e != nil {
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

// resume brings the driver d and the gradients g to the last checkpoint. It returns false if there
// is none. f holds the finished classifiers if the run has several, and is nil otherwise.
func (c *checkpoints) resume(ctx context.Context, r *run, g *gradients, d *chunking.Driver,
	f *finished) (bool, error) {
	if err := c.describeRun(r.Workspace); err != nil {
		return false, err
	}
	last, err := c.findLast(r)
	if err != nil || last == nil {
		return false, err
	}
	defer c.releaseFound() // The next classifier of the run begins at its own start.
	s, err := restoreState(ctx, g, last, f, r.widen)
	if err == nil {
		err = d.Resume(s)
	}
	r.result.Resumed = d.State().Iterations
	if c.learning != nil { // The trials before have iterations, too.
		r.result.Resumed += c.learning.course.Iterations
	}
	return err == nil, err
}

// restoreState returns the state of the solver and brings the gradients back. Checksums have shown that
// the sections are as they were written; what is checked here is that they fit together. The
// gradients and the driver check lengths and ranges when they take them.
func restoreState(ctx context.Context, to *gradients, from *checkpoint.Saved, f *finished, widen func()) (
	*chunking.State, error) {
	var w saved
	if err := readJSON(from, sectionState, &w); err != nil {
		return nil, err
	}
	if w.State == nil {
		return nil, fail.New(fail.Corrupt, "the checkpoint has no state")
	}
	if there, here := w.Finished.count(), f.count(); there != here {
		return nil, fail.New(fail.Corrupt,
			"the checkpoint is of classifier %d, the run is at classifier %d", there+1, here+1)
	}
	n := numbers{from: from}
	s := w.State
	s.Alpha, s.Combined = n.floats(sectionAlpha), n.floats(sectionCombined)
	s.Theta, s.V = n.floats(sectionTheta), n.floats(sectionEnergies)
	s.Set = toInts(n.integers(sectionSet))
	if n.has(sectionFinest) {
		s.Finest = n.floats(sectionFinest)
	}
	// Even a run that is over makes its classifiers of these.
	if e := to.ColumnEnergies(); e != nil {
		if there := n.floats(sectionColumns); n.err == nil && len(there) != len(e) {
			return nil, fail.New(fail.Corrupt, "the checkpoint has other columns of dual variables")
		} else if n.err == nil {
			copy(e, there)
		}
	}
	if s.Ended != "" {
		return s, n.err
	}
	// Hollow gradients have no values: the run was cut while it computed them from alpha, and does
	// that again.
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
			Index: n.integers(fmt.Sprint(sectionSleepers, i)),
			Alpha: n.floats(fmt.Sprint(sectionAsleep, i)),
		})
	}
	for i := 0; i < w.Steps && n.err == nil; i++ {
		s.Steps = append(s.Steps, n.floats(fmt.Sprint(sectionSteps, i)))
	}
	if n.has(sectionDelta) {
		s.Delta = n.floats(sectionDelta)
	}
	// A pass that was cut has changed some units of points and not others.
	if n.has(sectionDone) {
		g.Pending = &gradient.Pending{
			Done: n.bytes(sectionDone), Sums: n.floats(sectionSums),
			Combined: n.floats(sectionParts),
		}
		if s.Delta == nil && n.err == nil {
			n.err = fail.New(fail.Corrupt,
				"the checkpoint has a pass that was cut, and nothing that it was to add")
		}
	}
	if n.err != nil {
		return nil, n.err
	}
	return s, to.restore(ctx, from, &g, widen)
}

// rejectOther returns an error that names what differs if the checkpoint is of another run than
// this one. there holds the facts in the checkpoint. It returns nil if it is of the same run.
func (c *checkpoints) rejectOther(there []Fact) *fail.Error {
	list := differences(there, c.facts)
	if len(list) == 0 {
		return nil
	}
	return fail.New(fail.Version, "the checkpoint is of another run: %s", strings.Join(list, ", ")).
		WithHint("a run is resumed with the data, the options and the program that it was begun with")
}

// differences describes each fact of here that another list lacks or has with another value, with
// its values in both.
func differences(there, here []Fact) []string {
	values := make(map[string]string)
	for _, f := range there {
		values[f.Name] = f.Value
	}
	var list []string
	for _, f := range here {
		if v, ok := values[f.Name]; !ok || v != f.Value {
			list = append(list, fmt.Sprintf("%s is %s there and %s here",
				f.Name, fail.Quote(v), fail.Quote(f.Value)))
		}
	}
	return list
}

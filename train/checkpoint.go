package train

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unsafe"

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
	run    []fact    // the identity of the run, once it is known
	last   time.Time // of the latest checkpoint

	sought bool              // the checkpoint to go on from has been looked for
	found  *checkpoint.Saved // that one, until the solver goes on from it; nil if there is none
	whole  bool              // the latest could be written
}

// Names of the sections of a checkpoint.
const (
	sectionRun       = "run"
	sectionState     = "state"
	sectionAlpha     = "alpha"
	sectionCombined  = "combined"
	sectionTheta     = "theta"
	sectionEnergies  = "energies"
	sectionSet       = "set"
	sectionActive    = "active"
	sectionSum       = "sum"
	sectionGradients = "gradients"
	sectionSleepers  = "sleepers" // their index
	sectionAsleep    = "asleep"   // their dual variables
	sectionSteps     = "steps"    // of quasi-Newton
	sectionDelta     = "delta"    // of the dual variables, in a pass that was cut
	sectionDone      = "pass_done"
	sectionSums      = "pass_sums"
	sectionParts     = "pass_combined"
)

// saved is what a checkpoint says in JSON.
type saved struct {
	*chunking.State
	Sleepers int       `json:"sleepers,omitempty"` // generations of them
	Steps    int       `json:"steps,omitempty"`    // of quasi-Newton
	Hollow   bool      `json:"hollow,omitempty"`   // there are no gradients: the next thing is to compute them from alpha
	Finished *finished `json:"rivals,omitempty"`   // nil for one machine; the name in the file is that of old checkpoints
}

// over tells whether the run has come to its end.
func (s *saved) over() bool {
	return s.State != nil && s.Ended != "" && (s.Finished == nil || len(s.Finished.Kinds)+1 == s.Finished.Machines)
}

// openCheckpoints locks the folder of checkpoints, if there is to be one. Those of a run that has come to its end are of no
// further use unless the run is to be resumed; those of one that has not are not thrown away.
func (w *Workspace) openCheckpoints() (*checkpoints, error) {
	o := &w.Options
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
		unfinished = readJSON(last, sectionState, &s) != nil || !s.over()
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
func (r *run) keep(g *gradients, d *chunking.Driver, f *finished, must bool) {
	c := r.checkpoints
	if c == nil || f != nil && f.limited() || !must && time.Since(c.last) < r.Options.Checkpoint.Every {
		return
	}
	err := c.write(context.WithoutCancel(r.hard), g, d.State(), f)
	c.last, c.whole = time.Now(), err == nil
	if err != nil {
		r.warn("the checkpoint after iteration %d could not be written: %v", d.State().Iterations, err)
	}
}

// write writes the state of the solver, that of the gradients, and the machines that are finished.
func (c *checkpoints) write(ctx context.Context, g *gradients, s *chunking.State, f *finished) error {
	run, err := json.Marshal(c.run)
	if err != nil {
		return err
	}
	w := saved{State: s, Finished: f}
	sections := []checkpoint.Section{
		{Name: sectionRun, Data: run},
		{Name: sectionAlpha, Data: mmap.Bytes(s.Alpha)}, {Name: sectionCombined, Data: mmap.Bytes(s.Combined)},
		{Name: sectionTheta, Data: mmap.Bytes(s.Theta)}, {Name: sectionEnergies, Data: mmap.Bytes(s.V)},
		{Name: sectionSet, Data: mmap.Bytes(narrow(s.Set))},
	}
	if f != nil {
		sections = append(sections, f.sections()...)
	}
	if s.Ended == "" { // the gradients of a run that is over are not needed any more
		state, err := g.State(ctx)
		if err != nil {
			return err
		}
		sections = append(sections, w.gradients(s, state, g.Values())...)
	}
	state, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return c.folder.Write(append(sections, checkpoint.Section{Name: sectionState, Data: state}))
}

// describe puts the run in words, once.
func (r *run) describe() error {
	var err error
	if r.checkpoints != nil && r.checkpoints.run == nil {
		r.checkpoints.run, err = r.identity()
	}
	return err
}

// release lets go of a checkpoint that no solver went on from.
func (c *checkpoints) release() {
	if c.found != nil {
		c.found.Close()
		c.found = nil
	}
}

// close lets go of the folder. It may be called for nil.
func (c *checkpoints) close() {
	if c != nil {
		c.release()
		c.folder.Close()
	}
}

// findCheckpoint gives the checkpoint that the run goes on from, nil if there is none. It looks once, before the run writes any of its
// own: those are states of the problem in hand when they were written, and of several machines that is another one by and by.
func (r *run) findCheckpoint() (*checkpoint.Saved, error) {
	c := r.checkpoints
	if c == nil || !r.Options.Checkpoint.Resume {
		return nil, nil
	}
	if c.sought {
		return c.found, nil
	}
	if err := r.describe(); err != nil {
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
	var run []fact
	err = readJSON(last, sectionRun, &run)
	if err == nil {
		if e := c.differs(run); e != nil {
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
func (r *run) resume(ctx context.Context, g *gradients, d *chunking.Driver, f *finished) (bool, error) {
	if err := r.describe(); err != nil {
		return false, err
	}
	last, err := r.findCheckpoint()
	if err != nil || last == nil {
		return false, err
	}
	defer r.checkpoints.release() // the next problem of the run begins at its own start
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
	s.Set = widen(n.integers(sectionSet))
	if s.Ended != "" {
		return s, n.err
	}
	g := gradient.State{Double: s.Double, Sum: n.floats(sectionSum), Hollow: w.Hollow}
	if n.has(sectionActive) {
		active := n.integers(sectionActive)
		s.Active = widen(active)
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

// numbers reads arrays and keeps the first error.
type numbers struct {
	from *checkpoint.Saved
	err  error
}

func (r *numbers) floats(name string) []float64 { return readNumbers[float64](r, name) }

func (r *numbers) integers(name string) []int32 { return readNumbers[int32](r, name) }

func (r *numbers) bytes(name string) []byte {
	if r.err != nil {
		return nil
	}
	b, err := r.from.Read(name)
	r.err = err
	return b
}

// has tells whether there is such a section.
func (r *numbers) has(name string) bool {
	_, ok := r.from.Length(name)
	return ok
}

func readNumbers[T int32 | float64](r *numbers, name string) []T {
	length, ok := r.from.Length(name)
	size := int64(unsafe.Sizeof(*new(T)))
	if r.err == nil && (!ok || length%size != 0) {
		r.err = fail.New(fail.Corrupt, "the checkpoint has no sound section %s", name)
	}
	if r.err != nil {
		return nil
	}
	list := make([]T, length/size)
	r.err = r.from.Into(name, mmap.Bytes(list))
	return list
}

func readJSON(from *checkpoint.Saved, name string, to any) error {
	text, err := from.Read(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fail.New(fail.Corrupt, "section %s of the checkpoint is damaged: %s", name, fail.Decoding(err))
	}
	return nil
}

func narrow(list []int) []int32 {
	r := make([]int32, len(list))
	for k, i := range list {
		r[k] = int32(i)
	}
	return r
}

func widen(list []int32) []int {
	r := make([]int, len(list))
	for k, i := range list {
		r[k] = int(i)
	}
	return r
}

// differs refuses the checkpoint of a run that is another one, naming what differs.
func (c *checkpoints) differs(there []fact) *fail.Error {
	values := make(map[string]string)
	for _, f := range there {
		values[f.Name] = f.Value
	}
	var list []string
	for _, f := range c.run {
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

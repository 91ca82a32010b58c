package bigmkl

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

// saving is the checkpoints of a training: what the run is, in words, the state of the solver, and the gradients as they are.
// To compute them afresh would change their last bits.
type saving struct {
	folder *checkpoint.Folder
	run    []trait
	last   time.Time // of the latest checkpoint

	sought bool              // the checkpoint to go on from has been looked for
	found  *checkpoint.Saved // that one, until the solver goes on from it; nil if there is none
	whole  bool              // the latest could be written
}

// defaultInterval is the time between two checkpoints.
const defaultInterval = 5 * time.Minute

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
	Sleepers int     `json:"sleepers,omitempty"` // generations of them
	Steps    int     `json:"steps,omitempty"`    // of quasi-Newton
	Hollow   bool    `json:"hollow,omitempty"`   // there are no gradients: the next thing is to compute them from alpha
	Rivals   *rivals `json:"rivals,omitempty"`   // nil for one machine
}

// over tells whether the run has come to its end.
func (s *saved) over() bool {
	return s.State != nil && s.Ended != "" && (s.Rivals == nil || len(s.Rivals.Kinds)+1 == s.Rivals.Machines)
}

// openCheckpoints locks the folder of checkpoints, if there is to be one. Those of a run that has come to its end are of no
// further use unless the run is to be resumed; those of one that has not are not thrown away.
func (o *Options) openCheckpoints() (*checkpoint.Folder, error) {
	if o.Checkpoint == "" {
		return nil, nil
	}
	folder, err := checkpoint.Open(o.Checkpoint)
	if err != nil || o.Resume {
		return folder, err
	}
	last, damaged, err := folder.Last()
	unfinished := damaged != nil
	if err == nil && last != nil {
		var s saved
		unfinished = readJSON(last, sectionState, &s) != nil || !s.over()
		last.Close()
	}
	if unfinished {
		err = fail.New(fail.Usage, "the folder holds checkpoints of a run that has not come to its end").At(o.Checkpoint, 0, 0).
			WithHint("--resume goes on with it; for another run name another folder, or empty this one")
	}
	if err == nil {
		err = folder.Clear()
	}
	if err != nil {
		folder.Close()
		return nil, err
	}
	return folder, nil
}

// keep writes a checkpoint if it is time, or must be. One that cannot be written is a warning: the one before is still there,
// and the run is worth more than its insurance.
func (t *training) keep(d *chunking.Driver, must bool) {
	if t.saving == nil || t.rivals != nil && t.rivals.limited() || !must && time.Since(t.saving.last) < t.o.CheckpointEvery {
		return
	}
	err := t.save(context.WithoutCancel(t.hard), d.State())
	t.saving.last, t.saving.whole = time.Now(), err == nil
	if err != nil {
		t.warn("the checkpoint after iteration %d could not be written: %v", d.State().Iterations, err)
	}
}

func (t *training) save(ctx context.Context, s *chunking.State) error {
	run, err := json.Marshal(t.saving.run)
	if err != nil {
		return err
	}
	w := saved{State: s, Rivals: t.rivals}
	sections := []checkpoint.Section{
		{Name: sectionRun, Data: run},
		{Name: sectionAlpha, Data: mmap.Bytes(s.Alpha)}, {Name: sectionCombined, Data: mmap.Bytes(s.Combined)},
		{Name: sectionTheta, Data: mmap.Bytes(s.Theta)}, {Name: sectionEnergies, Data: mmap.Bytes(s.V)},
		{Name: sectionSet, Data: mmap.Bytes(narrow(s.Set))},
	}
	if t.rivals != nil {
		sections = append(sections, t.rivals.sections()...)
	}
	if s.Ended == "" { // the gradients of a run that is over are not needed any more
		g, err := t.grad.State(ctx)
		if err != nil {
			return err
		}
		sections = append(sections, w.gradients(s, g, t.grad.Values())...)
	}
	state, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return t.saving.folder.Write(append(sections, checkpoint.Section{Name: sectionState, Data: state}))
}

// describe puts the run in words.
func (t *training) describe() error {
	var err error
	if t.saving != nil && t.saving.run == nil {
		t.saving.run, err = t.traits()
	}
	return err
}

// close lets go of a checkpoint that no solver went on from.
func (s *saving) close() {
	if s.found != nil {
		s.found.Close()
		s.found = nil
	}
}

// find gives the checkpoint that the run goes on from, nil if there is none. It looks once, before the run writes any of its
// own: those are states of the problem in hand when they were written, and of several machines that is another one by and by.
func (t *training) find() (*checkpoint.Saved, error) {
	if t.saving == nil || !t.o.Resume {
		return nil, nil
	}
	if t.saving.sought {
		return t.saving.found, nil
	}
	if err := t.describe(); err != nil {
		return nil, err
	}
	t.saving.sought = true
	last, damaged, err := t.saving.folder.Last()
	if err != nil || last == nil {
		return nil, err
	}
	if damaged != nil {
		t.warn("%v: the checkpoint before it is used", damaged)
	}
	var run []trait
	err = readJSON(last, sectionRun, &run)
	if err == nil {
		if e := t.saving.differs(run); e != nil {
			err = e.At(t.o.Checkpoint, 0, 0)
		}
	}
	if err != nil {
		last.Close()
		return nil, err
	}
	t.saving.found = last
	return last, nil
}

// resume brings solver and gradients to the last checkpoint, and reports false if there is none.
func (t *training) resume(ctx context.Context, d *chunking.Driver) (bool, error) {
	last, err := t.find()
	if err != nil || last == nil {
		return false, err
	}
	defer t.saving.close() // the next problem of the run begins at its own start
	s, err := t.restore(ctx, last)
	if err == nil {
		err = d.Resume(s)
	}
	t.result.Resumed = d.State().Iterations
	return err == nil, err
}

// restore reads the state of the solver and brings back the gradients.
func (t *training) restore(ctx context.Context, from *checkpoint.Saved) (*chunking.State, error) {
	var w saved
	if err := readJSON(from, sectionState, &w); err != nil {
		return nil, err
	}
	if w.State == nil {
		return nil, fail.New(fail.Corrupt, "the checkpoint has no state")
	}
	if there, here := w.Rivals.finished(), t.rivals.finished(); there != here {
		return nil, fail.New(fail.Corrupt, "the checkpoint is of machine %d, the run is at machine %d", there+1, here+1)
	}
	r := numbers{from: from}
	s := w.State
	s.Alpha, s.Combined = r.floats(sectionAlpha), r.floats(sectionCombined)
	s.Theta, s.V = r.floats(sectionTheta), r.floats(sectionEnergies)
	s.Set = widen(r.integers(sectionSet))
	if s.Ended != "" {
		return s, r.err
	}
	g := gradient.State{Double: s.Double, Sum: r.floats(sectionSum), Hollow: w.Hollow}
	if r.has(sectionActive) {
		active := r.integers(sectionActive)
		s.Active = widen(active)
		if !g.Hollow {
			g.Active = active
		}
	}
	for i := range w.Sleepers {
		g.Sleepers = append(g.Sleepers, gradient.Sleeper{
			Index: r.integers(fmt.Sprint(sectionSleepers, i)), Alpha: r.floats(fmt.Sprint(sectionAsleep, i)),
		})
	}
	for i := 0; i < w.Steps && r.err == nil; i++ {
		s.Steps = append(s.Steps, r.floats(fmt.Sprint(sectionSteps, i)))
	}
	if r.has(sectionDelta) {
		s.Delta = r.floats(sectionDelta)
	}
	if r.has(sectionDone) {
		g.Pending = &gradient.Pending{Done: r.bytes(sectionDone), Sums: r.floats(sectionSums), Combined: r.floats(sectionParts)}
		if s.Delta == nil && r.err == nil {
			r.err = fail.New(fail.Corrupt, "the checkpoint has a pass that was cut, and nothing that it was to add")
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	if !g.Hollow {
		if err := from.Into(sectionGradients, mmap.Bytes(t.grad.Values())); err != nil {
			return nil, err
		}
	}
	if g.Double {
		t.limitHeap(t.plan.Heap(budget.Double))
	}
	return s, t.grad.Resume(ctx, &g)
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
func (s *saving) differs(there []trait) *fail.Error {
	values := make(map[string]string)
	for _, f := range there {
		values[f.Name] = f.Value
	}
	var list []string
	for _, f := range s.run {
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

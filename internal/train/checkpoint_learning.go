package train

import (
	"encoding/json"
	"time"

	"bigmkl/internal/checkpoint"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// sections returns what a checkpoint holds of the descent, and records its numbers in w. It may be
// called for nil.
func (l *learning) sections(w *saved) []checkpoint.Section {
	if l == nil {
		return nil
	}
	w.Learning = &learningState{l.course.state(), l.stationarity}
	return []checkpoint.Section{
		{Name: sectionDescent, Data: mmap.Bytes(l.course.descent.Vectors())},
		{Name: sectionBest, Data: mmap.Bytes(l.course.best)},
	}
}

// saveBetween writes a checkpoint of a descent whose trial has not begun: it starts at the dual
// variables in hand. A checkpoint that cannot be written is a warning.
func (c *checkpoints) saveBetween(r *run, l *learning) {
	if c == nil || l.before != nil && l.before.endedByLimit() {
		return
	}
	facts, err := json.Marshal(c.facts)
	if err == nil {
		w := &saved{Finished: l.before}
		sections := append([]checkpoint.Section{
			{Name: sectionRun, Data: facts}, {Name: sectionAlpha, Data: mmap.Bytes(l.alpha)},
		}, l.sections(w)...)
		if l.before != nil {
			sections = append(sections, l.before.sections()...)
		}
		var state []byte
		if state, err = json.Marshal(w); err == nil {
			err = c.folder.Write(append(sections, checkpoint.Section{Name: sectionState, Data: state}))
		}
	}
	c.last, r.kept = time.Now(), err == nil
	if err != nil {
		r.warn("the checkpoint between two trials could not be written: %v", err)
	}
}

// restoreLearning brings a descent to where the last checkpoint has it, and leaves the solver of its
// trial to resume. It returns false if there is no checkpoint to resume from.
func (c *checkpoints) restoreLearning(r *run, l *learning) (bool, error) {
	last, err := c.findLast(r)
	if err != nil || last == nil {
		return false, err
	}
	var w saved
	if err := readJSON(last, sectionState, &w); err != nil {
		return false, err
	}
	damaged := fail.New(fail.Corrupt, "the descent of the checkpoint does not fit together")
	if w.Learning == nil {
		return false, damaged
	}
	n := numbers{from: last}
	vectors, best := n.floats(sectionDescent), n.floats(sectionBest)
	if n.err != nil {
		return false, n.err
	}
	l.stationarity = w.Learning.Stationarity
	if !l.course.restore(w.Learning.courseState, vectors, best, len(l.gates.learned.Parameters)) {
		return false, damaged
	}
	l.sized = w.State != nil && w.Ended != ""
	if w.State != nil {
		return true, nil
	}
	// The trial has not begun, and no solver resumes.
	defer c.releaseFound()
	if l.alpha = n.floats(sectionAlpha); n.err == nil && len(l.alpha) != l.gates.points().Len() {
		n.err = damaged
	}
	r.result.Resumed = max(1, l.course.Iterations)
	return true, n.err
}

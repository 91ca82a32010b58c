package train

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"bigmkl/chunking"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/internal/model"
	"bigmkl/mmap"
	"bigmkl/predict"
)

// Checkpoints of a projection are written between two trials: the trial in hand is begun again by the
// run that is resumed, and comes to the same bits. They hold the descent and the dual variables of the
// trial before.

// unsound returns the error of a checkpoint whose parts are of different descents.
func unsound() error {
	return fail.New(fail.Corrupt, "the projection of the checkpoint does not fit together")
}

// projectingState is what a checkpoint has of all descents as JSON. The names of its fields are part of
// files, and must stay.
type projectingState struct {
	courseState
	// Classifiers are the classifiers of the trial before. Their dual variables have sections of
	// their own.
	Classifiers []startingClassifier `json:"machines,omitempty"`
	// Ended is the status of a run that is over.
	Ended chunking.Status `json:"ended,omitempty"`
}

// boundary is the state between two trials.
type boundary struct {
	state         courseState
	starts        []*predict.Model
	vectors, best []float64 // of the descent
}

// trialJournal keeps the state between trials, in memory and in checkpoints.
type trialJournal struct {
	options     *Options
	rows        *keptRows
	checkpoints *checkpoints // nil if there are none
	at          boundary     // before the trial in hand
	before      boundary     // and before the one that was solved last
	ended       chunking.Status
	resumed     int      // iterations of the checkpoint
	notes       []string // warnings of the run
}

// startingClassifier is what a checkpoint has of a classifier whose dual variables the next trial starts
// from.
type startingClassifier struct {
	C              float64 `json:"c"`
	PositiveWeight float64 `json:"positive_weight"`
	NegativeWeight float64 `json:"negative_weight"`
	RowWeights     bool    `json:"row_weights,omitempty"`
}

// mark takes the state in hand as the one before the next trial.
func (j *trialJournal) mark(c *course, starts []*predict.Model) {
	j.before = j.at
	j.at = boundary{c.state(), starts, slices.Clone(c.descent.Vectors()), slices.Clone(c.best)}
}

// stepBack makes the state before the last trial the one that is kept.
func (j *trialJournal) stepBack() { j.at = j.before }

// kept reports whether the latest attempt to write a checkpoint succeeded.
func (j *trialJournal) kept() bool { return j.checkpoints != nil && j.checkpoints.kept }

// keep writes a checkpoint of the state before the trial in hand if the interval has passed or must is
// set. One that cannot be written is a warning and no error.
func (j *trialJournal) keep(must bool) {
	c := j.checkpoints
	if c == nil || j.at.vectors == nil || !must && time.Since(c.last) < j.options.Checkpoint.Every {
		return
	}
	err := j.write()
	c.last, c.kept = time.Now(), err == nil
	if err != nil {
		j.notes = append(j.notes, fmt.Sprintf("the checkpoint after trial %d could not be written: %v",
			j.at.state.Trials, err))
	}
}

// write writes the state before the trial in hand.
func (j *trialJournal) write() error {
	if err := j.describeRun(); err != nil {
		return err
	}
	facts, err := json.Marshal(j.checkpoints.facts)
	if err != nil {
		return err
	}
	s := projectingState{courseState: j.at.state, Ended: j.ended}
	sections := []checkpoint.Section{
		{Name: sectionRun, Data: facts},
		{Name: sectionDescent, Data: mmap.Bytes(j.at.vectors)},
		{Name: sectionProjection, Data: mmap.Bytes(j.at.best)},
	}
	for k, m := range j.at.starts {
		s.Classifiers = append(s.Classifiers, startingClassifier{m.C, m.PositiveWeight, m.NegativeWeight, m.RowWeights})
		sections = append(sections,
			checkpoint.Section{Name: fmt.Sprint(sectionTrialSupport, k), Data: mmap.Bytes(m.Support)},
			checkpoint.Section{Name: fmt.Sprint(sectionTrialAlpha, k), Data: mmap.Bytes(m.Alpha)})
	}
	state, err := json.Marshal(saved{Projection: &s})
	if err != nil {
		return err
	}
	return j.checkpoints.folder.Write(append(sections, checkpoint.Section{Name: sectionState, Data: state}))
}

// describeRun computes the identity of the run, once.
func (j *trialJournal) describeRun() error {
	c := j.checkpoints
	if c.facts != nil {
		return nil
	}
	program, err := host.Program()
	if err != nil {
		return err
	}
	o := j.options
	c.facts = append([]Fact{
		{"data", fmt.Sprintf("%016x", j.rows.hash())}, {"rows", fmt.Sprint(j.rows.len())}, {"features", fmt.Sprint(j.rows.d)},
	}, o.facts([]string{o.Kernels.Specs}, string(o.Data.Layout))...)
	if o.Gating.Learned() {
		c.facts = append(c.facts, Fact{"gating", o.Gating.String()}, Fact{"gate-on", o.Gating.On},
			Fact{"decay and floor of gates", fmt.Sprint(o.Gating.Decay, o.Gating.Floor)})
	}
	c.facts = append(c.facts, Fact{"starts", fmt.Sprint(o.Gating.Starts)},
		Fact{"gate tolerance", fmt.Sprint(o.Gating.Tolerance)}, Fact{"gate steps", fmt.Sprint(o.Gating.Steps)},
		Fact{"instruction set", instructionSet()}, Fact{"program", program})
	return nil
}

// last returns the checkpoint to resume from, nil if there is none.
func (j *trialJournal) last() (*checkpoint.Saved, error) {
	c := j.checkpoints
	if c == nil || !j.options.Checkpoint.Resume {
		return nil, nil
	}
	if err := j.describeRun(); err != nil {
		return nil, err
	}
	last, damaged, err := c.folder.Last()
	if err == nil && last != nil && damaged != nil {
		j.notes = append(j.notes, fmt.Sprintf("%v: the checkpoint before it is used", damaged))
	}
	return last, err
}

// restore returns the state of the last checkpoint, nil if there is none to resume from.
func (j *trialJournal) restore() (*boundary, error) {
	last, err := j.last()
	if err != nil || last == nil {
		return nil, err
	}
	defer last.Close()
	var facts []Fact
	if err := readJSON(last, sectionRun, &facts); err != nil {
		return nil, err
	}
	if e := j.checkpoints.rejectOther(facts); e != nil {
		return nil, e.At(j.options.Budget.Checkpoint, 0, 0)
	}
	var w saved
	if err := readJSON(last, sectionState, &w); err != nil {
		return nil, err
	}
	if w.Projection == nil {
		return nil, unsound()
	}
	n := numbers{from: last}
	b := &boundary{state: w.Projection.courseState}
	b.vectors, b.best = n.floats(sectionDescent), n.floats(sectionProjection)
	for k, m := range w.Projection.Classifiers {
		start := &predict.Model{Model: model.Model{
			Task: j.options.Problem.Task, LossSettings: j.options.Problem.lossOfModel(), C: m.C, PositiveWeight: m.PositiveWeight,
			NegativeWeight: m.NegativeWeight, RowWeights: m.RowWeights,
			SupportVectors: model.SupportVectors{Support: n.integers(fmt.Sprint(sectionTrialSupport, k))}, Alpha: n.floats(fmt.Sprint(sectionTrialAlpha, k)),
		}}
		if n.err == nil && (len(start.Support) != len(start.Alpha) || !model.Ascending(start.Support, j.rows.len())) {
			n.err = unsound()
		}
		b.starts = append(b.starts, start)
	}
	j.resumed = max(1, b.state.Iterations)
	return b, n.err
}

package train

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/checkpoint"
	"bigmkl/internal/descent"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/mmap"
	"bigmkl/model"
	"bigmkl/predict"
)

// Checkpoints of a projection are written between two trials: the trial in hand is begun again by the
// run that is resumed, and comes to the same bits. They hold the descent and the dual variables of the
// trial before.

// boundary is the state between two trials.
type boundary struct {
	state         projectingState // with the descent
	starts        []*predict.Model
	vectors, best []float64 // of the descent
}

// startingMachine is what a checkpoint has of a machine whose dual variables the next trial starts from.
type startingMachine struct {
	C              float64 `json:"c"`
	PositiveWeight float64 `json:"positive_weight"`
	NegativeWeight float64 `json:"negative_weight"`
	RowWeights     bool    `json:"row_weights,omitempty"`
}

// mark takes the state in hand as the one before the next trial.
func (p *projecting) mark() {
	p.before = p.at
	p.at = boundary{p.state, p.starts, slices.Clone(p.descent.Vectors()), slices.Clone(p.best)}
	p.at.state.Descent = p.descent.State
}

// keep writes a checkpoint of the state before the trial in hand if the interval has passed or must is
// set. One that cannot be written is a warning and no error.
func (p *projecting) keep(must bool) {
	c := p.checkpoints
	if c == nil || p.descent == nil || !must && time.Since(c.last) < p.options.Checkpoint.Every {
		return
	}
	err := p.writeCheckpoint()
	c.last, c.kept = time.Now(), err == nil
	if err != nil {
		p.notes = append(p.notes, fmt.Sprintf("the checkpoint after trial %d could not be written: %v",
			p.at.state.Trials, err))
	}
}

// writeCheckpoint writes the state before the trial in hand.
func (p *projecting) writeCheckpoint() error {
	if err := p.describeRun(); err != nil {
		return err
	}
	facts, err := json.Marshal(p.checkpoints.facts)
	if err != nil {
		return err
	}
	s := p.at.state
	s.Ended = p.state.Ended
	sections := []checkpoint.Section{
		{Name: sectionRun, Data: facts},
		{Name: sectionDescent, Data: mmap.Bytes(p.at.vectors)},
		{Name: sectionProjection, Data: mmap.Bytes(p.at.best)},
	}
	for k, m := range p.at.starts {
		s.Machines = append(s.Machines, startingMachine{m.C, m.PositiveWeight, m.NegativeWeight, m.RowWeights})
		sections = append(sections,
			checkpoint.Section{Name: fmt.Sprint(sectionTrialSupport, k), Data: mmap.Bytes(m.Support)},
			checkpoint.Section{Name: fmt.Sprint(sectionTrialAlpha, k), Data: mmap.Bytes(m.Alpha)})
	}
	state, err := json.Marshal(saved{Projection: &s})
	if err != nil {
		return err
	}
	return p.checkpoints.folder.Write(append(sections, checkpoint.Section{Name: sectionState, Data: state}))
}

// describeRun computes the identity of the run, once.
func (p *projecting) describeRun() error {
	c := p.checkpoints
	if c.facts != nil {
		return nil
	}
	program, err := host.Program()
	if err != nil {
		return err
	}
	var h xxhash.Digest
	h.Reset()
	h.Write(mmap.Bytes(p.x))
	for _, r := range p.rows {
		fmt.Fprintf(&h, "%d:%s %x %x,", len(r.Label), r.Label, math.Float64bits(r.Target), math.Float64bits(r.Weight))
	}
	o := &p.options
	c.facts = append([]Fact{
		{"data", fmt.Sprintf("%016x", h.Sum64())}, {"rows", fmt.Sprint(len(p.rows))}, {"features", fmt.Sprint(p.d)},
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

// restore brings the run to its last checkpoint. It returns false if there is none to resume from.
func (p *projecting) restore() (bool, error) {
	c := p.checkpoints
	if c == nil || !p.options.Checkpoint.Resume {
		return false, nil
	}
	if err := p.describeRun(); err != nil {
		return false, err
	}
	last, damaged, err := c.folder.Last()
	if err != nil || last == nil {
		return false, err
	}
	defer last.Close()
	if damaged != nil {
		p.notes = append(p.notes, fmt.Sprintf("%v: the checkpoint before it is used", damaged))
	}
	var facts []Fact
	if err := readJSON(last, sectionRun, &facts); err != nil {
		return false, err
	}
	if e := c.refuseOther(facts); e != nil {
		return false, e.At(p.options.Budget.Checkpoint, 0, 0)
	}
	var w saved
	if err := readJSON(last, sectionState, &w); err != nil {
		return false, err
	}
	unsound := fail.New(fail.Corrupt, "the projection of the checkpoint does not fit together")
	if w.Projection == nil {
		return false, unsound
	}
	n := numbers{from: last}
	s := *w.Projection
	vectors, best := n.floats(sectionDescent), n.floats(sectionProjection)
	for k, m := range s.Machines {
		start := &predict.Model{Model: model.Model{
			Task: p.options.Problem.Task, Loss: modelLoss(&p.options), C: m.C, PositiveWeight: m.PositiveWeight,
			NegativeWeight: m.NegativeWeight, RowWeights: m.RowWeights,
			Support: n.integers(fmt.Sprint(sectionTrialSupport, k)), Alpha: n.floats(fmt.Sprint(sectionTrialAlpha, k)),
		}}
		if n.err == nil && (len(start.Support) != len(start.Alpha) || !model.Ascending(start.Support, len(p.rows))) {
			n.err = unsound
		}
		p.starts = append(p.starts, start)
	}
	if n.err != nil {
		return false, n.err
	}
	variables := len(p.bank.Start(p.d, 0, 0)) + p.gates.count()
	var ok bool
	p.descent, ok = descent.Restore(s.Descent, vectors, variables, p.descentOptions())
	if len(best) > 0 {
		p.best = best
	}
	if !ok || (p.descent.Ended != "") != s.Final || p.best != nil && len(best) != variables || s.Start < 0 ||
		(p.best == nil) != (s.Start+s.Restarted == 0) {
		return false, unsound
	}
	s.Machines, s.Ended = nil, ""
	p.state, p.resumed = s, max(1, s.Iterations)
	return true, nil
}

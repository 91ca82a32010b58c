package train

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/fail"
	"bigmkl/internal/mixture"
	"bigmkl/mmap"
)

// Checkpoints of tasks med and mixture are written between two chunks or steps. A run cannot resume from a move that
// is cut: it resumes from the checkpoint before it. The checkpoint of a run that is over has the solution alone.

// mixtureState has the numbers of a run of task med or mixture. Its vectors are sections of the
// file, because JSON would take more than twice the bytes.
type mixtureState struct {
	*mixture.State
	Double bool `json:"double"`
	// Ended is the status of a run that is over, which Best is the solution of.
	Ended chunking.Status `json:"ended,omitempty"`
}

// facts are the options of mixtures that the bits of a run depend on. A checkpoint of other
// facts is not resumed.
func (x *Mixture) facts() []Fact {
	var h xxhash.Digest
	h.Reset()
	h.Write(mmap.Bytes(x.Observed))
	return []Fact{
		{"components", fmt.Sprint(x.Components)}, {"entropy", x.Entropy},
		{"restarts", fmt.Sprint(x.Restarts)}, {"rounds", fmt.Sprint(x.Rounds)},
		{"observed components", fmt.Sprintf("%016x", h.Sum64())},
	}
}

// vectors returns the vectors of a state by the names of their sections. A run that is over has
// only the solution.
func (m *mixtureState) vectors() map[string]*[]float64 {
	list := map[string]*[]float64{}
	if m.Ended == "" {
		list[sectionMixtureQ], list[sectionMixtureL] = &m.Q, &m.L
		list[sectionMixtureE] = &m.Multipliers
	}
	if b := m.Best; b != nil {
		list[sectionMixtureBestQ], list[sectionMixtureBestW] = &b.Q, &b.Weights
		list[sectionMixtureBestE], list[sectionMixtureNorms] = &b.Multipliers, &b.Norms
		list[sectionMixtureTotals] = &b.Totals
	}
	return list
}

// mixtureSections is the order of the vectors in a file.
var mixtureSections = []string{sectionMixtureQ, sectionMixtureL, sectionMixtureE, sectionMixtureBestQ,
	sectionMixtureBestW, sectionMixtureBestE, sectionMixtureNorms, sectionMixtureTotals}

// saveMixture writes a checkpoint if the interval has passed or must is set. One that cannot be written
// is a warning and no error.
func (c *checkpoints) saveMixture(r *run, g *gradients, m *mixtureState, must bool) {
	if c == nil || !must && time.Since(c.last) < r.Options.Checkpoint.Every {
		return
	}
	err := c.writeMixture(context.WithoutCancel(r.hard), g, m)
	c.last, r.kept = time.Now(), err == nil
	if err != nil {
		r.warn("the checkpoint after chunk %d could not be written: %v", m.Chunks, err)
	}
}

// writeMixture writes the state, and the gradients unless the run is over.
func (c *checkpoints) writeMixture(ctx context.Context, g *gradients, m *mixtureState) error {
	facts, err := json.Marshal(c.facts)
	if err != nil {
		return err
	}
	sections := []checkpoint.Section{{Name: sectionRun, Data: facts}}
	vectors := m.vectors()
	for _, name := range mixtureSections {
		if x := vectors[name]; x != nil {
			sections = append(sections, checkpoint.Section{Name: name, Data: mmap.Bytes(*x)})
		}
	}
	w := saved{Mixture: m}
	if m.Ended == "" {
		state, err := g.State(ctx)
		if err != nil {
			return err
		}
		sections = append(sections, w.gradientSections(&chunking.State{}, state, g.Values())...)
	}
	state, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return c.folder.Write(append(sections, checkpoint.Section{Name: sectionState, Data: state}))
}

// resumeMixture brings the solver and the spaces to the last checkpoint. It returns nil if there is none,
// and a state that has ended if the run is over.
func (c *checkpoints) resumeMixture(ctx context.Context, r *run, s *mixture.Solver, p *mixture.Problem,
	spaces *componentSpaces) (*mixtureState, error) {
	if err := c.describeRun(r.Workspace); err != nil {
		return nil, err
	}
	last, err := c.findLast(r)
	if err != nil || last == nil {
		return nil, err
	}
	defer c.releaseFound()
	var w saved
	if err := readJSON(last, sectionState, &w); err != nil {
		return nil, err
	}
	damaged := fail.New(fail.Corrupt, "the mixture of the checkpoint does not fit together")
	m := w.Mixture
	if m == nil || m.State == nil {
		return nil, damaged
	}
	n := numbers{from: last}
	for name, x := range m.vectors() {
		*x = n.floats(name)
	}
	if n.err != nil {
		return nil, n.err
	}
	r.result.Resumed = m.Chunks
	if m.Ended != "" {
		if m.Best == nil || !p.Fits(m.Best) ||
			m.Ended != chunking.Converged && m.Ended != chunking.Stalled && m.Ended != chunking.IterationLimit {
			return nil, damaged
		}
		return m, nil
	}
	// The precision follows from the options, which are facts, so another one is damage.
	if m.Double != spaces.double || !s.Resume(m.State) {
		return nil, damaged
	}
	g := gradient.State{Double: m.Double, Sum: n.floats(sectionSum), Hollow: w.Hollow}
	if n.err == nil && g.Hollow {
		n.err = damaged
	}
	if n.err != nil {
		return nil, n.err
	}
	if err := spaces.gradients.restore(ctx, last, &g, r.widen); err != nil {
		return nil, err
	}
	// f is not in the file: the gradients are, and each column of a component has its f.
	f := make([]float64, len(spaces.kernels)*spaces.n)
	if err := spaces.read(ctx, f); err != nil {
		return nil, err
	}
	s.SetFunctions(f)
	return m, nil
}

package train

import (
	"fmt"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/checkpoint"
	"bigmkl/mmap"
)

// gradientSections returns the sections that a run needs which is not over: the values of the
// gradients, M numbers for each point, and the parts of both states that are vectors. It records in
// w how many sections of a kind there are. The sections refer to the memory of the states and copy
// nothing.
func (w *saved) gradientSections(s *chunking.State, g *gradient.State,
	values []float64) []checkpoint.Section {
	var sections []checkpoint.Section
	add := func(name string, data []byte) {
		sections = append(sections, checkpoint.Section{Name: name, Data: data})
	}
	if s.Active != nil {
		add(sectionActive, mmap.Bytes(toInt32s(s.Active)))
	}
	// Each generation of points that were left out together has its own alpha, at which their
	// gradients are still valid.
	w.Sleepers = len(g.Sleepers)
	for i, l := range g.Sleepers {
		add(fmt.Sprint(sectionSleepers, i), mmap.Bytes(l.Index))
		add(fmt.Sprint(sectionAsleep, i), mmap.Bytes(l.Alpha))
	}
	w.Steps = len(s.Steps)
	for i, x := range s.Steps {
		add(fmt.Sprint(sectionSteps, i), mmap.Bytes(x))
	}
	if s.Delta != nil {
		add(sectionDelta, mmap.Bytes(s.Delta))
	}
	if p := g.Pending; p != nil {
		add(sectionDone, p.Done)
		add(sectionSums, mmap.Bytes(p.Sums))
		add(sectionParts, mmap.Bytes(p.Combined))
	}
	add(sectionSum, mmap.Bytes(g.Sum))
	if w.Hollow = g.Hollow; !g.Hollow {
		add(sectionGradients, mmap.Bytes(values))
	}
	return sections
}

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
	if s.Active != nil {
		sections = append(sections, checkpoint.Section{Name: sectionActive, Data: mmap.Bytes(toInt32s(s.Active))})
	}
	// Each generation of points that were left out together has its own alpha, at which their
	// gradients are still valid.
	w.Sleepers = len(g.Sleepers)
	for i, l := range g.Sleepers {
		sections = append(sections,
			checkpoint.Section{Name: fmt.Sprint(sectionSleepers, i), Data: mmap.Bytes(l.Index)},
			checkpoint.Section{Name: fmt.Sprint(sectionAsleep, i), Data: mmap.Bytes(l.Alpha)})
	}
	w.Steps = len(s.Steps)
	for i, x := range s.Steps {
		sections = append(sections, checkpoint.Section{Name: fmt.Sprint(sectionSteps, i), Data: mmap.Bytes(x)})
	}
	if s.Delta != nil {
		sections = append(sections, checkpoint.Section{Name: sectionDelta, Data: mmap.Bytes(s.Delta)})
	}
	if p := g.Pending; p != nil {
		sections = append(sections, checkpoint.Section{Name: sectionDone, Data: p.Done},
			checkpoint.Section{Name: sectionSums, Data: mmap.Bytes(p.Sums)},
			checkpoint.Section{Name: sectionParts, Data: mmap.Bytes(p.Combined)})
	}
	sections = append(sections, checkpoint.Section{Name: sectionSum, Data: mmap.Bytes(g.Sum)})
	if w.Hollow = g.Hollow; !g.Hollow {
		sections = append(sections, checkpoint.Section{Name: sectionGradients, Data: mmap.Bytes(values)})
	}
	return sections
}

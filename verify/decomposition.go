package verify

import (
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/model"
)

// The machines of a model of several are two-class problems on the same rows:
//
//	ovr       the rows of class k against all others           c = C * weight of the row's class
//	ovo       the rows of class a against those of class b     c = C * weight of the row's class; other rows have no part
//	labels    the rows with label k against those without      c = C * weight of the label, C without
//
// each times the weight of the row.

// role is what a row is to a machine.
type role struct {
	machine int32
	y       float64
	cost    float64 // bound of its dual variable; in a batch the factor of its loss, 0 if that is left out
	norm    float64 // factor of g_m in V_m, 0 if that is left out
}

// contest knows the roles of rows by their labels.
type decomposition struct {
	m         *model.Model
	placeOf   map[string]int32 // of the model's classes
	numbers   map[string]int32 // of the data's: those, or sets of them
	names     []string
	classesOf [][]int32 // of each class of the data, those of the model that it has, ascending
	seen      []bool    // classes of the model that some row has
}

// newContest is nil for a model of one machine.
func newDecomposition(m *model.Model) *decomposition {
	if !m.Several() {
		return nil
	}
	c := &decomposition{m: m, placeOf: map[string]int32{}, numbers: map[string]int32{}, seen: make([]bool, len(m.Classes))}
	for k, name := range m.Classes {
		c.placeOf[name] = int32(k)
	}
	return c
}

// class numbers the class of a row, in order of appearance.
func (c *decomposition) numberOf(name string, data *dataset.Row) (int32, error) {
	if id, ok := c.numbers[name]; ok {
		return id, nil
	}
	if len(c.names) == dataset.MaxClasses {
		return 0, fail.New(fail.Input, "more than %d classes", dataset.MaxClasses).At(data.File, data.Line, 1)
	}
	labels := []string{name}
	if c.m.Multiclass == model.MultiLabel {
		labels, _ = dataset.LabelSets(labels)
	}
	var of []int32
	for _, l := range labels {
		k, ok := c.placeOf[l]
		if !ok {
			return 0, fail.New(fail.Input, "label %s is none of the model's %d classes", fail.Word(l), len(c.m.Classes)).At(data.File, data.Line, 1)
		}
		of = append(of, k)
		c.seen[k] = true
	}
	slices.Sort(of)
	id := int32(len(c.names))
	c.numbers[name] = id
	c.names, c.classesOf = append(c.names, name), append(c.classesOf, of)
	return id, nil
}

// roles adds those of a row of a class of the data, in the order of the machines.
func (c *decomposition) appendRoles(class int32, list []role) []role {
	m, of := c.m, c.classesOf[class]
	switch m.Multiclass {
	case model.OneVsOne:
		own := of[0]
		cost := costOfClass(m, own)
		k, n := int32(0), int32(len(m.Classes))
		for a := range own { // the machine of a and b comes after those of all pairs before
			list = append(list, role{machine: k + own - a - 1, y: -1, cost: cost})
			k += n - a - 1
		}
		for range n - own - 1 {
			list = append(list, role{machine: k, y: 1, cost: cost})
			k++
		}
		return list
	case model.MultiLabel:
		for k := range int32(len(m.Machines)) {
			p := role{machine: k, y: -1, cost: m.C}
			if _, has := slices.BinarySearch(of, k); has {
				p.y, p.cost = 1, costOfClass(m, k)
			}
			list = append(list, p)
		}
		return list
	}
	cost := costOfClass(m, of[0])
	for k := range int32(len(m.Machines)) {
		p := role{machine: k, y: -1, cost: cost}
		if k == of[0] {
			p.y = 1
		}
		list = append(list, p)
	}
	return list
}

// check compares the classes that were met with those of the model.
func (c *decomposition) checkClasses(f *faults) {
	if c == nil {
		return
	}
	for k, met := range c.seen {
		if !met {
			f.add("label", "no row has the class %s", fail.Word(c.m.Classes[k]))
		}
	}
	sorted := slices.Clone(c.m.Classes)
	if c.m.Multiclass == model.MultiLabel {
		sorted, _ = dataset.LabelSets(sorted) // of one label each
	} else {
		dataset.SortClasses(sorted)
	}
	if !slices.Equal(sorted, c.m.Classes) {
		f.add("order", "the classes are not in order: %s", fail.List(func(k int) string { return fail.Label(c.m.Classes[k]) }, len(c.m.Classes)))
	}
}

// ranks gives the classes of the data in their order, and the place of each there.
func (c *decomposition) rankClasses() (sorted []string, rank []int32) {
	sorted, rank = slices.Clone(c.names), make([]int32, len(c.names))
	dataset.SortClasses(sorted)
	for i, name := range sorted {
		rank[c.numbers[name]] = int32(i)
	}
	return sorted, rank
}

// machinesOfRow is in how many machines a row has a part.
func machinesOfRow(m *model.Model) int {
	switch {
	case !m.Several():
		return 1
	case m.Multiclass == model.OneVsOne:
		return len(m.Classes) - 1
	}
	return len(m.Machines)
}

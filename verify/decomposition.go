package verify

import (
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// A model of several classes is decomposed into two-class problems, one for each classifier:
//
//	kind      the classifier separates                      c of its dual variables
//	ovr       the rows of class k from all others        C * weight of the row's class
//	ovo       the rows of class a from those of class b  C * weight of the row's class
//	labels    the rows with label k from those without   C * weight of the label; C without it
//	single    the function of class k, see single.go     C * weight of the row's class
//
// Each c is multiplied by the weight of the row. In ovo, rows of other classes have no part.

// decomposition gives rows their roles by their labels. For kind labels, a class of the data is a
// set of the model's labels; for the others it is one of the model's classes.
type decomposition struct {
	m         *model.Model
	placeOf   map[string]int32 // place of each class of the model
	numbers   map[string]int32 // number of each class of the data, in order of appearance
	names     []string         // the classes of the data by their numbers
	classesOf [][]int32        // places of the model's classes in each class of the data, ascending
	seen      []bool           // for each class of the model, whether some row has it
}

// newDecomposition returns the decomposition of the model, and nil if it has one classifier only, or
// quantiles.
func newDecomposition(m *model.Model) *decomposition {
	if !m.Several() || m.Multiclass == model.Quantiles {
		return nil
	}
	c := &decomposition{m: m, placeOf: map[string]int32{}, numbers: map[string]int32{}}
	c.seen = make([]bool, len(m.Classes))
	for k, name := range m.Classes {
		c.placeOf[name] = int32(k)
	}
	return c
}

// numberOf returns the number of the class of a row, which it adds if it is new. A label that the
// model does not know is an error of class input at the place of the row.
func (c *decomposition) numberOf(name string, data *dataset.Row) (int32, error) {
	if id, ok := c.numbers[name]; ok {
		return id, nil
	}
	if len(c.names) == dataset.MaxClasses {
		return 0, fail.New(fail.Input, "more than %d classes",
			dataset.MaxClasses).At(data.File, data.Line, 1)
	}
	labels := []string{name}
	if c.m.Multiclass == model.MultiLabel {
		labels, _ = labeltext.Sets(labels)
	}
	var of []int32
	for _, l := range labels {
		k, ok := c.placeOf[l]
		if !ok {
			return 0, fail.New(fail.Input, "label %s is none of the model's %d classes",
				fail.Word(l), len(c.m.Classes)).At(data.File, data.Line, 1)
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

// appendRoles appends the roles of a row of a class of the data to the list, in the order of the
// classifiers.
func (c *decomposition) appendRoles(class int32, list []role) []role {
	m, of := c.m, c.classesOf[class]
	switch m.Multiclass {
	case model.OneVsOne:
		own := of[0]
		cost := costOfClass(m, own)
		k, n := int32(0), int32(len(m.Classes))
		// The pairs (a, b), a < b, are in lexicographic order: for each a the pairs of all b above
		// it. k is the first classifier of a. The class is the second of its pairs with the classes
		// before it, and the first of its pairs with those after it.
		for a := range own {
			list = append(list, role{classifier: k + own - a - 1, y: -1, cost: cost})
			k += n - a - 1
		}
		for range n - own - 1 {
			list = append(list, role{classifier: k, y: 1, cost: cost})
			k++
		}
		return list
	case model.MultiLabel:
		for k := range int32(len(m.Classifiers)) {
			p := role{classifier: k, y: -1, cost: m.C}
			if _, has := slices.BinarySearch(of, k); has {
				p.y, p.cost = 1, costOfClass(m, k)
			}
			list = append(list, p)
		}
		return list
	}
	cost := costOfClass(m, of[0])
	for k := range int32(len(m.Classifiers)) {
		p := role{classifier: k, y: -1, cost: cost}
		if k == of[0] {
			p.y = 1
		}
		list = append(list, p)
	}
	return list
}

// checkClasses checks that the classes of the model are the classes of the data, in the order
// that training gives them.
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
		sorted, _ = labeltext.Sets(sorted) // each class is a set of one label
	} else {
		labeltext.Sort(sorted)
	}
	if !slices.Equal(sorted, c.m.Classes) {
		f.add("order", "the classes are not in order: %s",
			fail.List(func(k int) string { return fail.Label(c.m.Classes[k]) }, len(c.m.Classes)))
	}
}

// rankClasses returns the classes of the data in their order, and for each number of a class its
// place in that order.
func (c *decomposition) rankClasses() (sorted []string, rank []int32) {
	sorted, rank = slices.Clone(c.names), make([]int32, len(c.names))
	labeltext.Sort(sorted)
	for i, name := range sorted {
		rank[c.numbers[name]] = int32(i)
	}
	return sorted, rank
}

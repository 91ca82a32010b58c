package model

import (
	"fmt"
)

// section is a part of a model as the file has it: what its tensors are, and which faults it may
// have. A value is made for one model that is written, read or checked, and each is in a file of its
// own.
type section interface {
	// since returns the least version of the format that knows what the model has of the section.
	since(m *Model) int
	// tensors lists the tensors. Their elements are taken from a model that is written, and are put in
	// the section of a file that is read.
	tensors(m *Model) []field
	// join puts what was read in the model, whose settings are known.
	join(m *Model, h *header) error
	// check adds the faults of the section.
	check(m *Model, f *faults)
}

// sections are all sections, in the order in which they are joined and checked: a section may rely on
// what those before it have joined.
type sections []section

// newSections returns the sections for one model. The tensors of a file that is read have the given
// names.
func newSections(names []string) sections {
	return sections{
		scalarSection{}, &classifierSection{}, &vectorSection{}, kernelSection{}, regularizerSection{},
		&sigmoidSection{}, &conformalSection{}, censoringSection{}, pairSection{}, baselineSection{}, posteriorSection{},
		fillSection{}, &centreSection{}, textSection{}, &objectSection{}, &familySection{names: names}, costSection{}, &ruleSection{},
		&discriminantSection{}, columnSection{}, expansionSection{}, occurringSection{}, streamSection{},
	}
}

// plainSection is a section without tensors that every version knows.
type plainSection struct{}

func (plainSection) since(*Model) int { return denseVersion }

func (plainSection) tensors(*Model) []field { return nil }

func (plainSection) join(*Model, *header) error { return nil }

// since returns the version of the format that the file of a model has.
func (list sections) since(m *Model) int {
	version := denseVersion
	for _, s := range list {
		version = max(version, s.since(m))
	}
	return version
}

// sinceIf returns a version for a model that has something, and the first version for others.
func sinceIf(has bool, version int) int {
	if has {
		return version
	}
	return denseVersion
}

// fields lists the tensors of all sections in the order in which they are written. The argument text
// holds settings that do not fit the header.
func (list sections) fields(m *Model, text *[]byte) []field {
	var all []field
	for _, s := range list {
		all = append(all, s.tensors(m)...)
	}
	return inOrder(append(all, field{name: "settings", u8: text}))
}

// join gives the model what was read.
func (list sections) join(m *Model, h *header) error {
	for _, s := range list {
		if err := s.join(m, h); err != nil {
			return err
		}
	}
	return nil
}

// fits returns an error if the file has a matrix of another shape than that.
func (h *header) fits(name string, rows, columns int) error {
	t, ok := h.tensors[name]
	if ok && (t.Shape[0] != int64(rows) || t.Shape[1] != int64(columns)) {
		return fmt.Errorf("tensor %s is %d x %d, not %d x %d", name, t.Shape[0], t.Shape[1],
			rows, columns)
	}
	return nil
}

package packed

import (
	"encoding/json"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// file is an open packed store.
type file struct {
	*container
	meta meta
}

// openFile opens a packed store and checks its description and the sizes of its sections.
func openFile(path string) (*file, error) {
	c, err := openContainer(path)
	if err != nil {
		return nil, err
	}
	f := &file{container: c}
	err = f.readMeta()
	if err == nil {
		err = f.checkSections()
	}
	if err != nil {
		c.f.Close()
		return nil, err
	}
	return f, nil
}

// readMeta reads the sizes of the store, and what is known of its columns.
func (f *file) readMeta() error {
	s := f.sections[metaSection]
	if s == nil || s.length > maxMeta {
		return f.damaged("it has no description of at most %d bytes", maxMeta)
	}
	text, err := f.readAll(s)
	if err != nil {
		return err
	}
	m := &f.meta
	if err := json.Unmarshal(text, m); err != nil {
		return f.damaged("its description cannot be read: %v", err)
	}
	if m.Rows < 1 || m.Rows > math.MaxInt32 || m.Features < 0 || m.Features > math.MaxInt32 ||
		m.Nonzeros < 0 || m.Nonzeros > math.MaxInt64/16 || m.Words < 0 ||
		m.Words > m.Rows || len(m.Views) > dataset.MaxViews {
		return f.damaged("it claims %d rows, %d features, %d values and %d labels", m.Rows,
			m.Features, m.Nonzeros, m.Words)
	}
	if _, err := dataset.ParseAlphabet(string(m.Sequences)); err != nil {
		return f.damaged("it has sequences of %s", fail.Word(m.Sequences))
	}
	if m.Columns != nil {
		if err := m.Columns.Check(); err != nil {
			return f.damaged("its columns: %v", err)
		}
	}
	return f.checkViews()
}

// checkViews checks the views of the description.
func (f *file) checkViews() error {
	names := map[string]bool{}
	for _, v := range f.meta.Views {
		if v.First < 1 || v.Last < v.First || v.Last > math.MaxInt32 || v.Name == "" ||
			len(v.Name) > 1<<10 || !labeltext.Printable(v.Name) || names[v.Name] {
			return f.damaged("view %s of features %d to %d", fail.Word(v.Name), v.First, v.Last)
		}
		names[v.Name] = true
	}
	return nil
}

// checkSections checks that the sections go together and are as long as the sizes ask for.
func (f *file) checkSections() error {
	has := func(name string) bool { return f.sections[name] != nil }
	for name, s := range f.sections {
		if n := f.meta.length(name); n >= 0 && s.length != n {
			return f.damaged("section %s has %d bytes and not %d", name, s.length, n)
		}
	}
	entries := has(offsetSection) && has(indexSection) && (has(exactSection) || has(valueSection))
	narrow := has(panelsSection) && readable(f.meta.Features)
	points := has(panelsSection) != has(valueSection) && has(meanSection)
	switch {
	case !entries && !narrow:
		return f.damaged("it has no rows")
	case (has(panelsSection) || has(valueSection) || has(meanSection)) && !points:
		return f.damaged("it has points in part")
	case has(labelsSection) != has(wordsSection) || has(labelsSection) && has(targetsSection):
		return f.damaged("it has labels in part")
	}
	return nil
}

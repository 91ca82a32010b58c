package model

import (
	"bigmkl/dataset"
)

// columnSection is the columns of a table.
type columnSection struct{ plainSection }

var _ section = columnSection{}

func (columnSection) since(m *Model) int { return sinceIf(m.Columns != nil, columnsVersion) }

func (columnSection) check(m *Model, f *faults) {
	if m.Columns == nil {
		return
	}
	if err := m.Columns.Check(); err != nil {
		f.check(false, "columns: %v", err)
	}
}

// occurringSection is the features that occur.
type occurringSection struct{ plainSection }

var _ section = occurringSection{}

func (occurringSection) since(m *Model) int { return sinceIf(m.Occurring != nil, occurringVersion) }

func (occurringSection) check(m *Model, f *faults) {
	if m.Occurring == nil {
		return
	}
	if err := m.Occurring.Check(m.Features); err != nil {
		f.check(false, "%v", err)
	}
	f.check(len(m.Views) == 0 && m.Fill == nil && m.Family == nil && m.Sequences == dataset.Numbers &&
		m.Columns == nil, "features that occur, and others that are named")
}

// streamSection is the rows of a stream.
type streamSection struct{ plainSection }

var _ section = streamSection{}

func (streamSection) since(m *Model) int { return sinceIf(m.Stream != nil, presentVersion) }

func (streamSection) check(m *Model, f *faults) {
	if s := m.Stream; s != nil {
		f.check(s.Seen >= m.Points && s.Prepared >= 0 && s.Prepared <= s.Seen && s.Vectors >= 0 && s.Vectors <= m.Points,
			"%d points of a stream of %d, prepared on %d", m.Points, s.Seen, s.Prepared)
	}
}

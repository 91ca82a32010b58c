package command

import (
	"bigmkl/dataset"
	"bigmkl/internal/model"
)

// fewestKnown is the number of support vectors below which rows are not compared: a few rows of small numbers may be
// equal by chance.
const fewestKnown = 10

// knownSource finds out whether rows to predict are the rows of the training. It compares each row whose number a
// support vector has with that vector, bit by bit. The fingerprint of a model would need labels, too.
// The warning exists because an accuracy on training rows is a common mistake, and looks like a
// success.
type knownSource struct {
	dataset.Source
	model *model.Model
	rows  int
	// next counts the support vectors that were equal to their rows.
	next  int // number of support vectors that the rows have
	index []int32
	value []float32
	other bool // other is set once a row differs, and nothing is compared from then on.
}

// compareKnown returns a source that compares the rows of src with the support vectors of a model. If the vectors are
// not the features of the rows, or are few, it returns src and nil.
func compareKnown(m *model.Model, src dataset.Source) (dataset.Source, *knownSource) {
	if !m.Seen() || len(m.Support) < fewestKnown || m.Occurring != nil || m.Family.Projection() != nil {
		return src, nil
	}
	s := &knownSource{Source: src, model: m}
	return s, s
}

// Next returns the next row. Support has the row numbers of the vectors in ascending order, so one
// position in it is enough.
func (s *knownSource) Next() (dataset.Row, error) {
	r, err := s.Source.Next()
	if err != nil || s.other {
		return r, err
	}
	if s.next < len(s.model.Support) && int(s.model.Support[s.next]) == s.rows {
		s.other = len(r.Index) != len(r.Value) || !s.equalsVector(&r)
		s.next++
	}
	s.rows++
	return r, nil
}

// equalsVector reports whether a row, scaled as in the training, is the next support vector. Zeros are
// not compared: a sparse row does not list them, and a dense vector does.
func (s *knownSource) equalsVector(r *dataset.Row) bool {
	m := s.model
	var err error
	if s.index, s.value, err = m.Scaling.Sparse(*r, m.Features, s.index[:0], s.value[:0]); err != nil {
		return false // The prediction meets the fault, too, and reports it.
	}
	at, same := 0, true
	err = m.Guard(func() error {
		m.Each(s.next, func(j int, x float32) {
			switch {
			case x == 0:
			case at < len(s.index) && int(s.index[at]) == j && s.value[at] == x:
				at++
			default:
				same = false
			}
		})
		return nil
	})
	return err == nil && same && at == len(s.index)
}

// areKnown reports whether all rows until now are the rows of the training, in its order. The source may be nil.
func (s *knownSource) areKnown() bool {
	return s != nil && !s.other && s.next == len(s.model.Support) && s.rows == s.model.Points
}

// warning describes what the figures of known rows do not show, or is "".
func (s *knownSource) warning() string {
	if !s.areKnown() {
		return ""
	}
	return "these are the rows of the training: their figures do not show how well the model predicts new rows"
}

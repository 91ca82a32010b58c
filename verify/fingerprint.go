package verify

import (
	"bigmkl/dataset"
	"bigmkl/model"
)

// fingerprint makes the fingerprint of the data as the model scales and labels them.
type fingerprint struct {
	hash    *dataset.Hasher
	rows    int
	labels  []int32
	targets []float64
	weights []float64 // nil: all 1 so far
	index   []int32
	value   []float32
}

func newFingerprint(m *model.Model) *fingerprint {
	return &fingerprint{hash: dataset.NewHasher(m.Points, m.Features)}
}

// add takes a row of a class, or with a target.
func (f *fingerprint) add(class int32, y float64, data *dataset.Row, m *model.Model) (err error) {
	if f.index, f.value, err = m.Scaling.Sparse(*data, m.Features, f.index[:0], f.value[:0]); err != nil {
		return err
	}
	f.hash.Row(f.index, f.value)
	weight := data.Weight
	if weight == 0 {
		weight = 1
	}
	if weight != 1 && f.weights == nil {
		for range f.rows {
			f.weights = append(f.weights, 1)
		}
	}
	if f.weights != nil || weight != 1 {
		f.weights = append(f.weights, weight)
	}
	f.rows++
	switch model.Labeling(m.Task) {
	case dataset.Targets:
		f.targets = append(f.targets, y)
	case dataset.Classes:
		f.labels = append(f.labels, class)
	}
	return nil
}

// sum ends it; classes ascend, of two the negative one first.
func (f *fingerprint) sum(m *model.Model, c *decomposition) uint64 {
	f.hash.Targets(f.targets)
	var classes []string
	if c != nil {
		var rank []int32
		classes, rank = c.rankClasses()
		for i, class := range f.labels {
			f.labels[i] = rank[class]
		}
	} else if m.HasClasses() {
		classes = []string{m.Negative, m.Positive}
	}
	return f.hash.Sum(f.labels, classes, f.weights)
}

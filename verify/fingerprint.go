package verify

import (
	"bigmkl/dataset"
	"bigmkl/internal/dataset/datahash"
	"bigmkl/internal/model"
)

// fingerprint computes the fingerprint of the data as the model scales, labels and weights them.
// Labels, targets and weights are hashed after all features and are kept until then.
type fingerprint struct {
	hash    *datahash.Hasher
	rows    int
	labels  []int32   // the class of each row, for a model of classes
	targets []float64 // the target of each row, for a regression
	uppers  []float64 // the upper bound of each row's time; nil as long as there is none
	weights []float64 // the weight of each row; nil as long as all are 1
	index   []int32   // features other than 0 of the last row, and their values
	value   []float32
	groups  groups // of relevances, in place of classes
}

// newFingerprint returns the fingerprint of no rows.
func newFingerprint(m *model.Model) *fingerprint {
	f := &fingerprint{hash: datahash.New(m.Points, m.Features)}
	if o := m.Occurring; o != nil {
		f.hash.Occurring(o.Width, o.Index)
	}
	return f
}

// add takes a row, of a class or with the target y. A weight of 0 means a row without a weight,
// which counts as 1.
func (f *fingerprint) add(class int32, y float64, data *dataset.Row, m *model.Model) (err error) {
	if f.index, f.value, err = m.Scaling.Sparse(*data, m.Features, f.index[:0], f.value[:0]); err != nil {
		return err
	}
	f.hash.Row(f.index, f.value)
	weight := data.Weight
	if weight == 0 {
		weight = 1
	}
	// Weights are kept from the first that is not 1 on, with those before filled in: data without
	// weights take no memory for them, and have the fingerprint of data with weights of 1.
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
	case dataset.Targets, dataset.Times:
		if data.Upper != 0 && f.uppers == nil {
			f.uppers = make([]float64, len(f.targets))
		}
		if f.uppers != nil {
			f.uppers = append(f.uppers, data.Upper)
		}
		f.targets = append(f.targets, y)
	case dataset.Relevances:
		f.targets, f.labels = append(f.targets, y), append(f.labels, class)
	case dataset.Classes:
		f.labels = append(f.labels, class)
	}
	return nil
}

// sum returns the fingerprint of all rows. Classes are hashed in their order and not in that of
// their appearance; of two the negative one comes first. It changes labels, and can be called
// once.
func (f *fingerprint) sum(m *model.Model, c *decomposition) uint64 {
	f.hash.Targets(f.targets)
	f.hash.Targets(f.uppers)
	var classes []string
	if c != nil {
		var rank []int32
		classes, rank = c.rankClasses()
		for i, class := range f.labels {
			f.labels[i] = rank[class]
		}
	} else if model.Labeling(m.Task) == dataset.Relevances {
		var rank []int32
		classes, rank = f.groups.ranked()
		for i, group := range f.labels {
			f.labels[i] = rank[group]
		}
	} else if m.HasClasses() {
		classes = []string{m.Negative, m.Positive}
	}
	all := f.hash.Sum(f.labels, classes, f.weights)
	if m.Posteriors != nil {
		return datahash.With(all, m.Posteriors)
	}
	return all
}

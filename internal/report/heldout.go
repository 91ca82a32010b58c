package report

import (
	"context"
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// HeldOut is the part of a page on predictions of rows whose classes or targets are known. It
// keeps what score.Score keeps and a sample of the decision values.
//
// The sample has the rows whose numbers are multiples of a stride. When it is full, the stride is doubled
// and every second row of the sample is dropped. The sample is therefore a function of the rows alone.
//
// A regular sample needs no random numbers, and two pages of the same rows are equal. Figures such as
// accuracy are of all rows and not of the sample.
type HeldOut struct {
	model *model.Model
	score *score.Score
	// classifiers is the number of decision values of a row that are kept, 0 if none is.
	classifiers int

	// text opens the section of the rows of a selection; it is empty for rows of a file.
	text string

	rows   int // that have a class or a target
	stride int
	most   int         // rows of the sample
	values [][]float64 // of each classifier: decision values, or the predicted numbers
	has    [][]bool    // of each classifier: the row is of its class, or has its label
	target []float64   // of regression

	// confusion counts rows of two classes, negative and positive, by what was predicted.
	confusion [2][2]int
	regions   []*regionCounts // nil without calibration scores
	bins      [calibrationBins]bin
}

// bin counts the probabilities that lie in one part of [0, 1].
type bin struct {
	count, hits int
	sum         float64
}

const (
	calibrationBins = 10
	// mostSample is the number of decision values that are kept for curves. A curve of a million rows
	// has an error of the area of about 0.0005, which no chart shows.
	mostSample = 1 << 20
	// sampleBytes is what one of them takes: itself, whether its row is positive, both once more in
	// their order, and the room of lists that grow.
	sampleBytes = 48
	// mostCurves is the number of classes whose curves are drawn.
	mostCurves = colours
)

// Predict predicts the rows of a source and keeps what a page shows of them. It sets o.Left. Rows
// stream by, so a test file may be larger than memory.
func Predict(ctx context.Context, m *predict.Model, src dataset.Source, o predict.Options) (*HeldOut, error) {
	h := newHeldOut(&m.Model)
	o.Left = h.limit
	o.Probability = m.Sigmoids != nil
	err := m.Predict(ctx, src, o, func(p predict.Prediction) error { h.add(p); return nil })
	if err != nil {
		return nil, err
	}
	return h, nil
}

// newHeldOut begins with no rows.
func newHeldOut(m *model.Model) *HeldOut {
	h := &HeldOut{model: m, score: score.New(m), stride: 1, classifiers: 1, regions: newRegionCounts(m)}
	switch {
	// These models have no decision value of a class or target that a curve could be drawn of: a time
	// may be censored, and a classifier of one-versus-one is about two classes alone.
	case model.DescribesSupport(m.Task), m.Labeling() == dataset.Times, m.Multiclass == model.OneVsOne:
		h.classifiers = 0
	case m.Multiclass == model.Quantiles: // the quantile next to the median is drawn
	case m.Several():
		h.classifiers = min(len(m.Classes), mostCurves)
	}
	h.values, h.has = make([][]float64, h.classifiers), make([][]bool, h.classifiers)
	h.setMost(mostSample)
	return h
}

// limit keeps the rows that are kept to so many bytes. The score gets half of them. predict calls it
// before the first row, with the part of the memory budget that the model leaves.
func (h *HeldOut) limit(bytes int64) {
	// The score keeps values for its own ranks, such as AUC.
	h.score.Keep(bytes / 2)
	h.setMost(min(mostSample, bytes/2/sampleBytes))
}

// setMost sets the number of rows of the sample for a number of decision values. The sample has the
// same rows for all classifiers, so its room is divided by their number.
func (h *HeldOut) setMost(values int64) {
	h.most = max(int(values)/max(h.classifiers, 1), 16)
}

// add takes the prediction of the next row.
func (h *HeldOut) add(p predict.Prediction) {
	h.score.Add(p)
	for _, c := range h.regions {
		c.add(&p)
	}
	m := h.model
	switch {
	case h.classifiers == 0 && !m.HasClasses():
		return
	case m.HasClasses():
		// A row without a class is predicted and not judged.
		if p.Known == "" {
			return
		}
		h.calibrate(p)
		if !m.Several() {
			h.confuse(p)
		}
		if h.classifiers > 0 && h.sampled() {
			h.keepDecisions(p)
		}
	case !math.IsNaN(p.Target) && h.sampled():
		h.values[0], h.target = append(h.values[0], p.Decision), append(h.target, p.Target)
	}
}

// sampled reports whether the next row belongs to the sample, and makes room for it.
func (h *HeldOut) sampled() bool {
	h.rows++
	if (h.rows-1)%h.stride != 0 {
		return false
	}
	if len(h.values[0]) < h.most {
		return true
	}
	// The rows that stay are the multiples of the doubled stride, as everySecond keeps the first, the
	// third and so on.
	h.stride *= 2
	for k := range h.values {
		h.values[k] = everySecond(h.values[k])
		h.has[k] = everySecond(h.has[k])
	}
	h.target = everySecond(h.target)
	// This row is a multiple of the stride before, and perhaps not of the doubled one.
	return (h.rows-1)%h.stride == 0
}

// everySecond drops every second element of a list.
func everySecond[T any](list []T) []T {
	n := 0
	// The list is shortened in place. n never overtakes i.
	for i := 0; i < len(list); i += 2 {
		list[n], n = list[i], n+1
	}
	return list[:n]
}

// keepDecisions appends the decision values of a row to the sample. A model of two classes has one
// decision value, which is positive for the positive class.
func (h *HeldOut) keepDecisions(p predict.Prediction) {
	if !h.model.Several() {
		h.values[0], h.has[0] = append(h.values[0], p.Decision), append(h.has[0], p.Known == h.model.Positive)
		return
	}
	for k := range h.classifiers {
		h.values[k], h.has[k] = append(h.values[k], p.Decisions[k]), append(h.has[k], h.hasClass(p.Known, k))
	}
}

// hasClass reports whether a row of a class, or with a set of labels, is positive for class k.
func (h *HeldOut) hasClass(known string, k int) bool {
	if h.model.Multiclass == model.MultiLabel {
		return slices.Contains(labeltext.OfSet(known), h.model.Classes[k])
	}
	return known == h.model.Classes[k]
}

// confuse counts a row of two classes. One of another class has no place in the matrix.
func (h *HeldOut) confuse(p predict.Prediction) {
	predicted := 0
	if p.Label == h.model.Positive {
		predicted = 1
	}
	switch p.Known {
	case h.model.Negative:
		h.confusion[0][predicted]++
	case h.model.Positive:
		h.confusion[1][predicted]++
	}
}

// calibrate counts the probabilities of a row: that of the positive class, or of each of several
// classes or labels. A bin with mean probability s and share f of hits shows |f - s| as its distance
// from the diagonal. The weighted mean of these distances is known as the expected calibration error.
func (h *HeldOut) calibrate(p predict.Prediction) {
	if p.Probabilities == nil {
		return
	}
	count := func(probability float64, hit bool) {
		if !(probability >= 0) {
			return // That of a decision value that is not finite is NaN.
		}
		// A probability of 1 belongs to the last bin.
		b := &h.bins[min(int(probability*calibrationBins), calibrationBins-1)]
		b.count++
		b.sum += probability
		if hit {
			b.hits++
		}
	}
	if !h.model.Several() {
		count(p.Probabilities[1], p.Known == h.model.Positive)
		return
	}
	for k, x := range p.Probabilities {
		count(x, h.hasClass(p.Known, k))
	}
}

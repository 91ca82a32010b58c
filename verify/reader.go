package verify

import (
	"io"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// reader turns the data into batches. On the way it checks the data against the model, and gathers
// what the fingerprint and the factors of normalisation are computed from.
type reader struct {
	m             *model.Model
	gates         gatedRows
	wing          wing
	src           dataset.Source
	sample        *sample
	decomposition *decomposition  // nil for a model of one classifier
	positive      map[string]bool // the labels that count as 1, for a model of two classes
	negative      string          // the label that counts as -1; "" represents all others
	batchRows     int
	read          int // rows that were read
	support       *supportCheck
	roles         []role    // of the last row
	dense         []float32 // its features, scaled
	minimum       []float32 // of each feature the least value in the data, or 0 if that is less
	centre        []float64 // of each feature the mean, once all rows have been read
	fingerprint   *fingerprint
	variances     *variances      // nil if there are no factors to check
	fills         *fills          // nil if rows lack no views
	means         *centreCheck    // nil if no kernel is centred
	seen          map[string]bool // labels of positive that some row has
	faults        faults
}

// newReader returns a reader of the training data src of the model. A label of the model that is
// no label is an error of class corrupt.
func newReader(m *model.Model, classifiers []classifier, g gateSets, src dataset.Source, s *sample,
	v *variances) (*reader, error) {
	r := &reader{m: m, gates: newGatedRows(m, g), wing: wingOf(m), src: src, sample: s, positive: map[string]bool{},
		seen: map[string]bool{}, fingerprint: newFingerprint(m), variances: v, decomposition: newDecomposition(m)}
	r.support = newSupportCheck(m, r.wing, classifiers, s, &r.faults)
	r.means = newCentreCheck(m, &r.faults)
	if !m.HasClasses() || m.Several() {
		return r.sizeBatches(), nil
	}
	labels := m.PositiveLabels
	if labels == nil {
		labels = []string{m.Positive, m.Negative}
	}
	for _, l := range labels {
		name, err := labeltext.Canonical(l)
		if err != nil {
			return nil, fail.New(fail.Corrupt, "the model's classes: %w", err)
		}
		r.positive[name] = true
		r.negative = name
	}
	// A model that names the labels of its positive side takes all others for negative. One that
	// does not has exactly two labels, the second of which is negative, and other labels are
	// errors.
	if m.PositiveLabels == nil {
		delete(r.positive, r.negative)
	} else {
		r.negative = ""
	}
	return r.sizeBatches(), nil
}

// sizeBatches chooses the size of the batches and allocates what a row is laid out in.
func (r *reader) sizeBatches() *reader {
	m, s := r.m, r.sample
	r.batchRows = batchSize(m, s.rows)
	if laidOut(m) {
		r.dense, r.minimum = make([]float32, m.Features), make([]float32, m.Features)
		r.centre = make([]float64, m.Features)
	}
	return r
}

// nextBatch returns the next rows that count for a loss or for V_m, and io.EOF after the last.
// Data that end too early are an error of class input.
func (r *reader) nextBatch() (*batch, error) {
	var norm, rest []row
	for len(norm)+len(rest) < r.batchRows && r.read < r.m.Points {
		one, err := r.nextRow()
		if err == io.EOF {
			return nil, fail.New(fail.Input, "the data ends after %d rows, the model was trained on %d",
				r.read, r.m.Points).
				WithHint("verify reads the training data")
		}
		if err != nil {
			return nil, err
		}
		switch {
		case one.inNorm():
			norm = append(norm, one)
		case len(one.roles) > 0:
			rest = append(rest, one)
		}
	}
	if len(norm)+len(rest) == 0 {
		return nil, io.EOF
	}
	// The order within a batch is the order of the data in both parts, so sums have one order.
	b := &batch{rows: append(norm, rest...), inNorm: len(norm)}
	for i := range b.rows {
		b.rows[i].first = b.roles
		b.roles += len(b.rows[i].roles)
	}
	return b, nil
}

// nextRow reads a row, checks it, and returns it with the roles for which it is evaluated. Rows
// outside of the sample have none; they are read nevertheless, for fingerprint and factors cover
// all rows.
func (r *reader) nextRow() (row, error) {
	data, err := r.src.Next()
	if err != nil {
		return row{}, err
	}
	m, i := r.m, r.read
	if err := m.Sequences.Check(&data); err != nil {
		return row{}, err
	}
	// From here on r.read is the number of this row, counted from 1 as in messages.
	r.read++
	out := row{id: i, support: -1}
	class, err := r.assignRoles(&data)
	if err != nil {
		return row{}, err
	}
	if r.dense != nil {
		if err := m.Scaling.Dense(data, r.dense); err != nil {
			return row{}, err
		}
	}
	// The least value reports whether an intersection kernel is definite on these data. The mean
	// is taken term by term, which needs no second pass and cannot overflow.
	for j, v := range r.dense {
		r.minimum[j] = min(r.minimum[j], v)
		r.centre[j] += float64(v) / float64(m.Points)
	}
	// Fingerprint and factors cover all rows, also of those that are not evaluated.
	if err := r.fingerprint.add(class, r.roles[0].y, &data, m); err != nil {
		return row{}, err
	}
	if err := r.variances.addRow(r.dense); err != nil {
		return row{}, err
	}
	if r.dense != nil {
		r.fills.addRow(r.dense)
		r.means.addRow(i, r.dense)
	}
	// This sets which roles count for V_m, and has to come before roles are dropped.
	if r.support.isNext(i) {
		out.support = r.support.next
		r.support.check(r.read, &data, r.dense, r.roles)
	}
	r.wing.checkRow(m, i, out.support, r.roles[0], &r.faults)
	known := -1 // the support vector that the row is
	if n := r.support.next; n > 0 && int(m.Support[n-1]) == i {
		known = n - 1
	}
	r.gates.addRow(i, known, r.dense, r.sample.active, &out, &r.faults)
	// A row outside of the sample has no loss, but may be a support vector that counts for V_m.
	takes := r.sample.takes(i)
	if takes {
		out.roles = make([]role, 0, len(r.roles))
	}
	for _, p := range r.roles {
		if p.cost *= r.sample.lossScale; !takes {
			p.cost = 0
		}
		if p.norm != 0 || p.cost != 0 {
			out.roles = append(out.roles, p)
		}
	}
	// r.dense is used again for the next row, while batches are evaluated in other goroutines.
	if r.dense != nil && len(out.roles) > 0 {
		out.x = append([]float32(nil), r.dense...)
	}
	return out, nil
}

// checkEnd checks that the data end where the model's did, unless the model was trained on the
// first rows of more, and that every label that counts as positive occurred.
func (r *reader) checkEnd() error {
	for name := range r.positive {
		if !r.seen[name] {
			r.faults.add("label", "no row has the positive label %s", fail.Word(name))
		}
	}
	r.decomposition.checkClasses(&r.faults)
	r.gates.checkEnd(&r.faults)
	r.fills.check(&r.faults)
	r.fingerprint.checkCensoring(r.m, &r.faults)
	// A model that was trained on the first rows of its data does not describe the others.
	if r.m.Limit > 0 && r.m.Points >= r.m.Limit {
		return nil
	}
	_, err := r.src.Next()
	if err == nil {
		r.faults.add("end", "the data goes on after the %d rows that the model was trained on",
			r.m.Points)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

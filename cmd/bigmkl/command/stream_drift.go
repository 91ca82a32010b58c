package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/model"
)

// drift measures how the rows of a stream change: by the error of each model on the next batch,
// before the training sees it, and by the shares of the kernels in ||w||. It is nil without
// --drift, and its methods accept nil. The error ahead is honest, since the model has not seen the
// batch. The shares show which kernels the change is about.
type drift struct {
	predict bigmkl.PredictOptions
	model   *bigmkl.Model // the model before; nil before the first one
	shares  []float64     // of each kernel of that model in ||w||
}

// driftReport has the figures of one batch.
type driftReport struct {
	ahead  *evaluation // of the model before on the batch; nil without one
	shares []float64
	moved  float64 // half the sum of the changes of the shares; NaN without a model before
}

// read adds the rows of a batch to a trainer, and predicts each row with the previous model at
// the same time. A stream can be read once and need not fit into memory, so both readers take
// turns row by row. The score is nil if there is no model yet.
func (d *drift) read(ctx context.Context, rows dataset.Source, add func(dataset.Source) error) (
	s *score.Score, err error) {
	if d == nil || d.model == nil {
		return nil, add(rows)
	}
	// The trainer reads heard, and the goroutine listens to the same rows.
	heard := &heardRows{Source: rows, next: make(chan struct{}), rows: make(chan dataset.Row),
		over: make(chan struct{}), left: make(chan struct{})}
	var failed error
	go func() {
		defer close(heard.left)
		// Both results are read only after left is closed, which orders the two goroutines.
		s, failed = score.Of(ctx, d.model, listener{heard}, d.predict)
	}()
	// The order matters: over ends the listener, and left shows that it has ended.
	err = add(heard)
	close(heard.over)
	<-heard.left
	return s, cmp.Or(err, failed)
}

// follow reports on the batch, and keeps its model for the prediction of the next one. s is the
// score of the previous model on the batch. The change of the shares is their total variation distance,
// from 0 to 1.
func (d *drift) follow(m *bigmkl.Model, s *score.Score) *driftReport {
	if d == nil {
		return nil
	}
	// The first model has nothing to be compared with, so moved is not a number.
	r := &driftReport{shares: kernelShares(&m.Model), moved: math.NaN()}
	if s != nil {
		r.ahead = &evaluation{Evaluation: s.Evaluation()}
	}
	if d.model != nil {
		r.moved = 0
		for k, x := range r.shares {
			r.moved += math.Abs(x-d.shares[k]) / 2
		}
	}
	// The model before is closed here, as no later batch needs it.
	d.close()
	d.model, d.shares = m, r.shares
	return r
}

// close closes the model of the previous batch, if there is one.
func (d *drift) close() {
	if d != nil && d.model != nil {
		d.model.Close()
		d.model = nil
	}
}

// kernelShares returns the share of each kernel in the sum of ||w_m||, averaged over several classifiers.
func kernelShares(m *model.Model) []float64 {
	w := averageClassifiers(m).WNorms
	// If all weights are 0, all shares are 0.
	sum, shares := 0.0, make([]float64, len(w))
	for _, x := range w {
		sum += x
	}
	for k, x := range w {
		if sum > 0 {
			shares[k] = x / sum
		}
	}
	return shares
}

// String writes the report as the end of a line.
func (r *driftReport) String() string {
	text := ""
	if r.ahead != nil {
		text += fmt.Sprintf("; the previous model on the new rows: %s", r.ahead)
	}
	if !math.IsNaN(r.moved) {
		text += fmt.Sprintf("; shares moved by %.3g", r.moved)
	}
	return text
}

// driftJSON is a report in the object of a model.
type driftJSON struct {
	// Ahead has the figures of the previous model on the new rows, Shares one number for each kernel.
	Ahead  *evaluation `json:"ahead,omitempty"`
	Shares []number    `json:"shares"`
	Moved  *number     `json:"moved,omitempty"`
}

// newDriftJSON converts a report, which may be nil.
func newDriftJSON(r *driftReport) *driftJSON {
	if r == nil {
		return nil
	}
	j := &driftJSON{Ahead: r.ahead, Shares: numbers(r.shares)}
	// The first batch has no key "moved", because a change needs two models.
	if x := number(r.moved); !math.IsNaN(r.moved) {
		j.Moved = &x
	}
	return j
}

// heardRows is a source whose rows a second reader, the listener, gets as well. The next row is
// read only when the listener asks for it, because a row is valid only until the next one is
// read. A listener that has ended, after an error for example, does not hold up the first
// reader.
type heardRows struct {
	dataset.Source
	next       chan struct{} // the listener asks for a row
	rows       chan dataset.Row
	over, left chan struct{} // closed when no row will come, and when the listener has gone
}

// Next returns the next row, and gives it to the listener.
func (h *heardRows) Next() (dataset.Row, error) {
	select {
	case <-h.next:
	// Without the listener, rows go to the first reader alone.
	case <-h.left:
		return h.Source.Next()
	}
	row, err := h.Source.Next()
	if err == nil {
		h.rows <- row
	}
	return row, err
}

// listener reads the rows that another reader gets first.
type listener struct{ *heardRows }

// Next returns the next row, or io.EOF when the other reader has ended.
func (l listener) Next() (dataset.Row, error) {
	select {
	case l.next <- struct{}{}:
	case <-l.over:
		return dataset.Row{}, io.EOF
	}
	select {
	case row := <-l.rows:
		return row, nil
	case <-l.over:
		return dataset.Row{}, io.EOF
	}
}

package command

import (
	"context"
	"io"
	"time"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/internal/train"
)

// modelWriter writes the models of a run. One writer serves all models of a path or a stream.
type modelWriter struct {
	// options has the grace and the time limit of the run.
	cleanup *cleanup
	stdout  io.Writer
	options *bigmkl.Options
	// columns are the columns of the data if they are a table. The models keep them.
	columns *dataset.Columns
}

// model writes a model to a file or to standard output. After an interrupt or at the time limit of a run that
// began at the given time, it has no more time than the rest of the run. A model contains the columns
// because predict finds the columns of new data by name.
func (w *modelWriter) model(ctx context.Context, m *bigmkl.Model, path string, began time.Time) (err error) {
	// hard ends later than ctx: after an interrupt, the model is still written.
	hard, stop := w.options.Cut(ctx, began)
	defer stop()
	m.Columns = w.columns
	w.cleanup.addTarget(path)
	// A pipe has no name to rename to, so the model is written as it is encoded.
	if isStandardOutput(path) {
		err = model.Encode(hard, w.stdout, &m.Model)
	} else {
		err = m.Save(hard, path)
	}
	return train.Ended(hard, err, "the model was written")
}

// weights writes the weights of a model, unless no file is named.
// The file has theta, one weight for each kernel.
func (w *modelWriter) weights(m *bigmkl.Model, path string) error {
	if path == "" {
		return nil
	}
	w.cleanup.addTarget(path)
	return writeTheta(path, &m.Model)
}

package command

import (
	"bytes"
	"io"

	"bigmkl"
	"bigmkl/internal/files"
	"bigmkl/predict"
)

// mostKept is the size in bytes up to which a worker keeps a model. The file is read and compared at
// each prediction. With a larger file, the predictions themselves take longer than the opening.
const mostKept = 4 << 20

// keptModel is the model of the last prediction of a worker, by the content of its file. A worker
// answers one request at a time, so no lock guards it.
type keptModel struct {
	// content is the whole file, which is compared with the file of the next prediction.
	content []byte
	model   *bigmkl.Model
}

// openModel opens a model, and returns the function that closes it. For predictions with one model
// again and again, a worker reads the model once. Without a worker k is nil.
func (k *keptModel) openModel(path string) (m *bigmkl.Model, closeModel func() error, err error) {
	if k != nil {
		// A model that cannot be kept is opened in the ordinary way, which has the message for its
		// fault.
		if m := k.open(path); m != nil {
			return m, func() error { return nil }, nil
		}
	}
	if m, err = bigmkl.Open(path); err != nil {
		return nil, nil, err
	}
	return m, m.Close, nil
}

// open returns the model of a file, or nil if the file is large, no file or no model.
func (k *keptModel) open(path string) *bigmkl.Model {
	if info, err := files.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > mostKept {
		return nil
	}
	f, err := files.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, mostKept+1))
	if err != nil || len(content) > mostKept {
		return nil
	}
	// The content decides and not the name or the time: a file may be replaced by another within one
	// tick of the clock.
	if k.model != nil && bytes.Equal(content, k.content) {
		return k.model
	}
	m, err := predict.Decode(content, path)
	if err != nil {
		return nil
	}
	// Keep lets the prepared kernels of the model live until the next call.
	m.Keep()
	k.content, k.model = content, m
	return m
}

// Package models holds the model of one file that is in service, and replaces it while it is used.
//
// Purpose. A Holder opens a model file with all that a server needs of it, and opens it again when
// Reload is called. Users acquire the model and release it.
//
// Invariants. A user keeps the model that it has acquired, whose file stays mapped until the last
// user has released it. A file that cannot be loaded leaves the model that was there in service.
//
// Concurrency. All methods may be called at the same time.
//
// Memory. While one model replaces another both are there, each within Options.Memory.
package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"bigmkl/dataset/payload"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/predict"
)

// Options say how models are loaded.
type Options struct {
	// Threads and Memory are those of predict.Options, for one model.
	Threads int
	Memory  int64
	// Rows is the number of rows that a request may have.
	Rows int
	// IgnoreExtras says that features which the model does not know will be ignored. A model of sequences is
	// refused then: a letter is never left out.
	IgnoreExtras bool
	// Describe returns what is to be known of a model, an object of JSON.
	Describe func(*predict.Model) ([]byte, error)
}

// Holder holds the model of a file.
type Holder struct {
	path      string
	options   Options
	current   atomic.Pointer[Model]
	tried     atomic.Pointer[fs.FileInfo] // the file that was loaded last, or failed to be
	reloading sync.Mutex
}

// New returns a holder that has no model before the first call of Reload.
func New(path string, o Options) *Holder { return &Holder{path: path, options: o} }

// Model is a model in service, or one that was replaced and still has users.
type Model struct {
	*predict.Model
	Ready  *predict.Prepared
	About  []byte // what Options.Describe has returned
	Digest string // the SHA-256 of the file, in hexadecimal
	Since  time.Time
	Form   *payload.Form // the form of its rows
	// Words are those that the sequences of the training have, nil where no kernel compares words.
	Words *predict.Words
	// Computing has room for the requests that may compute at the same time.
	Computing chan struct{}
	// users counts those who use the model, and 1 while it is in service. Once it is 0 the
	// file is unmapped, and the number stays.
	users atomic.Int64
}

// load opens the model file and prepares its predictions.
func (h *Holder) load(ctx context.Context) (*Model, error) {
	info, err := files.Stat(h.path)
	if err != nil {
		return nil, files.InputFault("cannot open the model", h.path, err)
	}
	h.tried.Store(&info)
	digest, err := digestOf(h.path)
	if err != nil {
		return nil, err
	}
	m, err := predict.Open(h.path)
	if err != nil {
		return nil, err
	}
	l := &Model{Model: m, Digest: digest, Since: time.Now()}
	l.Form = payload.NewForm(m.DataFeatures(), m.Sequences, m.Columns, h.options.Rows)
	l.Form.Imputes = m.Scaling.Imputes()
	l.Words = predict.NewWords(&m.Model)
	l.users.Store(1)
	l.About, err = h.options.Describe(m)
	if err == nil && h.options.IgnoreExtras {
		err = predict.CheckNarrow(&m.Model)
	}
	if err == nil {
		l.Ready, err = m.Prepare(ctx, predict.Options{
			Threads: h.options.Threads, Probability: m.Sigmoids != nil, Memory: h.options.Memory,
		})
	}
	// A digest must not name another file than the one that was opened.
	if now, e := files.Stat(h.path); err == nil && (e != nil || !same(info, now)) {
		err = fail.New(fail.Input, "the model changed while it was loaded").At(h.path, 0, 0)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	l.Computing = make(chan struct{}, l.Ready.Calls())
	return l, nil
}

// digestOf returns the SHA-256 of a file.
func digestOf(path string) (string, error) {
	f, err := files.Open(path)
	if err != nil {
		return "", files.InputFault("cannot open the model", path, err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", files.InputFault("cannot read the model", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// same reports whether two looks at a path have met the same file, unchanged.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// Reload loads the model file again and puts the model into service. After an error the model that
// was there stays in service. Errors are those of predict.Open and predict.Model.Prepare.
func (h *Holder) Reload(ctx context.Context) error {
	h.reloading.Lock()
	defer h.reloading.Unlock()
	l, err := h.load(ctx)
	if err != nil {
		return err
	}
	if old := h.current.Swap(l); old != nil {
		old.Release()
	}
	return nil
}

// Changed reports whether there is another file than at the last call of Reload, whether that one
// could be loaded or not.
func (h *Holder) Changed() bool {
	now, err := files.Stat(h.path)
	return err == nil && !same(*h.tried.Load(), now)
}

// Current returns the model in service to one who does not use its support vectors.
func (h *Holder) Current() *Model { return h.current.Load() }

// Acquire returns the model in service, which the caller has to release.
func (h *Holder) Acquire() *Model {
	for {
		l := h.current.Load()
		// A model that was replaced since it was read may have no users any more, and then its file
		// may be closed: only a number above 0 may grow.
		if n := l.users.Load(); n > 0 && l.users.CompareAndSwap(n, n+1) {
			return l
		}
	}
}

// Release unmaps the file of the model after the last user.
func (l *Model) Release() {
	if l.users.Add(-1) == 0 {
		l.Close()
	}
}

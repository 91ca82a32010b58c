// Package models holds models that are in service, and replaces them while they are used.
//
// Purpose. A Holder opens a model file with all that a server needs of it, and opens it again to replace
// the model. Users acquire the model and release it. A Shelf has the holders of a file or a folder.
//
// Invariants. A user keeps the model that it has acquired, whose file stays mapped until the last
// user has released it. A file that cannot be loaded leaves the model that was there in service.
//
// Concurrency. All methods may be called at the same time.
//
// Memory. While one model replaces another both are there, each within its share of Options.Memory.
package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"bigmkl/internal/dataset/payload"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/predict"
)

// Options set how models are loaded.
type Options struct {
	// Threads and Memory are the fields of predict.Options.
	Threads int
	Memory  int64
	// Rows is the number of rows that a request may have.
	Rows int
	// IgnoreExtras means that features which the model does not know will be ignored. A model of sequences
	// is rejected then: a letter is never left out.
	IgnoreExtras bool
	// Describe returns what is to be known of a model, an object of JSON.
	Describe func(*predict.Model) ([]byte, error)
}

// Holder holds the model of a file.
type Holder struct {
	path    string
	options Options
	current atomic.Pointer[Model]
	tried   atomic.Pointer[fs.FileInfo] // the file that was loaded last, or failed to be
}

// New returns a holder that has no model before a shelf loads it.
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

// open opens the model file and prepares its predictions with a share of the memory.
func (h *Holder) open(ctx context.Context, share int64) (*Model, error) {
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
	l.Form = payload.NewForm(m.Input().Features(), m.Sequences, m.Columns, h.options.Rows)
	l.Form.Imputes = m.Scaling.Imputes()
	l.Words = predict.NewWords(&m.Model)
	l.users.Store(1)
	l.About, err = h.options.Describe(m)
	if err == nil && h.options.IgnoreExtras {
		err = predict.CheckNarrow(&m.Model)
	}
	if err == nil {
		l.Ready, err = m.Prepare(ctx, predict.Options{
			Threads: h.options.Threads, Probability: m.Sigmoids != nil, Memory: share,
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

// load loads the model file and puts the model into service. After an error the model that was there stays
// in service. Errors are the errors of predict.Open and predict.Model.Prepare. A shelf calls it, one call at a
// time.
func (h *Holder) load(ctx context.Context, share int64) error {
	l, err := h.open(ctx, share)
	if err != nil {
		return err
	}
	if old := h.current.Swap(l); old != nil {
		old.Release()
	}
	return nil
}

// retire takes the model out of service for good.
func (h *Holder) retire() {
	if old := h.current.Swap(nil); old != nil {
		old.Release()
	}
}

// Changed reports whether there is another file than at the last attempt to load it, whether that one
// could be loaded or not.
func (h *Holder) Changed() bool {
	now, err := files.Stat(h.path)
	tried := h.tried.Load()
	return err == nil && (tried == nil || !same(*tried, now))
}

// Current returns the model in service to one who does not use its support vectors, nil once there is none.
func (h *Holder) Current() *Model { return h.current.Load() }

// Acquire returns the model in service, which the caller has to release, or nil once there is none.
func (h *Holder) Acquire() *Model {
	for {
		l := h.current.Load()
		if l == nil {
			return nil
		}
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

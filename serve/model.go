package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"bigmkl/dataset/payload"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/predict"
)

// loaded is a model in service, or one that was replaced and still has requests.
type loaded struct {
	model  *predict.Model
	ready  *predict.Prepared
	about  []byte // the answer of GET /v1/model
	digest string // the SHA-256 of the file, in hexadecimal
	since  time.Time
	form   *payload.Form
	// computing has room for the requests that may compute at the same time.
	computing chan struct{}
	// users counts the requests that use the model, and 1 while it is in service. Once it is 0 the
	// file is unmapped, and the number stays.
	users atomic.Int64
}

// load opens the model file and prepares its predictions.
func (s *Server) load(ctx context.Context) (*loaded, error) {
	info, err := files.Stat(s.path)
	if err != nil {
		return nil, files.InputFault("cannot open the model", s.path, err)
	}
	s.tried.Store(&info)
	digest, err := digestOf(s.path)
	if err != nil {
		return nil, err
	}
	m, err := predict.Open(s.path)
	if err != nil {
		return nil, err
	}
	l := &loaded{model: m, digest: digest, since: time.Now()}
	l.form = payload.NewForm(m.Features, m.Sequences, m.Columns, s.options.Rows)
	l.users.Store(1)
	l.about, err = s.options.Describe(m)
	if err == nil {
		l.ready, err = m.Prepare(ctx, predict.Options{
			Threads: s.options.Threads, Probability: m.Sigmoids != nil, Memory: s.share(),
		})
	}
	// A digest must not name another file than the one that was opened.
	if now, e := files.Stat(s.path); err == nil && (e != nil || !same(info, now)) {
		err = fail.New(fail.Input, "the model changed while it was loaded").At(s.path, 0, 0)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	l.computing = make(chan struct{}, l.ready.Calls())
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
func (s *Server) Reload(ctx context.Context) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	l, err := s.load(ctx)
	if err != nil {
		s.metrics.failed.Add(1)
		return err
	}
	s.metrics.loads.Add(1)
	if old := s.current.Swap(l); old != nil {
		old.release()
	}
	return nil
}

// Changed reports whether there is another file than at the last call of Reload, whether that one
// could be loaded or not.
func (s *Server) Changed() bool {
	now, err := files.Stat(s.path)
	return err == nil && !same(*s.tried.Load(), now)
}

// acquire returns the model in service, which the caller has to release.
func (s *Server) acquire() *loaded {
	for {
		l := s.current.Load()
		// A model that was replaced since it was read may have no users any more, and then its file
		// may be closed: only a number above 0 may grow.
		if n := l.users.Load(); n > 0 && l.users.CompareAndSwap(n, n+1) {
			return l
		}
	}
}

// release unmaps the file of the model after the last request.
func (l *loaded) release() {
	if l.users.Add(-1) == 0 {
		l.model.Close()
	}
}

package serve

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/payload"
	"bigmkl/internal/serve/answers"
	"bigmkl/internal/serve/models"
	"bigmkl/predict"
)

// exchange is a request and what belongs to its answer.
type exchange struct {
	*Server
	w     http.ResponseWriter
	r     *http.Request
	route route
	found bool // whether the path has an answer
	held  bool // whether the request has a place among the predictions in progress
}

// reply makes the answer of the request, also of one that has met a bug.
func (x *exchange) reply() (a *reply) {
	defer func() {
		if e := recover(); e != nil {
			x.metrics.Panics.Add(1)
			x.options.Log("a bug: %v (please report it with what follows) %s", e, debug.Stack())
			a = reject(http.StatusInternalServerError, "a bug of the server", "")
		}
	}()
	if x.r.URL.Path == x.rejected {
		if c, ok := x.r.Context().Value(connKey{}).(*conn); ok {
			return reject(c.rejected.code, c.rejected.message, c.rejected.hint)
		}
	}
	if !x.options.Token.Admits(x.r) && !x.route.public() {
		a = reject(http.StatusUnauthorized, "the request has no token, or another one", "Authorization: Bearer TOKEN")
		a.fields = map[string]string{"WWW-Authenticate": "Bearer"}
		return a
	}
	if !x.found {
		return reject(http.StatusNotFound, "there is nothing here", "/openapi.json lists the paths")
	}
	method := x.route.method
	if x.r.Method != method && !(x.r.Method == http.MethodHead && method == http.MethodGet) {
		a = reject(http.StatusMethodNotAllowed, "the method is not "+method, "")
		a.fields = map[string]string{"Allow": method}
		return a
	}
	if x.route.predicts() {
		if wait := x.bucket.Take(time.Now()); wait > 0 {
			a = reject(http.StatusTooManyRequests, "too many requests in a second", "")
			a.wait = wait
			return a
		}
	}
	return x.route.answer(x)
}

// model returns the model that the path names, or the rejection.
func (x *exchange) model() (models.Entry, *reply) {
	e, ok := x.models.Find(x.route.name, x.route.version)
	switch {
	case ok:
		return e, nil
	case x.route.name == "":
		return e, reject(http.StatusNotFound, "several models are served, and the path names none", "/v1/models/NAME/predict")
	}
	return e, reject(http.StatusNotFound, "there is no such model, or no such version of it", "POST /v2/repository/index lists them")
}

// compute reads the body of a request for predictions and answers it, once there is room for it.
func (x *exchange) compute(answer func(context.Context, models.Entry, *models.Model, []byte) (*reply, error)) *reply {
	e, a := x.model()
	if a != nil {
		return a
	}
	if x.r.ContentLength > x.options.Body { // A client that waits for leave to send it is not given any.
		dropBody(x.r, x.options.Body)
		return x.rejectError(&http.MaxBytesError{Limit: x.options.Body})
	}
	if a := x.takePlace(); a != nil {
		return a
	}
	// The time to read the body begins again. Recorders of tests have no deadlines.
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Now().Add(x.options.Timeout))
	ctx, cancel := context.WithTimeout(x.r.Context(), x.options.Timeout)
	defer cancel()
	body, err := readBody(x.w, x.r, x.options.Body)
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			dropBody(x.r, x.options.Body)
		}
		return x.rejectError(err)
	}
	l := e.Acquire()
	if l == nil {
		return reject(http.StatusNotFound, "the model has left service", "")
	}
	defer l.Release()
	for _, room := range []chan struct{}{l.Computing, x.computing} {
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
		case <-ctx.Done():
			return x.rejectError(ctx.Err())
		}
	}
	if a, err = answer(ctx, e, l, body); err != nil {
		return x.rejectError(err)
	}
	return a
}

// rows predicts rows, counts them, and returns what in them the model does not know.
func (x *exchange) rows(ctx context.Context, l *models.Model, rows *payload.Rows, each func(predict.Prediction) error) (answers.Strange, error) {
	src, strange := x.watch(l, rows)
	n := 0
	if err := l.Ready.Predict(ctx, src, func(p predict.Prediction) error {
		n++
		return each(p)
	}); err != nil {
		return answers.Strange{}, err
	}
	found := strange()
	x.metrics.CountRows(n, found.Words, found.InSequences(), found.Extras())
	return found, nil
}

// watch returns the rows of a request, without features that the model does not know if those are to be ignored, and
// a function that names the parts of them that the model does not know, once they have been read.
func (x *exchange) watch(l *models.Model, rows *payload.Rows) (dataset.Source, func() answers.Strange) {
	src := dataset.Source(rows)
	var narrow *dataset.NarrowSource
	if x.options.IgnoreExtras {
		narrow = dataset.Narrow(src, l.Input().Features())
		src = narrow
	}
	words := l.Words.Watch(src)
	if words != nil {
		src = words
	}
	return src, func() answers.Strange {
		found := answers.Strange{Words: rows.Unknown()}
		if words != nil {
			n := words.Unknown()
			found.Sequences = &n
		}
		if narrow != nil {
			n := narrow.LeftOut()
			found.Ignored = &n
		}
		return found
	}
}

// takePlace waits until there is room for a prediction, in a queue of bounded length and time. Nothing of
// the body has been read by then. It returns the rejection where there is no room.
func (x *exchange) takePlace() *reply {
	select {
	case x.flight <- struct{}{}:
		x.held = true
		return nil
	default:
	}
	defer x.waiting.Add(-1)
	if x.waiting.Add(1) <= int64(x.options.Waiting) {
		late := time.NewTimer(x.options.Wait)
		defer late.Stop()
		select {
		case x.flight <- struct{}{}:
			x.held = true
			return nil
		case <-x.r.Context().Done():
			return x.rejectError(x.r.Context().Err())
		case <-late.C:
		}
	}
	a := reject(http.StatusServiceUnavailable, "too many requests are in progress", "")
	a.wait = time.Second
	return a
}

// leave gives the place back.
func (x *exchange) leave() {
	if x.held {
		<-x.flight
	}
}

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"bigmkl/conformal"
	"bigmkl/dataset"
	"bigmkl/dataset/payload"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/serve/answers"
	"bigmkl/serve/models"
)

// These are the types of bodies and of answers.
const (
	kindJSON = "application/json"
	kindNpy  = "application/x-npy"
)

// clientGone is the code of an answer that nobody reads. It shows in the metrics alone.
const clientGone = 499

// reply is a whole answer, so that an error never follows a part of one.
type reply struct {
	code       int
	kind       string
	head, body []byte // The body follows the head.
	wait       time.Duration
	allow      string
}

// predictReply answers POST /v1/predict.
func (s *Server) predictReply(w http.ResponseWriter, r *http.Request, held *bool) *reply {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != kindJSON && kind != kindNpy || r.Header.Get("Content-Encoding") != "" {
		return s.refuse(http.StatusUnsupportedMediaType, "the type of the body is not read",
			"Content-Type: "+kindJSON+" or "+kindNpy+", not compressed")
	}
	array := strings.Contains(r.Header.Get("Accept"), kindNpy)
	coverage, err := parseCoverage(r.URL.RawQuery, array)
	if err != nil {
		return s.refuseError(err)
	}
	if r.ContentLength > s.options.Body { // A client that waits for leave to send it is not given any.
		return s.refuseError(&http.MaxBytesError{Limit: s.options.Body})
	}
	if a := s.takePlace(r, held); a != nil {
		return a
	}
	// The time to read the body begins anew. Recorders of tests have no deadlines.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.options.Timeout))
	ctx, cancel := context.WithTimeout(r.Context(), s.options.Timeout)
	defer cancel()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.options.Body))
	if err != nil {
		return s.refuseError(err)
	}
	l := s.models.Acquire()
	defer l.Release()
	select {
	case l.Computing <- struct{}{}:
		defer func() { <-l.Computing }()
	case <-ctx.Done():
		return s.refuseError(ctx.Err())
	}
	a := answers.Answer{Model: l.Model, Digest: l.Digest, Contract: s.options.Contract, Most: s.options.Body, Array: array}
	if coverage > 0 {
		if a.Regions, err = conformal.New(&l.Model.Model, coverage); err != nil {
			return s.refuseError(err)
		}
	}
	rows := l.Form.JSON
	if kind == kindNpy {
		rows = l.Form.Npy
	}
	src, err := rows(body)
	if err != nil {
		return s.refuseError(err)
	}
	watched, strange := s.watch(l, src)
	if err := l.Ready.Predict(ctx, watched, a.Add); err != nil {
		return s.refuseError(err)
	}
	a.Strange = strange()
	s.metrics.CountRows(a.Rows(), a.Strange.Words, a.Strange.InSequences(), a.Strange.Extras())
	if kind = kindJSON; a.Array {
		kind = kindNpy
	}
	return &reply{code: http.StatusOK, kind: kind, head: a.Head(), body: a.Body()}
}

// parseCoverage returns the coverage that the query of a request asks for, 0 for none. Other parameters are not looked at.
func parseCoverage(query string, array bool) (float64, error) {
	const hint = "/v1/predict?coverage=0.9"
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, fail.New(fail.Usage, "the query of the request cannot be read").WithHint(hint)
	}
	switch list := values["coverage"]; {
	case list == nil:
		return 0, nil
	case len(list) > 1:
		return 0, fail.New(fail.Usage, "the query has %d coverages", len(list)).WithHint(hint)
	case array:
		return 0, fail.New(fail.Usage, "an array has no room for intervals or sets").WithHint("Accept: " + kindJSON)
	default:
		x, err := strconv.ParseFloat(list[0], 64)
		if err != nil || !(x > 0 && x < 1) {
			return 0, fail.New(fail.Usage, "coverage %s is not a number in (0, 1)", fail.Quote(list[0])).WithHint(hint)
		}
		return x, nil
	}
}

// watch returns the rows of a request, without features that the model does not know if those are to be ignored, and
// a function that says what in them the model does not know, once they have been read.
func (s *Server) watch(l *models.Model, rows *payload.Rows) (dataset.Source, func() answers.Strange) {
	src := dataset.Source(rows)
	var narrow *dataset.NarrowSource
	if s.options.IgnoreExtras {
		narrow = dataset.Narrow(src, l.DataFeatures())
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

// refuse returns the object of an error.
func (s *Server) refuse(code int, message, hint string) *reply {
	text, _ := json.Marshal(struct {
		Contract int    `json:"contract"`
		Command  string `json:"command"`
		Message  string `json:"message"`
		Hint     string `json:"hint,omitempty"`
	}{s.options.Contract, "serve", message, hint})
	return &reply{code: code, kind: kindJSON, body: append(text, '\n')}
}

// refuseError returns the object of an error, with the code that its class stands for: 4xx if the
// request is at fault, 5xx if the server or its model is. What names a file is told to the log
// alone, because the client has no part in it.
func (s *Server) refuseError(err error) *reply {
	var large *http.MaxBytesError
	var e *fail.Error
	switch {
	case errors.As(err, &large):
		return s.refuse(http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the body exceeds %d bytes", large.Limit), "send several requests")
	case errors.Is(err, context.DeadlineExceeded), files.Exhausted(err):
		a := s.refuse(http.StatusServiceUnavailable, "the server could not answer in time",
			"send fewer rows in a request, or the same later")
		a.wait = time.Second
		return a
	case errors.Is(err, context.Canceled):
		return s.refuse(clientGone, "the client has gone", "")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return s.refuse(http.StatusRequestTimeout, "the body did not come in time", "")
	case errors.As(err, &e) && (e.File == "" || e.File == payload.File) &&
		slices.Contains([]error{fail.Input, fail.Usage, fail.Budget}, e.Class):
		code, message := http.StatusBadRequest, e.Message
		if e.Class == fail.Budget {
			code = http.StatusRequestEntityTooLarge
		}
		if e.File != "" {
			message = fmt.Sprintf("row %d: %s", e.Line, message)
		}
		return s.refuse(code, fail.Line(message), e.Hint)
	case errors.As(err, &e):
		s.options.Log("a request failed: %v", err)
		return s.refuse(http.StatusInternalServerError, "the model cannot be read", "")
	}
	// What is left is a connection that has ended.
	return s.refuse(http.StatusBadRequest, "the body could not be read", "")
}

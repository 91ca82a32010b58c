package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"bigmkl/internal/dataset/payload"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// clientGone is the code of an answer that nobody reads. It shows in the metrics alone.
const clientGone = 499

// reply is a whole answer, so an error never follows a part of one.
type reply struct {
	code       int
	kind       string
	head, body []byte            // The body follows the head.
	fields     map[string]string // of the head of the answer, besides those that all have
	wait       time.Duration
	// problem is what is wrong, in place of a body.
	problem *problem
}

// problem is the content of an error.
type problem struct {
	Contract int    `json:"contract"`
	Command  string `json:"command"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	// Error repeats the message under the name that the Open Inference Protocol has for it.
	Error string `json:"error,omitempty"`
}

// render writes the object of an error, if the reply is one.
func (a *reply) render(contract int, open bool) {
	if a.problem == nil {
		return
	}
	a.problem.Contract, a.problem.Command = contract, "serve"
	if open {
		a.problem.Error = a.problem.Message
	}
	text, _ := json.Marshal(a.problem) // Texts have no errors.
	a.body = append(text, '\n')
}

// reject returns an error.
func reject(code int, message, hint string) *reply {
	return &reply{code: code, kind: kindJSON, problem: &problem{Message: message, Hint: hint}}
}

// rejectError returns the object of an error, with the code of its class: 4xx if the request is
// at fault, 5xx if the server or its model is. A text that names a file goes to the log alone,
// because it does not concern the client.
func (s *Server) rejectError(err error) *reply {
	var large *http.MaxBytesError
	var e *fail.Error
	switch {
	case errors.As(err, &large):
		return reject(http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the body exceeds %d bytes", large.Limit), "send several requests")
	case errors.Is(err, errEncoding):
		return reject(http.StatusUnsupportedMediaType, "the coding of the body is not read", "Content-Encoding: gzip, zstd, or none")
	case errors.Is(err, context.DeadlineExceeded), files.Exhausted(err):
		a := reject(http.StatusServiceUnavailable, "the server could not answer in time",
			"send fewer rows in a request, or the same later")
		a.wait = time.Second
		return a
	case errors.Is(err, context.Canceled):
		return reject(clientGone, "the client has gone", "")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return reject(http.StatusRequestTimeout, "the body did not come in time", "")
	case errors.As(err, &e) && (e.File == "" || e.File == payload.File) &&
		slices.Contains([]error{fail.Input, fail.Usage, fail.Budget}, e.Class):
		code, message := http.StatusBadRequest, e.Message
		if e.Class == fail.Budget {
			code = http.StatusRequestEntityTooLarge
		}
		if e.File != "" {
			message = fmt.Sprintf("row %d: %s", e.Line, message)
		}
		return reject(code, fail.Line(message), e.Hint)
	case errors.As(err, &e):
		s.options.Log("a request failed: %v", err)
		return reject(http.StatusInternalServerError, "the model cannot be read", "")
	}
	// What is left is a connection that has ended.
	return reject(http.StatusBadRequest, "the body could not be read", "")
}

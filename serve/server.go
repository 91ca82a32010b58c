package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"math"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"bigmkl/internal/fail"
	"bigmkl/predict"
	"bigmkl/serve/metrics"
	"bigmkl/serve/models"
)

// bodyCopies is how many times the largest body a request may take: the body, its copies in other
// forms, and the answer, which is as large at most and grows by being copied.
const bodyCopies = 5

// Limits bound what clients may ask for. All but Rate and Waiting have to be above 0.
type Limits struct {
	Body        int64         // bytes of a body, and of an answer
	Rows        int           // rows of a request
	Requests    int           // predictions in progress
	Waiting     int           // predictions that wait for others to end; more are refused at once
	Wait        time.Duration // for that
	Connections int           // open connections; more are closed at once
	Rate        float64       // requests for predictions a second; 0 sets no limit
	Timeout     time.Duration // of reading a request and, again, of answering it
}

// Options say how a model is served.
type Options struct {
	Limits
	// Threads is the number of requests that compute at the same time, and Memory the budget of
	// them and of all bodies in bytes. If they equal zero they are those of predict.Options.
	Threads int
	Memory  int64
	// IgnoreExtras takes features of rows that no training row had as 0, in place of an error.
	IgnoreExtras bool
	// Contract is the version of the objects in answers.
	Contract int
	// Describe returns the answer of GET /v1/model, an object of JSON.
	Describe func(*predict.Model) ([]byte, error)
	// Log takes lines for the one who runs the server. It may be called at any time.
	Log func(format string, args ...any)
}

// Server serves the model of one file.
type Server struct {
	options Options
	models  *models.Holder
	flight  chan struct{} // has room for the predictions in progress
	waiting atomic.Int64  // predictions that wait for room
	refused string        // the path of requests that stand for others, which conn refuses
	bucket  *metrics.Bucket
	metrics metrics.Metrics
	ending  atomic.Bool
}

// New loads a model. Errors are those of Reload, and of class fail.Budget if the memory budget does
// not hold the bodies that the limits allow.
func New(ctx context.Context, path string, o Options) (*Server, error) {
	bodies := bodyCopies * o.Body * int64(o.Requests)
	if bodies >= o.Memory {
		return nil, fail.New(fail.Budget, "%d requests at once with bodies of %d bytes may take %d "+
			"bytes, more than the memory budget", o.Requests, o.Body, bodies).
			WithHint("lower --max-requests or --max-body")
	}
	s := &Server{options: o, flight: make(chan struct{}, o.Requests), refused: "/" + rand.Text()}
	s.bucket = metrics.NewBucket(o.Rate, time.Now())
	// There are two models while one replaces the other.
	s.models = models.New(path, models.Options{
		Threads: o.Threads, Memory: (o.Memory - bodies) / 2, Rows: o.Rows, IgnoreExtras: o.IgnoreExtras, Describe: o.Describe,
	})
	err := s.Reload(ctx)
	if errors.Is(err, fail.Budget) {
		return nil, fail.New(fail.Budget, "the memory budget has to hold %d bytes of bodies and, while "+
			"one model replaces another, twice what follows: %w", bodies, err)
	}
	return s, err
}

// Reload loads the model file again and puts the model into service. After an error the model that
// was there stays in service. Errors are those of predict.Open and predict.Model.Prepare.
func (s *Server) Reload(ctx context.Context) error {
	err := s.models.Reload(ctx)
	if err != nil {
		s.metrics.Failures.Add(1)
	} else {
		s.metrics.Loads.Add(1)
	}
	return err
}

// Changed reports whether there is another file than at the last call of Reload, whether that one
// could be loaded or not.
func (s *Server) Changed() bool { return s.models.Changed() }

// Serve answers requests until ctx is done. Then it takes no more of them and waits for those in
// progress, for as long as grace at most; the error of what it cut is context.DeadlineExceeded.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	o := &s.options
	// The limit of a head is that of conn, and OPTIONS * has an answer like all others.
	h := &http.Server{
		Handler: s, MaxHeaderBytes: 2 * mostHead, DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout: min(headTime, o.Timeout), ReadTimeout: o.Timeout, WriteTimeout: o.Wait + 3*o.Timeout,
		IdleTimeout: time.Minute, ErrorLog: log.New(logWriter(o.Log), "", 0), ConnState: s.countConnection,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	l = listener{l, "GET " + s.refused + " HTTP/1.1\r\nHost: refused\r\nConnection: close\r\n\r\n"}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.ending.Store(true)
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := h.Shutdown(late)
	if err != nil {
		h.Close()
	}
	return err
}

// connKey is the key of the connection of a request in its context.
type connKey struct{}

// logWriter passes on what net/http has to say.
type logWriter func(format string, args ...any)

// Write implements io.Writer.
func (w logWriter) Write(line []byte) (int, error) {
	w("%s", strings.TrimSpace(string(line)))
	return len(line), nil
}

// countConnection closes new connections beyond the limit, before a goroutine reads them.
func (s *Server) countConnection(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if s.metrics.Connections.Add(1) > int64(s.options.Connections) {
			c.SetDeadline(time.Now().Add(time.Second))
			a := s.refuse(http.StatusServiceUnavailable, "too many connections are open", "")
			fmt.Fprintf(c, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: %s\r\nContent-Length: %d\r\n"+
				"Retry-After: 1\r\nConnection: close\r\n\r\n%s", a.kind, len(a.body), a.body)
			c.Close()
		}
	case http.StateClosed, http.StateHijacked:
		s.metrics.Connections.Add(-1)
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start, prediction := time.Now(), r.URL.Path == pathPredict
	// The place is kept until the answer is written, because memory is.
	held := false
	defer func() {
		if held {
			<-s.flight
		}
	}()
	a := s.replyTo(w, r, &held)
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Content-Length", strconv.Itoa(len(a.head)+len(a.body)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if a.wait > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(a.wait.Seconds()))))
	}
	if a.allow != "" {
		h.Set("Allow", a.allow)
	}
	// Whoever reads the metrics after an answer finds it counted.
	s.metrics.Count(a.code, prediction, time.Since(start))
	w.WriteHeader(a.code)
	w.Write(a.head)
	w.Write(a.body)
}

// pathPredict is the path of predictions.
const pathPredict = "/v1/predict"

// replyTo makes the answer of a request, also of one that has met a bug. held is set once the request
// has a place among those in progress.
func (s *Server) replyTo(w http.ResponseWriter, r *http.Request, held *bool) (a *reply) {
	defer func() {
		if e := recover(); e != nil {
			s.metrics.Panics.Add(1)
			s.options.Log("a bug: %v (please report it with what follows) %s", e, debug.Stack())
			a = s.refuse(http.StatusInternalServerError, "a bug of the server", "")
		}
	}()
	if r.URL.Path == s.refused {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			return s.refuse(c.refused.code, c.refused.message, c.refused.hint)
		}
	}
	method := http.MethodGet
	if r.URL.Path == pathPredict {
		method = http.MethodPost
	}
	if r.Method != method && !(r.Method == http.MethodHead && method == http.MethodGet) {
		a = s.refuse(http.StatusMethodNotAllowed, "the method is not "+method, "")
		a.allow = method
		return a
	}
	text := func(body string) *reply {
		return &reply{code: http.StatusOK, kind: "text/plain; charset=utf-8", body: []byte(body)}
	}
	switch r.URL.Path {
	case pathPredict:
		if wait := s.bucket.Take(time.Now()); wait > 0 {
			a = s.refuse(http.StatusTooManyRequests, "too many requests in a second", "")
			a.wait = wait
			return a
		}
		return s.predictReply(w, r, held)
	case "/v1/model":
		return &reply{code: http.StatusOK, kind: kindJSON, body: s.models.Current().About}
	case "/metrics":
		return &reply{code: http.StatusOK, kind: "text/plain; version=0.0.4", body: s.metricsText()}
	case "/healthz":
		return text("ok\n")
	case "/readyz":
		if err := s.check(); err != nil {
			return s.refuse(http.StatusServiceUnavailable, "the server is not ready", "")
		}
		return text("ok\n")
	}
	return s.refuse(http.StatusNotFound, "there is nothing here",
		"/v1/predict, /v1/model, /healthz, /readyz, /metrics")
}

// takePlace waits until there is room for a prediction, in a queue of bounded length and time. Nothing of
// the body has been read by then. It returns the refusal where there is no room.
func (s *Server) takePlace(r *http.Request, held *bool) *reply {
	select {
	case s.flight <- struct{}{}:
		*held = true
		return nil
	default:
	}
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) <= int64(s.options.Waiting) {
		late := time.NewTimer(s.options.Wait)
		defer late.Stop()
		select {
		case s.flight <- struct{}{}:
			*held = true
			return nil
		case <-r.Context().Done():
			return s.refuseError(r.Context().Err())
		case <-late.C:
		}
	}
	a := s.refuse(http.StatusServiceUnavailable, "too many requests are in progress", "")
	a.wait = time.Second
	return a
}

// metricsText returns the answer of GET /metrics.
func (s *Server) metricsText() []byte {
	l := s.models.Current()
	return s.metrics.Text(len(s.flight), int(s.waiting.Load()), l.Digest, l.Since)
}

// check returns an error if the server ends or the file of its model has been written to.
func (s *Server) check() error {
	if s.ending.Load() {
		return errors.New("the server ends")
	}
	l := s.models.Acquire()
	defer l.Release()
	return l.Guard(func() error { return nil })
}

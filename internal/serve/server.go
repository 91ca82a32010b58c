package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"math"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"bigmkl/internal/fail"
	"bigmkl/internal/serve/access"
	"bigmkl/internal/serve/metrics"
	"bigmkl/internal/serve/models"
	"bigmkl/predict"
)

// bodyCopies is how many times the largest body a request may take: the body, its copies in other
// forms, and the answer, which is as large at most and grows by being copied.
const bodyCopies = 5

// Limits bound what clients may ask for. All but Rate and Waiting have to be above 0.
type Limits struct {
	Body        int64         // bytes of a body, and of an answer
	Rows        int           // rows of a request
	Requests    int           // predictions in progress
	Waiting     int           // predictions that wait for others to end; more are rejected at once
	Wait        time.Duration // for that
	Connections int           // open connections; more are closed at once
	Rate        float64       // requests for predictions a second; 0 sets no limit
	Timeout     time.Duration // of reading a body and predicting its rows, both together
}

// Options set how a model is served.
type Options struct {
	Limits
	// Threads is the number of requests that compute at the same time, and Memory the budget of
	// them and of all bodies in bytes. If they equal zero they are the defaults of
	// predict.Options.
	Threads int
	Memory  int64
	// IgnoreExtras takes features of rows that no training row had as 0, in place of an error.
	IgnoreExtras bool
	// Token is what requests have to bring, except those for health; nil for nothing.
	Token *access.Token
	// Certificate encrypts connections; nil for none.
	Certificate *access.Certificate
	// Contract is the version of the objects in answers.
	Contract int
	// Build names the program.
	Build metrics.Build
	// Describe returns the answer of GET /v1/model, an object of JSON.
	Describe func(*predict.Model) ([]byte, error)
	// Log takes lines for the one who runs the server. It may be called at any time.
	Log func(format string, args ...any)
}

// Server serves the model of one file, or the models of a folder.
type Server struct {
	options Options
	models  *models.Shelf
	flight  chan struct{} // has room for the predictions in progress
	// computing has room for those that compute, of all models together.
	computing chan struct{}
	waiting   atomic.Int64 // predictions that wait for room
	rejected  string       // the path of requests in place of others, which conn rejects
	bucket    *metrics.Bucket
	metrics   metrics.Metrics
	ending    atomic.Bool
}

// New loads the model of a file, or the models of a folder as package models has it. Errors are the errors of
// Reload, and of class fail.Budget if the memory budget does not hold the bodies that the limits allow.
func New(ctx context.Context, path string, o Options) (*Server, error) {
	bodies := bodyCopies * o.Body * int64(o.Requests)
	if bodies >= o.Memory {
		return nil, fail.New(fail.Budget, "%d requests at once with bodies of %d bytes may take %d "+
			"bytes, more than the memory budget", o.Requests, o.Body, bodies).
			WithHint("lower --max-requests or --max-body")
	}
	s := &Server{options: o, flight: make(chan struct{}, o.Requests), rejected: "/" + rand.Text()}
	s.computing = make(chan struct{}, cmp.Or(o.Threads, runtime.GOMAXPROCS(0)))
	s.bucket = metrics.NewBucket(o.Rate, time.Now())
	s.models = models.NewShelf(path, models.Options{
		Threads: o.Threads, Memory: o.Memory - bodies, Rows: o.Rows, IgnoreExtras: o.IgnoreExtras, Describe: o.Describe,
	})
	err := s.Reload(ctx)
	if errors.Is(err, fail.Budget) {
		return nil, fail.New(fail.Budget, "the memory budget has to hold %d bytes of bodies and, while "+
			"one model replaces another, twice what follows: %w", bodies, err)
	}
	return s, err
}

// Reload loads all models again, one by one, and puts each into service. After an error the model that
// was there stays in service. Errors are the errors of predict.Open and predict.Model.Prepare, joined.
func (s *Server) Reload(ctx context.Context) error { return s.load(ctx, true) }

// Refresh is Reload for models whose files are new, have changed or are gone.
func (s *Server) Refresh(ctx context.Context) error { return s.load(ctx, false) }

// Models returns the number of models in service.
func (s *Server) Models() int { return len(s.models.Entries()) }

// load loads all models, or those that have changed.
func (s *Server) load(ctx context.Context, all bool) error {
	err := s.options.Certificate.Reload()
	return errors.Join(err, s.models.Load(ctx, all, func(err error) {
		if err != nil {
			s.metrics.Failures.Add(1)
		} else {
			s.metrics.Loads.Add(1)
		}
	}))
}

// Changed reports whether there are other files than at the last call of Reload or Refresh, whether those
// could be loaded or not.
func (s *Server) Changed() bool { return s.models.Changed() }

// Limits of a connection of HTTP/2: requests at the same time, and bytes of bodies that wait for them.
const (
	streams     = 128
	streamBytes = 64 << 10
)

// Serve answers requests until ctx is done. Then it takes no more of them and waits for those in
// progress, for as long as grace at most; the error of what it cut is context.DeadlineExceeded.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	o := &s.options
	// The limit of a head is set by conn, and OPTIONS * has an answer like all others.
	h := &http.Server{
		Handler: s, MaxHeaderBytes: 2 * mostHead, DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout: min(headTime, o.Timeout), ReadTimeout: o.Timeout, WriteTimeout: o.Wait + 3*o.Timeout,
		IdleTimeout: time.Minute, ErrorLog: log.New(logWriter(o.Log), "", 0), ConnState: s.countConnection,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: streams, MaxReceiveBufferPerConnection: streamBytes, MaxReceiveBufferPerStream: streamBytes,
		},
		Protocols:   new(http.Protocols),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	// Below conn every connection is plain, and HTTP/2 is known by its preface.
	h.Protocols.SetHTTP1(true)
	h.Protocols.SetUnencryptedHTTP2(true)
	if o.Certificate != nil {
		l = tls.NewListener(l, o.Certificate.Config())
	}
	l = listener{l, "GET " + s.rejected + " HTTP/1.1\r\nHost: rejected\r\nConnection: close\r\n\r\n"}
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
	for {
		// A connection that becomes one of HTTP/2 just then misses the call that ends all of them.
		again, cancel := context.WithTimeout(late, time.Second)
		err := h.Shutdown(again)
		cancel()
		if err == nil {
			return nil
		}
		if late.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			h.Close()
			return err
		}
	}
}

// connKey is the key of the connection of a request in its context.
type connKey struct{}

// logWriter passes on the messages of net/http.
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
			a := reject(http.StatusServiceUnavailable, "too many connections are open", "")
			a.render(s.options.Contract, false)
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
	start := time.Now()
	x := exchange{Server: s, w: w, r: r}
	x.route, x.found = routeOf(r.URL.Path)
	// The place is kept until the response is written, because memory is.
	defer x.leave()
	a := x.reply()
	a.render(s.options.Contract, x.route.open)
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Content-Length", strconv.Itoa(len(a.head)+len(a.body)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	for name, value := range a.fields {
		h.Set(name, value)
	}
	if a.wait > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(a.wait.Seconds()))))
	}
	// Whoever reads the metrics after an answer finds it counted.
	s.metrics.Count(a.code, x.route.predicts(), time.Since(start))
	w.WriteHeader(a.code)
	w.Write(a.head)
	w.Write(a.body)
}

// metricsText returns the answer of GET /metrics.
func (s *Server) metricsText() []byte {
	var list []metrics.Model
	for _, e := range s.models.Entries() {
		if l := e.Current(); l != nil {
			list = append(list, metrics.Model{Name: e.Name, Version: e.Version, Digest: l.Digest, Since: l.Since})
		}
	}
	return s.metrics.Text(len(s.flight), int(s.waiting.Load()), list, s.options.Build)
}

// check returns an error if the server ends or the file of a model has been written to.
func (s *Server) check() error {
	for _, e := range s.models.Entries() {
		if err := s.checkModel(e); err != nil {
			return err
		}
	}
	return s.checkEnd()
}

// checkEnd returns an error once the server ends.
func (s *Server) checkEnd() error {
	if s.ending.Load() {
		return errors.New("the server ends")
	}
	return nil
}

// checkModel returns an error if the file of a model has been written to, or the model has left service.
func (s *Server) checkModel(e models.Entry) error {
	l := e.Acquire()
	if l == nil {
		return errors.New("the model is gone")
	}
	defer l.Release()
	return l.Guard(s.checkEnd)
}

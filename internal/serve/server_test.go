package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/serve/models"
)

// running is a server that listens.
type running struct {
	*Server
	address string
	end     context.CancelFunc
	ended   chan error
}

// listenOn serves on a free port until the test ends.
func listenOn(t testing.TB, s *Server, grace time.Duration) running {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := running{s, l.Addr().String(), cancel, make(chan error, 1)}
	go func() { r.ended <- s.Serve(ctx, l, grace) }()
	t.Cleanup(cancel)
	return r
}

// dial opens a connection to a server.
func (r running) dial(t testing.TB) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, bufio.NewReader(c)
}

const (
	noRows = `{"rows":[]}`
	// begun is the head of a request whose client waits until the handler reads the body.
	begun = "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
		"Content-Length: 11\r\nExpect: 100-continue\r\n\r\n"
)

// begin sends the head of a request and returns once the handler reads the body.
func (r running) begin(t testing.TB) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, from := r.dial(t)
	fmt.Fprint(c, begun)
	if line, err := from.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := from.ReadString('\n'); err != nil || line != "\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return c, from
}

// TestBusy: what exceeds the requests in progress is rejected at once, and other paths are not.
func TestBusy(t *testing.T) {
	o := generous()
	o.Requests = 1
	s, _ := start(t, o)
	r := listenOn(t, s, time.Minute)
	c, from := r.begin(t)
	w := post(s, kindJSON, "", []byte(noRows))
	if w.Code != 503 || w.Header().Get("Retry-After") != "1" || metric(t, s, "bigmkl_in_flight") != "1" {
		t.Errorf("code %d, wait %q", w.Code, w.Header().Get("Retry-After"))
	}
	io.WriteString(c, noRows)
	if a, err := http.ReadResponse(from, nil); err != nil || a.StatusCode != 200 {
		t.Errorf("the request that was there: %v", err)
	}
}

// TestTimeout: a prediction that does not end in time is 503, and neither a wait for a processor.
func TestTimeout(t *testing.T) {
	o := generous()
	o.Timeout = time.Nanosecond
	s, _ := start(t, o)
	body := []byte(`{"rows":[[1,1,1,1,1,1]]}`)
	if w := post(s, kindJSON, "", body); w.Code != 503 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("code %d, %s", w.Code, w.Body)
	}
	s.options.Timeout = 10 * time.Millisecond
	l := only(s)
	for range cap(l.Computing) {
		l.Computing <- struct{}{}
	}
	if w := post(s, kindJSON, "", body); w.Code != 503 {
		t.Errorf("while others compute: code %d, %s", w.Code, w.Body)
	}
}

// TestTimeoutsAddUp: the time to read a request does not run on while it is answered.
func TestTimeoutsAddUp(t *testing.T) {
	o := generous()
	o.Timeout = 50 * time.Millisecond
	s, _ := start(t, o)
	r := listenOn(t, s, time.Minute)
	l := only(s)
	for range cap(l.Computing) {
		l.Computing <- struct{}{}
	}
	a, err := http.Post("http://"+r.address+"/v1/predict", kindJSON, strings.NewReader(noRows))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode != 503 || a.Header.Get("Retry-After") != "1" {
		t.Errorf("code %d, and the wait is the server's", a.StatusCode)
	}
}

// TestClientsThatGo: a client that closes its connection ends its request.
func TestClientsThatGo(t *testing.T) {
	s, _ := start(t, generous())
	r := listenOn(t, s, time.Minute)
	l := only(s)
	for range cap(l.Computing) {
		l.Computing <- struct{}{}
	}
	c, _ := r.begin(t)
	io.WriteString(c, noRows)
	c.Close()
	for len(s.flight) > 0 { // until the server has seen it
		time.Sleep(time.Millisecond)
	}
	if metric(t, s, `bigmkl_requests_total{code="499"}`) != "1" {
		t.Error("counted otherwise")
	}
}

// TestSlowClients: clients that send heads or bodies byte by byte, or nothing, are cut off, and the
// places that they have taken are free again.
func TestSlowClients(t *testing.T) {
	o := generous()
	o.Timeout, o.Requests = 50*time.Millisecond, 1
	s, _ := start(t, o)
	r := listenOn(t, s, time.Minute)
	for name, text := range map[string]string{
		"nothing": "", "half a head": "POST /v1/predict HT", "an endless head": "GET /healthz HTTP/1.1\r\nHost: x\r\nX: ",
		"half a body": "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
	} {
		c, from := r.dial(t)
		io.WriteString(c, text)
		answer, err := io.ReadAll(from) // It ends when the server closes the connection.
		if name == "half a body" && !bytes.Contains(answer, []byte(" 408 ")) {
			t.Errorf("%s: %q, %v", name, answer, err)
		}
	}
	s.options.Timeout = time.Minute
	if w := post(s, kindJSON, "", []byte(noRows)); w.Code != 200 {
		t.Errorf("afterwards: code %d", w.Code)
	}
	big, from := r.dial(t)
	fmt.Fprintf(big, "GET /healthz HTTP/1.1\r\nHost: x\r\nX: %s\r\n\r\n", strings.Repeat("x", 40<<10))
	if a, err := http.ReadResponse(from, nil); err != nil || a.StatusCode != 431 {
		t.Errorf("a large head: %v", err)
	}
}

// TestConnections: connections beyond the limit are closed, and those that end make room.
func TestConnections(t *testing.T) {
	o := generous()
	o.Connections = 1
	s, _ := start(t, o)
	r := listenOn(t, s, time.Minute)
	get := func(c net.Conn, from *bufio.Reader) int {
		fmt.Fprint(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		a, err := http.ReadResponse(from, nil)
		if err != nil {
			return 0 // The connection was reset before its answer was read.
		}
		io.Copy(io.Discard, a.Body)
		return a.StatusCode
	}
	first, from := r.dial(t)
	if code := get(first, from); code != 200 {
		t.Fatal(code)
	}
	if code := get(r.dial(t)); code != 503 && code != 0 {
		t.Errorf("a second connection: code %d", code)
	}
	first.Close()
	for s.metrics.Connections.Load() > 0 { // until the server has seen it
		time.Sleep(time.Millisecond)
	}
	if code := get(r.dial(t)); code != 200 {
		t.Errorf("after the first has ended: code %d", code)
	}
}

// TestEnd: after the end of the context no request is accepted, the one in progress gets its
// answer, and the server reports that it is not ready.
func TestEnd(t *testing.T) {
	s, _ := start(t, generous())
	r := listenOn(t, s, time.Minute)
	c, from := r.begin(t)
	r.end()
	for {
		c, err := net.Dial("tcp", r.address)
		if err != nil {
			break
		}
		c.Close() // It may have been accepted just before the end.
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	if w.Code != 503 {
		t.Errorf("readyz: code %d", w.Code)
	}
	select {
	case err := <-r.ended:
		t.Fatalf("ended before the request: %v", err)
	default:
	}
	io.WriteString(c, noRows)
	if a, err := http.ReadResponse(from, nil); err != nil || a.StatusCode != 200 {
		t.Errorf("the request in progress: %v", err)
	}
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
}

// TestGrace: a request that does not end is cut.
func TestGrace(t *testing.T) {
	s, _ := start(t, generous())
	r := listenOn(t, s, time.Millisecond)
	_, from := r.begin(t)
	r.end()
	if err := <-r.ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := http.ReadResponse(from, nil); err == nil {
		t.Error("an answer")
	}
}

// TestReplacedUnderLoad: while models replace each other, every request gets the answer of the
// model that the answer names, and none is dropped. The file of a model is closed after its last
// request.
func TestReplacedUnderLoad(t *testing.T) {
	s, path := start(t, generous())
	rng := datasettest.Random(t, 4)
	other := filepath.Join(t.TempDir(), "other")
	train(t, other, datasettest.Clouds(rng, 90, 6), bigmkl.Options{Kernels: "gauss:0.3,poly:2"})
	rows := datasettest.Clouds(rng, 40, 6)
	body := asJSON(rows, 6, false)
	contents := [][]byte{read(t, path), read(t, other)}
	want := map[string][]prediction{}
	for _, p := range []string{path, other} {
		want[fmt.Sprintf("%x", sha256.Sum256(read(t, p)))] = expected(t, p, rows)
	}
	r := listenOn(t, s, time.Minute)
	stop, group := make(chan struct{}), sync.WaitGroup{}
	seen := sync.Map{}
	for range 6 {
		group.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for {
				select {
				case <-stop:
					return
				default:
				}
				a, err := client.Post("http://"+r.address+"/v1/predict", kindJSON, bytes.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				text, err := io.ReadAll(a.Body)
				a.Body.Close()
				if err != nil || a.StatusCode != 200 {
					t.Errorf("%v, %s, %s", err, a.Status, text)
					return
				}
				got := decode(t, text)
				if !alike(got.Predictions, want[got.Model]) {
					t.Errorf("other predictions of model %s", got.Model)
				}
				seen.Store(got.Model, true)
			}
		})
	}
	var olds []*models.Model
	both := func() (n int) {
		seen.Range(func(any, any) bool { n++; return true })
		return n
	}
	for i := 0; (i < 40 || both() < 2) && !t.Failed(); i++ {
		olds = append(olds, only(s))
		replace(t, path, contents[(i+1)%2])
		if !s.Changed() {
			t.Error("the change is not seen")
		}
		if err := s.Reload(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	group.Wait()
	for i, l := range olds {
		if l.Vectors != nil {
			t.Errorf("the file of model %d is open", i)
		}
	}
	if s.Changed() {
		t.Error("a change that is none")
	}
}

// TestOldModelStaysOpen: a request that began before a model was replaced ends on it.
func TestOldModelStaysOpen(t *testing.T) {
	s, path := start(t, generous())
	rows := datasettest.Clouds(datasettest.Random(t, 5), 10, 6)
	want := expected(t, path, rows)
	l := onlyEntry(s).Acquire()
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	var got []prediction
	err := l.Ready.Predict(context.Background(), datasettest.Stream(rows), func(p bigmkl.Prediction) error {
		got = append(got, prediction{Label: p.Label, Decision: p.Decision})
		return nil
	})
	if err != nil || !alike(got, want) {
		t.Errorf("%v, or other predictions", err)
	}
	if l.Release(); l.Vectors != nil {
		t.Error("the file is still open")
	}
}

// TestDamagedModels: a file that is damaged, cut short, empty, missing or of the future leaves the
// model in service, with an error and a count.
func TestDamagedModels(t *testing.T) {
	s, path := start(t, generous())
	good := read(t, path)
	before := only(s).Digest
	failures := 0
	try := func(name string, content []byte) {
		replace(t, path, content)
		err := s.Reload(context.Background())
		failures++
		var e *fail.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
		if got := decode(t, post(s, kindJSON, "", []byte(`{"rows":[[1,1,1,1,1,1]]}`)).Body.Bytes()); got.Model != before || len(got.Predictions) != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
	for at := 0; at < len(good); at += 1 + len(good)/40 {
		spoilt := bytes.Clone(good)
		spoilt[at] ^= 0x10
		try(fmt.Sprintf("byte %d", at), spoilt)
		try(fmt.Sprintf("cut at %d", at), good[:at])
	}
	if n := metric(t, s, "bigmkl_model_failures_total"); n != fmt.Sprint(failures) {
		t.Errorf("%s failures of %d", n, failures)
	}
	if s.Changed() {
		t.Error("a file that failed is tried again")
	}
	replace(t, path, good)
	if err := s.Reload(context.Background()); err != nil || metric(t, s, "bigmkl_model_loads_total") != "2" {
		t.Errorf("the good one: %v", err)
	}
}

// TestWrittenInPlace: a model file that is written to while it is mapped, which no command does,
// ends requests in 500 and not in wrong answers; the next model heals that.
func TestWrittenInPlace(t *testing.T) {
	o, lines := generous(), &logged{}
	o.Log = lines.log
	s, path := start(t, o)
	good := read(t, path)
	overwrite(t, path, good[:100])
	w := post(s, kindJSON, "", []byte(`{"rows":[[1,1,1,1,1,1]]}`))
	if w.Code != 500 || strings.Contains(w.Body.String(), path) || len(lines.lines) != 1 || !strings.Contains(lines.lines[0], path) {
		t.Errorf("code %d, %s, %q", w.Code, w.Body, lines.lines)
	}
	ready := httptest.NewRecorder()
	s.ServeHTTP(ready, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	if ready.Code != 503 {
		t.Errorf("readyz: code %d", ready.Code)
	}
	replace(t, path, good)
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	if w := post(s, kindJSON, "", []byte(`{"rows":[[1,1,1,1,1,1]]}`)); w.Code != 200 {
		t.Errorf("afterwards: code %d, %s", w.Code, w.Body)
	}
}

// TestMemoryOfBodies: limits whose bodies exceed the memory budget are rejected.
func TestMemoryOfBodies(t *testing.T) {
	_, path := start(t, generous())
	o := generous()
	o.Memory = 64 << 20
	if _, err := New(context.Background(), path, o); !errors.Is(err, fail.Budget) {
		t.Error(err)
	}
}

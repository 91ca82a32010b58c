package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"bigmkl/internal/serve/metrics"
)

// healthy is a request, and postHead the beginning of one for predictions.
const (
	healthy  = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	postHead = "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
)

// answersTo sends bytes and returns the codes of all answers. Each from 400 on has to be the object that is promised.
func (r running) answersTo(t testing.TB, text string) (codes []int) {
	t.Helper()
	c, from := r.dial(t)
	c.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(c, text)
	for {
		a, err := http.ReadResponse(from, nil)
		if err != nil {
			return codes
		}
		body, err := io.ReadAll(a.Body)
		codes = append(codes, a.StatusCode)
		if a.StatusCode >= 400 {
			var e struct{ Command, Message string }
			if err != nil || json.Unmarshal(body, &e) != nil || e.Command != "serve" || e.Message == "" ||
				a.Header.Get("Content-Type") != kindJSON {
				t.Errorf("%.200q: %s with %q, %v", text, a.Status, body, err)
			}
		}
		if a.Close {
			return codes
		}
	}
}

// TestHeads: every head that cannot be served, or that two parsers could read in two ways, has its code and the object of an
// error. It is counted, and nothing behind it is a request.
func TestHeads(t *testing.T) {
	s, _ := start(t, generous())
	r := listenOn(t, s, time.Minute)
	const chunks = "b\r\n" + noRows + "\r\n0\r\n\r\n"
	for name, c := range map[string]struct {
		text string
		code int
	}{
		"no HTTP":              {"GARBAGE\r\n\r\n", 400},
		"no version":           {"GET /healthz\r\n\r\n", 400},
		"a bad path":           {"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
		"a bad method":         {"G(T / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
		"no host":              {"GET /healthz HTTP/1.1\r\n\r\n", 400},
		"two hosts":            {"GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
		"a bad host":           {"GET /healthz HTTP/1.1\r\nHost: x y\r\n\r\n", 400},
		"no field":             {"GET /healthz HTTP/1.1\r\nHost: x\r\nfield\r\n\r\n", 400},
		"a folded field":       {"GET /healthz HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400},
		"a blank before colon": {postHead + "Content-Length : 11\r\n\r\n" + noRows, 400},
		"a return in a field":  {"GET /healthz HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n", 400},
		"a zero in a field":    {"GET /healthz HTTP/1.1\r\nHost: x\r\nA: b\x00c\r\n\r\n", 400},
		"a large head":         {"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n", 431},
		"version 3":            {"GET / HTTP/3.0\r\nHost: x\r\n\r\n", 505},
		"version 2":            {"PRI * HTTP/2.0\r\n\r\nSN\r\n\r\n", 505},
		"a coding":             {postHead + "Transfer-Encoding: gzip\r\n\r\n", 501},
		"two codings":          {postHead + "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, 501},
		"a list of codings":    {postHead + "Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks, 501},
		"length beside coding": {postHead + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, 400},
		"coding beside length": {postHead + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + chunks, 400},
		"coding in 1.0":        {"POST /v1/predict HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, 400},
		"two lengths":          {postHead + "Content-Length: 11\r\nContent-Length: 11\r\n\r\n" + noRows, 400},
		"a list of lengths":    {postHead + "Content-Length: 11, 11\r\n\r\n" + noRows, 400},
		"a length with a sign": {postHead + "Content-Length: +11\r\n\r\n" + noRows, 400},
		"below 0":              {postHead + "Content-Length: -1\r\n\r\n" + noRows, 400},
		"beyond all numbers":   {postHead + "Content-Length: 99999999999999999999999999\r\n\r\n", 413},
		"a large body":         {postHead + "Content-Length: 1000000000000\r\n\r\n", 413},
		"a body that waits":    {postHead + "Content-Length: 1000000000000\r\nExpect: 100-continue\r\n\r\n", 413},
		"another expectation":  {postHead + "Content-Length: 11\r\nExpect: tea\r\n\r\n" + noRows, 417},
		"OPTIONS *":            {"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404},
		"another path":         {"GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404},
	} {
		for _, before := range []string{"", healthy, "\r\n" + postHead + "Content-Length: 11\r\n\r\n" + noRows + "\r\n"} {
			counted := metricOr0(t, s, fmt.Sprintf("bigmkl_requests_total{code=%q}", fmt.Sprint(c.code)))
			codes := r.answersTo(t, before+c.text+healthy+healthy)
			want := fmt.Sprint([]int{c.code})
			if before != "" {
				want = fmt.Sprint([]int{200, c.code})
			}
			if fmt.Sprint(codes) != want {
				t.Errorf("%s behind %.20q: answers %v, want %s", name, before, codes, want)
			}
			if now := metricOr0(t, s, fmt.Sprintf("bigmkl_requests_total{code=%q}", fmt.Sprint(c.code))); now == counted {
				t.Errorf("%s is not counted", name)
			}
		}
	}
	for name, c := range map[string]struct {
		text string
		want []int
	}{
		"one behind the other":     {healthy + postHead + "Content-Length: 11\r\n\r\n" + noRows + healthy, []int{200, 200, 200}},
		"bare line feeds":          {"GET /healthz HTTP/1.1\nHost: x\n\n" + healthy, []int{200, 200}},
		"chunks end a connection":  {healthy + postHead + "Transfer-Encoding: chunked\r\n\r\n" + chunks + healthy, []int{200, 200}},
		"a request as a body":      {fmt.Sprintf("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(healthy)) + healthy + healthy, []int{404, 200, 404}},
		"a body of no use":         {fmt.Sprintf("GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(healthy)) + healthy + healthy, []int{200, 200, 404}},
		"HTTP 1.0":                 {"GET /healthz HTTP/1.0\r\n\r\n" + healthy, []int{200}},
		"leave to send is granted": {strings.TrimSuffix(begun, "\r\n\r\n") + "\r\nConnection: close\r\n\r\n" + noRows, []int{100, 200}},
	} {
		if codes := r.answersTo(t, c.text+"GET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); len(codes) < len(c.want) ||
			fmt.Sprint(codes[:len(c.want)]) != fmt.Sprint(c.want) {
			t.Errorf("%s: answers %v, want %v", name, codes, c.want)
		}
	}
}

// metricOr0 is metric where the line may be missing.
func metricOr0(t testing.TB, s *Server, name string) string {
	for line := range strings.Lines(string(s.metrics.Text(0, 0, nil, metrics.Build{}))) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			return rest
		}
	}
	return "0"
}

// TestHeadsByteByByte: a head and a body that come in pieces are read as in one.
func TestHeadsByteByByte(t *testing.T) {
	s, _ := start(t, generous())
	r := listenOn(t, s, time.Minute)
	c, from := r.dial(t)
	text := healthy + postHead + "Content-Length: 11\r\n\r\n" + noRows + "\r\n" + healthy
	go func() {
		for i := range len(text) {
			io.WriteString(c, text[i:i+1])
		}
	}()
	for range 3 {
		a, err := http.ReadResponse(from, nil)
		if err != nil || a.StatusCode != 200 {
			t.Fatal(err)
		}
		io.Copy(io.Discard, a.Body)
	}
}

// FuzzHeads: a head that passes is one that net/http reads, with one length and no doubt about it.
func FuzzHeads(f *testing.F) {
	for _, text := range []string{healthy, begun, postHead + "Transfer-Encoding: chunked\r\n\r\n", postHead + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
		"GET / HTTP/1.0\n\n", "GET http://x/ HTTP/1.1\r\nHost: x\r\nA: \tb \r\n\r\n", "\r\n\r\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		end := endOfHead(head)
		if end == 0 {
			return
		}
		head = head[:end]
		r, why := readStrictly(head)
		if (r == nil) == (why == nil) {
			t.Fatal("neither a request nor a rejection")
		}
		if why != nil {
			if why.code < 400 || why.message == "" {
				t.Fatal(why)
			}
			return
		}
		again, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
		if err != nil || again.ContentLength != r.ContentLength || r.ProtoMajor != 1 {
			t.Fatal(err, r.ContentLength)
		}
		lower := strings.ToLower(string(head))
		if strings.Contains(lower, "\ncontent-length:") && strings.Contains(lower, "\ntransfer-encoding:") {
			t.Fatal("two lengths")
		}
	})
}

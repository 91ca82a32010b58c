package serve

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// packed returns a text as gzip, and as frame of zstd at a level.
func packed(t testing.TB, text string, level zstd.EncoderLevel) (byGzip, byZstd []byte) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var f bytes.Buffer
	w, err := zstd.NewWriter(&f, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(level), zstd.WithWindowSize(8<<20))
	if err != nil {
		t.Fatal(err)
	}
	for piece := range strings.Lines(text) { // As a stream, whose length the head does not tell.
		w.Write([]byte(piece))
		w.Flush()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), f.Bytes()
}

// TestCompressedBodies: compressed bodies are read as others are. What they expand to has the limit of a body, and what is
// damaged, cut short or of another coding is rejected.
func TestCompressedBodies(t *testing.T) {
	o := generous()
	o.Body = 300 << 10
	s, _ := start(t, o)
	row := `{"rows":[[1,1,1,1,1,1]]}`
	want := post(s, kindJSON, "", []byte(row)).Body.String()
	byGzip, byZstd := packed(t, row, zstd.SpeedFastest)
	bomb, zbomb := packed(t, `{"rows":[`+strings.Repeat(" ", 3<<20)+`[1,1,1,1,1,1]]}`, zstd.SpeedDefault)
	_, wide := packed(t, "a\nb", zstd.SpeedDefault) // Its frame wants a window of 8 MiB.
	full, _ := packed(t, row+strings.Repeat(" ", 300<<10-len(row)), zstd.SpeedDefault)
	over, _ := packed(t, row+strings.Repeat(" ", 300<<10-len(row)+1), zstd.SpeedDefault)
	twice := append(bytes.Clone(byGzip), byGzip...)
	damaged := bytes.Clone(byGzip)
	damaged[len(damaged)-5] ^= 1
	var single bytes.Buffer
	w, _ := zstd.NewWriter(nil)
	single.Write(w.EncodeAll([]byte(row), nil))
	for name, c := range map[string]struct {
		coding string
		body   []byte
		code   int
		want   string
	}{
		"none": {"identity", []byte(row), 200, ""}, "gzip": {"gzip", byGzip, 200, ""}, "GZIP": {"GZIP", byGzip, 200, ""}, "x-gzip": {"x-gzip", byGzip, 200, ""},
		"zstd": {"zstd", single.Bytes(), 200, ""}, "full": {"gzip", full, 200, ""}, "one byte more": {"gzip", over, 413, "exceeds 307200 bytes"},
		"zstd of a stream": {"zstd", byZstd, 413, "window"}, "two members": {"gzip", twice, 400, "something follows"},
		"bomb": {"gzip", bomb, 413, "exceeds 307200 bytes"}, "bomb of zstd": {"zstd", zbomb, 413, ""}, "a wide window": {"zstd", wide, 413, "window"},
		"damaged": {"gzip", damaged, 400, "damaged"}, "cut": {"gzip", byGzip[:len(byGzip)-1], 400, "cut short"}, "cut in zstd": {"zstd", single.Bytes()[:single.Len()-1], 400, "cut short"},
		"plain as gzip": {"gzip", []byte(row), 400, "damaged"}, "plain as zstd": {"zstd", []byte(row), 400, "damaged"}, "empty": {"gzip", nil, 400, "damaged"}, "no frame": {"zstd", nil, 400, "no object"},
		"gzip as zstd": {"zstd", byGzip, 400, "damaged"}, "brotli": {"br", byGzip, 415, "coding"}, "two codings": {"gzip, zstd", byGzip, 415, "coding"},
		"large as sent": {"gzip", bytes.Repeat([]byte("x"), 301<<10), 413, "exceeds"},
	} {
		got := ask(s, "POST", "/v1/predict", c.body, "Content-Type", kindJSON, "Content-Encoding", c.coding)
		if got.Code != c.code || !strings.Contains(got.Body.String(), c.want) || c.code == 200 && got.Body.String() != want {
			t.Errorf("%s: code %d, %.200s", name, got.Code, got.Body)
		}
	}
	if n := len(s.flight); n != 0 {
		t.Errorf("%d places are taken", n)
	}
}

// FuzzCoding: no bytes in a coding do more than be rejected.
func FuzzCoding(f *testing.F) {
	o := generous()
	o.Body = 64 << 10
	s, _ := start(f, o)
	byGzip, byZstd := packed(f, `{"rows":[[1,1,1,1,1,1]]}`, zstd.SpeedDefault)
	f.Add("gzip", byGzip)
	f.Add("zstd", byZstd)
	f.Fuzz(func(t *testing.T, coding string, body []byte) {
		if strings.ContainsAny(coding, "\r\n") {
			return
		}
		w := ask(s, "POST", "/v1/predict", body, "Content-Type", kindJSON, "Content-Encoding", coding)
		if w.Code >= 500 || s.metrics.Panics.Load() > 0 {
			t.Fatal(fmt.Sprint(w.Code, w.Body))
		}
	})
}

// TestLongBodies: a client that sends all of a body before it reads gets the answer to one that is too long.
func TestLongBodies(t *testing.T) {
	t.Parallel()
	o := generous()
	o.Body = 1 << 20
	s, _ := start(t, o)
	r := listenOn(t, s, time.Minute)
	body := strings.Repeat(" ", mostDropped<<20)
	for name, text := range map[string]string{
		"length": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body),
		"chunks": fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body),
	} {
		c, from := r.dial(t)
		c.SetDeadline(time.Now().Add(time.Minute))
		if _, err := io.WriteString(c, postHead+text); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if a, err := http.ReadResponse(from, nil); err != nil || a.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}

package serve

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// TestQueue: 64 clients are all answered where 2 requests may be in progress and 62 wait. One more is rejected at once, and one
// that has waited too long is.
func TestQueue(t *testing.T) {
	o := generous()
	o.Requests, o.Waiting, o.Wait = 2, 62, time.Minute
	s, _ := start(t, o)
	r := listenOn(t, s, time.Minute)
	for range o.Requests {
		s.flight <- struct{}{}
	}
	body := `{"rows":[[1,1,1,1,1,1]]}`
	var group sync.WaitGroup
	codes := make(chan int, 62)
	for range 62 {
		group.Go(func() {
			a, err := http.Post("http://"+r.address+"/v1/predict", kindJSON, strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			a.Body.Close()
			codes <- a.StatusCode
		})
	}
	for s.waiting.Load() < 62 { // until all have come
		time.Sleep(time.Millisecond)
	}
	if metric(t, s, "bigmkl_waiting") != "62" {
		t.Error("those that wait are not told of")
	}
	if w := post(s, kindJSON, "", []byte(body)); w.Code != 503 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("one more: code %d", w.Code)
	}
	for range o.Requests {
		<-s.flight
	}
	group.Wait()
	close(codes)
	for code := range codes {
		if code != 200 {
			t.Errorf("code %d", code)
		}
	}
	s.options.Wait = time.Millisecond
	for range o.Requests {
		s.flight <- struct{}{}
	}
	if w := post(s, kindJSON, "", []byte(body)); w.Code != 503 {
		t.Errorf("waited too long: code %d", w.Code)
	}
	if n := s.waiting.Load(); n != 0 {
		t.Errorf("%d wait in the end", n)
	}
	if ok, busy := metric(t, s, `bigmkl_predict_seconds_count{code="200"}`), metric(t, s, `bigmkl_predict_seconds_count{code="503"}`); ok != "62" || busy != "2" {
		t.Errorf("%s answers and %s rejections have times", ok, busy)
	}
}

// TestIgnoredExtras: features that the model does not know are 0 where that is asked for, and counted. A model of sequences is
// rejected.
func TestIgnoredExtras(t *testing.T) {
	o := generous()
	s, path := start(t, o)
	known, more := []byte(`{"rows":[{"index":[1,3],"value":[1,2]}]}`), []byte(`{"rows":[{"index":[1,3,9],"value":[1,2,3]}]}`)
	if w := post(s, kindJSON, "", more); w.Code != 400 || !strings.Contains(decode(t, w.Body.Bytes()).Hint, "--ignore-extra-features") {
		t.Errorf("code %d, %s", w.Code, w.Body)
	}
	o.IgnoreExtras = true
	s = open(t, path, o)
	want, got := decode(t, post(s, kindJSON, "", known).Body.Bytes()), decode(t, post(s, kindJSON, "", more).Body.Bytes())
	if got.Ignored == nil || *got.Ignored != 1 || *want.Ignored != 0 || !alike(got.Predictions, want.Predictions) ||
		metric(t, s, "bigmkl_ignored_values_total") != "1" {
		t.Errorf("%v, not %v", got, want)
	}
	path = filepath.Join(t.TempDir(), "sequences")
	train(t, path, lettered(t), bigmkl.Options{Kernels: "spectrum:3", Sequences: dataset.DNA})
	if _, err := New(t.Context(), path, o); !errors.Is(err, fail.Usage) {
		t.Errorf("sequences: %v", err)
	}
}

// TestUnknownSequences: sequences that have no word in common with the training are counted in answers and metrics.
func TestUnknownSequences(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	train(t, path, lettered(t), bigmkl.Options{Kernels: "spectrum:3", Sequences: dataset.DNA})
	s := open(t, path, generous())
	for i, c := range []struct {
		rows    string
		unknown int
		sum     string
	}{{`"ACGTACGT"`, 0, "0"}, {`"NNNNNN","ACGTAA","AC"`, 2, "2"}, {`"NN"`, 1, "3"}} {
		got := decode(t, post(s, kindJSON, "", []byte(`{"rows":[`+c.rows+`]}`)).Body.Bytes())
		if got.UnknownSequences == nil || *got.UnknownSequences != c.unknown || metric(t, s, "bigmkl_unknown_sequences_total") != c.sum {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// lettered returns sequences of two classes.
func lettered(t testing.TB) (rows []dataset.Row) {
	t.Helper()
	for i := range 40 {
		text := strings.Repeat("ACGT"[i%4:]+"ACGT"[:i%4], 4)
		if i%2 == 0 {
			text = "GGGTTT" + text
		}
		r := dataset.Row{Label: fmt.Sprint(i % 2)}
		var err error
		if r.Index, r.Value, err = dataset.DNA.Sequence([]byte(text), nil, nil); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

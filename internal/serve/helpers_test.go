package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/serve/models"
	"bigmkl/internal/verifytest"
	"bigmkl/predict"
)

// generous has limits that tests lower one by one.
func generous() Options {
	return Options{
		Limits: Limits{
			Body: 1 << 20, Rows: 5000, Requests: 64, Connections: 256, Timeout: time.Minute,
		},
		Memory: 1 << 30, Contract: 1, Threads: 2,
		Describe: func(m *predict.Model) ([]byte, error) { return []byte(`{"task":"` + m.Task + `"}`), nil },
		Log:      func(string, ...any) {},
	}
}

// logged collects lines.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) log(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

// train writes the model of some rows to a file.
func train(t testing.TB, path string, rows []dataset.Row, o bigmkl.Options) {
	t.Helper()
	if o.Kernels == "" {
		o.Kernels = "gauss:0.05..1/3,linear"
	}
	m, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	if err := m.Save(context.Background(), path); err != nil {
		t.Fatal(err)
	}
}

// start returns a server of two classes in 6 dimensions, with its folder.
func start(t testing.TB, o Options) (*Server, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m")
	train(t, path, datasettest.Clouds(datasettest.Random(t, 1), 120, 6), bigmkl.Options{})
	return open(t, path, o), path
}

// open returns a server of a file, whose model is closed when the test ends.
func open(t testing.TB, path string, o Options) *Server {
	t.Helper()
	s, err := New(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { only(s).Release() })
	return s
}

// post sends a body to the handler itself.
func post(s http.Handler, kind, accept string, body []byte) *httptest.ResponseRecorder {
	return postQuery(s, "", kind, accept, body)
}

// postQuery sends a body with a query, as it is, to the handler itself.
func postQuery(s http.Handler, query, kind, accept string, body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/v1/predict", bytes.NewReader(body))
	r.URL.RawQuery = query
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// predicted is the object of an answer.
type predicted struct {
	Contract         int
	Command, Model   string
	Unknown          int
	UnknownSequences *int `json:"unknown_sequences"`
	Ignored          *int
	Classes          []string
	Classifiers      []string `json:"machines"`
	Predictions      []prediction
	Coverage         float64
	Thresholds       []*float64
	Message, Hint    string
}

type prediction struct {
	Label                    string
	Decision                 float64
	Decisions, Probabilities []float64
	Low, High                *float64
	Set                      []string
}

func decode(t testing.TB, body []byte) (p predicted) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil || p.Contract != 1 || p.Command != "serve" {
		t.Fatalf("%v: %s", err, body)
	}
	return p
}

// asJSON returns a body of rows, all features of which are there or only some.
func asJSON(rows []dataset.Row, d int, sparse bool) []byte {
	var list []any
	for _, r := range rows {
		if sparse {
			index := []int{}
			for _, j := range r.Index {
				index = append(index, int(j)+1)
			}
			list = append(list, map[string]any{"index": index, "value": append([]float64{}, r.Value...)})
			continue
		}
		list = append(list, dense(r, d))
	}
	b, err := json.Marshal(map[string]any{"rows": list})
	if err != nil {
		panic(err)
	}
	return b
}

func dense(r dataset.Row, d int) []float64 {
	x := make([]float64, d)
	for k, j := range r.Index {
		x[j] = r.Value[k]
	}
	return x
}

// expected returns the predictions of Model.Predict for rows.
func expected(t testing.TB, path string, rows []dataset.Row) (out []prediction) {
	t.Helper()
	m, err := predict.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	o := predict.Options{Probability: m.Sigmoids != nil}
	err = m.Predict(context.Background(), datasettest.Stream(rows), o, func(p predict.Prediction) error {
		out = append(out, prediction{Label: p.Label, Decision: p.Decision, Decisions: slices.Clone(p.Decisions), Probabilities: slices.Clone(p.Probabilities)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// alike reports whether predictions are equal to the bit.
func alike(a, b []prediction) bool {
	return slices.EqualFunc(a, b, func(a, b prediction) bool {
		return a.Label == b.Label && a.Decision == b.Decision && slices.Equal(a.Decisions, b.Decisions) &&
			slices.Equal(a.Probabilities, b.Probabilities)
	})
}

// replace puts a copy of a file in the place of another by renaming it.
func replace(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path+".new", content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// metric returns the line of GET /metrics that begins with a name.
func metric(t testing.TB, s *Server, name string) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(rest)
		}
	}
	t.Fatalf("no metric %s in\n%s", name, text)
	return ""
}

// overwrite writes to a file without replacing it.
func overwrite(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// onlyEntry returns the only model of a server, and only the model itself.
func onlyEntry(s *Server) models.Entry {
	e, ok := s.models.Find("", 0)
	if !ok {
		panic("no model")
	}
	return e
}

func only(s *Server) *models.Model { return onlyEntry(s).Current() }

package serve

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
)

// TestSameBits: answers in JSON and as arrays equal the results of Model.Predict, to the bit, for every
// kind of model, however the rows are sent and however many at once.
func TestSameBits(t *testing.T) {
	rng := datasettest.Random(t, 2)
	targets := datasettest.Clouds(rng, 90, 5)
	for i := range targets {
		targets[i].Target = float64(i%7) + 0.25
	}
	letters := make([]dataset.Row, 80)
	var sequences []string
	for i := range letters {
		text := make([]byte, 30)
		for j := range text {
			text[j] = "ACGT"[rng.IntN(4-2*(i%2)*(j%2))]
		}
		r := &letters[i]
		r.Label = fmt.Sprint(1 - 2*(i%2))
		r.Index, r.Value, _ = dataset.DNA.Sequence(text, nil, nil)
		sequences = append(sequences, fmt.Sprintf("%q", text))
	}
	for name, c := range map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		"two classes":   {datasettest.Clouds(rng, 150, 6), bigmkl.Options{}},
		"scaled":        {datasettest.Clouds(rng, 90, 6), bigmkl.Options{Scale: "standard", Store: "dense"}},
		"stored sparse": {datasettest.Clouds(rng, 90, 20), bigmkl.Options{Store: "sparse", Kernels: "gauss:0.1,laplace:0.2,poly:2"}},
		"probabilities": {datasettest.Clouds(rng, 90, 6), bigmkl.Options{Folds: 3}},
		"odds":          {datasettest.Clouds(rng, 90, 6), bigmkl.Options{Task: model.TaskLogistic}},
		"odds of rest":  {datasettest.Clusters(rng, 90, 5, 3, false), bigmkl.Options{Task: model.TaskLogistic, Multiclass: model.OneVsRest}},
		"one-vs-rest":   {datasettest.Clusters(rng, 90, 5, 3, false), bigmkl.Options{Multiclass: model.OneVsRest, Folds: 3}},
		"one-vs-one":    {datasettest.Clusters(rng, 90, 5, 4, false), bigmkl.Options{Multiclass: model.OneVsOne}},
		"labels":        {datasettest.Clusters(rng, 90, 5, 3, true), bigmkl.Options{Multiclass: model.MultiLabel}},
		"regression":    {targets, bigmkl.Options{Task: model.TaskSquare}},
		"quantile":      {targets, bigmkl.Options{Task: model.TaskQuantile, Tau: 0.9}},
		"expectile":     {targets, bigmkl.Options{Task: model.TaskExpectile, Tau: 0.9}},
		"times":         {targets, bigmkl.Options{Task: model.TaskSurvival}},
		"one class":     {datasettest.Clouds(rng, 90, 5), bigmkl.Options{Task: model.TaskOneClass}},
		"sequences":     {letters, bigmkl.Options{Kernels: "wd:5,spectrum:3", Sequences: dataset.DNA}},
		"precise":       {datasettest.Clouds(rng, 90, 5), bigmkl.Options{Precision: "64"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m")
			train(t, path, c.rows, c.o)
			s := open(t, path, generous())
			want, d := expected(t, path, c.rows), only(s).Features
			bodies := map[string][]byte{"dense": asJSON(c.rows, d, false), "sparse": asJSON(c.rows, d, true)}
			if c.o.Sequences != "" {
				bodies = map[string][]byte{"text": []byte(`{"rows":[` + strings.Join(sequences, ",") + "]}")}
			}
			for form, body := range bodies {
				w := post(s, kindJSON, "", body)
				if got := decode(t, w.Body.Bytes()); w.Code != 200 || !alike(got.Predictions, want) {
					t.Errorf("%s: code %d, or other predictions: %.300s", form, w.Code, w.Body)
				}
			}
			if c.o.Sequences != "" {
				return
			}
			for i := range c.rows[:5] {
				got := decode(t, post(s, kindJSON, "*/*", asJSON(c.rows[i:i+1], d, i%2 == 0)).Body.Bytes())
				if !alike(got.Predictions, want[i:i+1]) {
					t.Errorf("row %d alone: %v, want %v", i, got.Predictions, want[i])
				}
			}
			testArrays(t, s, c.rows, want)
		})
	}
}

// testArrays sends rows as arrays in both orders, and reads the answer as an array.
func testArrays(t *testing.T, s *Server, rows []dataset.Row, want []prediction) {
	t.Helper()
	d := only(s).Features
	head := npy.FormatMatrix(len(rows), d)
	c, f := slices.Clone(head), bytes.Replace(head, []byte("False,"), []byte("True, "), 1)
	for _, r := range rows {
		for _, x := range dense(r, d) {
			c = appendFloat(c, x)
		}
	}
	for j := range d {
		for _, r := range rows {
			f = appendFloat(f, dense(r, d)[j])
		}
	}
	var decisions []byte
	for _, p := range want {
		all := p.Decisions
		if all == nil {
			all = []float64{p.Decision}
		}
		for _, x := range all {
			decisions = appendFloat(decisions, x)
		}
	}
	for name, body := range map[string][]byte{"rows by rows": c, "columns by columns": f} {
		if got := decode(t, post(s, kindNpy, "", body).Body.Bytes()); !alike(got.Predictions, want) {
			t.Errorf("%s: other predictions", name)
		}
		w := post(s, kindNpy, "text/html, "+kindNpy, body)
		r := bytes.NewReader(w.Body.Bytes())
		a, err := npy.ReadHeader(r)
		if err != nil || a.Rows != len(rows) || a.Cols != max(1, len(want[0].Decisions)) || a.Size != 8 ||
			w.Header().Get("Content-Type") != kindNpy || !bytes.HasSuffix(w.Body.Bytes(), decisions) || r.Len() != len(decisions) {
			t.Errorf("%s: %v, %v, %d of %d bytes", name, err, a, r.Len(), len(decisions))
		}
	}
}

func appendFloat(b []byte, x float64) []byte {
	bits := math.Float64bits(x)
	for k := range 8 {
		b = append(b, byte(bits>>(8*k)))
	}
	return b
}

// TestRefusals: each limit and each fault has its code, one object, and a place in the metrics.
func TestRefusals(t *testing.T) {
	o := generous()
	o.Body, o.Rows = 2000, 20
	s, _ := start(t, o)
	many := `{"rows":[` + strings.Repeat("[1,1,1,1,1,1],", 20) + `[1,1,1,1,1,1]]}`
	short := `{"rows":[` + strings.Repeat(`{"index":[],"value":[]},`, 19) + `[1,1,1,1,1,1]]}`
	for name, c := range map[string]struct {
		method, path, kind, body string
		code                     int
		message                  string
	}{
		"fine":            {"POST", "/v1/predict", kindJSON, `{"rows":[[1,1,1,1,1,1]]}`, 200, ""},
		"20 rows":         {"POST", "/v1/predict", kindJSON, short, 200, ""},
		"no rows":         {"POST", "/v1/predict", kindJSON, `{"rows":[]}`, 200, ""},
		"charset":         {"POST", "/v1/predict", "application/json; charset=utf-8", `{"rows":[]}`, 200, ""},
		"too long":        {"POST", "/v1/predict", kindJSON, strings.Repeat(" ", 2001), 413, "exceeds 2000 bytes"},
		"too many rows":   {"POST", "/v1/predict", kindJSON, many, 413, "at most 20 rows"},
		"another path":    {"POST", "/predict", kindJSON, ``, 404, "nothing here"},
		"nothing there":   {"GET", "/predict", kindJSON, ``, 404, "nothing here"},
		"method":          {"GET", "/v1/predict", kindJSON, ``, 405, "POST"},
		"method of a GET": {"POST", "/metrics", kindJSON, ``, 405, "GET"},
		"type":            {"POST", "/v1/predict", "application/x-www-form-urlencoded", `{"rows":[]}`, 415, "type"},
		"no type":         {"POST", "/v1/predict", "", `{"rows":[]}`, 415, "type"},
		"empty":           {"POST", "/v1/predict", kindJSON, ``, 400, "no object"},
		"row":             {"POST", "/v1/predict", kindJSON, `{"rows":[[1,1,1,1,1,1],[1]]}`, 400, "row 2: "},
		"overflow":        {"POST", "/v1/predict", kindJSON, `{"rows":[[1e300,1,1,1,1,1]]}`, 400, "too large for a float32"},
		"no array":        {"POST", "/v1/predict", kindNpy, `{"rows":[]}`, 400, "npy"},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
			r.Header.Set("Content-Type", c.kind)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			got := decode(t, w.Body.Bytes())
			if w.Code != c.code || !strings.Contains(got.Message, c.message) || (got.Message == "") != (c.code == 200) {
				t.Errorf("code %d, %s, want %d", w.Code, w.Body, c.code)
			}
			if n := metric(t, s, fmt.Sprintf(`bigmkl_requests_total{code="%d"}`, c.code)); n == "0" {
				t.Error("not counted")
			}
		})
	}
	if metric(t, s, "bigmkl_rows_total") != "21" || metric(t, s, "bigmkl_panics_total") != "0" {
		t.Error("rows or panics are counted wrongly")
	}
}

// TestAnswersHaveALimit: an answer that would be larger than a body may be is rejected.
func TestAnswersHaveALimit(t *testing.T) {
	o := generous()
	o.Body = 3000
	s, _ := start(t, o)
	body := `{"rows":[` + strings.TrimSuffix(strings.Repeat("[1,1,1,1,1,1],", 200), ",") + "]}"
	if w := post(s, kindJSON, "", []byte(body)); w.Code != 413 || !strings.Contains(w.Body.String(), "the answer would exceed 3000 bytes") {
		t.Errorf("code %d, %.200s", w.Code, w.Body)
	}
}

// TestRate: what exceeds the rate gets 429 with the time to wait.
func TestRate(t *testing.T) {
	o := generous()
	o.Rate = 1e-3
	s, _ := start(t, o)
	if w := post(s, kindJSON, "", []byte(`{"rows":[]}`)); w.Code != 200 {
		t.Fatal(w.Code)
	}
	w := post(s, kindJSON, "", []byte(`{"rows":[]}`))
	if seconds := w.Header().Get("Retry-After"); w.Code != http.StatusTooManyRequests || len(seconds) != len("1000") && len(seconds) != len("999") {
		t.Errorf("code %d, wait %q", w.Code, seconds)
	}
}

// TestPanicsAreAnswered: a bug in a handler ends in 500, a line in the log and a count, and the
// server goes on.
func TestPanicsAreAnswered(t *testing.T) {
	o, lines := generous(), &logged{}
	o.Log = lines.log
	s, _ := start(t, o)
	r := httptest.NewRequest(http.MethodPost, "/v1/predict", panicking{})
	r.Header.Set("Content-Type", kindJSON)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != 500 || len(lines.lines) != 1 || !strings.Contains(lines.lines[0], "a bug: broken") || metric(t, s, "bigmkl_panics_total") != "1" {
		t.Errorf("code %d, %q", w.Code, lines.lines)
	}
	if w := post(s, kindJSON, "", []byte(`{"rows":[]}`)); w.Code != 200 || len(s.flight) != 0 {
		t.Errorf("afterwards: code %d", w.Code)
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("broken") }

// FuzzHandler: whatever is sent ends in one answer that is an object or an array, with a code that
// blames the client if it is an error, and never in a panic.
func FuzzHandler(f *testing.F) {
	s, path := start(f, generous())
	rows := datasettest.Clouds(datasettest.Random(f, 3), 3, 6)
	array := npy.FormatMatrix(1, 6)
	for range 6 {
		array = appendFloat(array, 0.5)
	}
	for _, b := range [][]byte{asJSON(rows, 6, false), asJSON(rows, 6, true), []byte(`{"rows":[{"columns":{"a":1}}]}`), []byte(`{"rows":["ACGT"]}`), []byte(`{"rows":[[[]]]}`), []byte(`{"rows":null}`)} {
		f.Add("/v1/predict", "", false, b)
	}
	f.Add("/v1/predict", "coverage=0.9", true, array)
	for _, query := range []string{"coverage=0.9", "coverage=", "coverage=NaN", "coverage=1e-320", "%zz", "a;b", "coverage=.5&coverage=.5", "coverage=0x1p-1"} {
		f.Add("/v1/predict", query, false, []byte(`{"rows":[]}`))
	}
	for _, at := range []string{"/metrics", "/v2", "/v2/health/live", "/v2/repository/index"} {
		f.Add(at, "", false, []byte{})
	}
	_ = path
	f.Fuzz(func(t *testing.T, at, query string, binary bool, body []byte) {
		kind := kindJSON
		if binary {
			kind = kindNpy
		}
		r := httptest.NewRequest(http.MethodPost, "/v1/predict", bytes.NewReader(body))
		r.URL.Path, r.URL.RawQuery = at, query
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code >= 500 || s.metrics.Panics.Load() > 0 {
			t.Fatalf("code %d, %s", w.Code, w.Body)
		}
		if strings.HasPrefix(at, "/v2") { // Its errors have a further key, and other paths other answers.
			if p := decodeProblem(t, w); p.Error != p.Message {
				t.Errorf("code %d, %s", w.Code, w.Body)
			}
			return
		}
		if got := decode(t, w.Body.Bytes()); (w.Code == 200) != (got.Message == "") {
			t.Errorf("code %d, %s", w.Code, w.Body)
		}
	})
}

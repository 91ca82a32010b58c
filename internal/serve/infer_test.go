package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/internal/serve/tensors"
)

// ask sends a request with fields of its head to the handler itself.
func ask(s http.Handler, method, path string, body []byte, fields ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, bytes.NewReader(body))
	for i := 0; i < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// inferred is an answer of tensors.
type inferred struct {
	Name       string         `json:"model_name"`
	Version    string         `json:"model_version"`
	ID         string         `json:"id"`
	Parameters map[string]any `json:"parameters"`
	Outputs    []struct {
		Name, Datatype string
		Shape          []int
		Parameters     struct {
			Size *int `json:"binary_data_size"`
		}
		Data []any
	}
	Error string
}

// readInferred returns the predictions of an answer of tensors, binary or not.
func readInferred(t testing.TB, w *httptest.ResponseRecorder) (list []prediction, a inferred) {
	t.Helper()
	text, rest := w.Body.Bytes(), []byte(nil)
	if head := w.Header().Get(tensors.HeadLength); head != "" {
		n, err := strconv.Atoi(head)
		if err != nil || n > len(text) || w.Header().Get("Content-Type") != kindBytes {
			t.Fatalf("%q, %v", head, err)
		}
		text, rest = text[:n], text[n:]
	}
	if err := json.Unmarshal(text, &a); err != nil || w.Code != 200 {
		t.Fatalf("code %d, %v: %.300s", w.Code, err, text)
	}
	for _, o := range a.Outputs {
		if list == nil {
			list = make([]prediction, o.Shape[0])
		}
		cols := 1
		if len(o.Shape) == 2 {
			cols = o.Shape[1]
		}
		var numbers []float64
		var words []string
		if o.Parameters.Size != nil {
			mine := rest[:*o.Parameters.Size]
			rest = rest[len(mine):]
			for len(mine) > 0 {
				if o.Datatype == "FP64" {
					numbers = append(numbers, math.Float64frombits(binary.LittleEndian.Uint64(mine)))
					mine = mine[8:]
					continue
				}
				n := 4 + int(binary.LittleEndian.Uint32(mine))
				words, mine = append(words, string(mine[4:n])), mine[n:]
			}
		}
		for _, x := range o.Data {
			switch x := x.(type) {
			case float64:
				numbers = append(numbers, x)
			case string:
				words = append(words, x)
			}
		}
		if len(numbers)+len(words) != len(list)*cols {
			t.Fatalf("%s: %d elements of %d x %d", o.Name, len(numbers)+len(words), len(list), cols)
		}
		for i := range list {
			switch o.Name {
			case "label":
				list[i].Label = words[i]
			case "decision":
				list[i].Decision, list[i].Decisions = numbers[i*cols], numbers[i*cols:(i+1)*cols]
			case "probability":
				list[i].Probabilities = numbers[i*cols : (i+1)*cols]
			}
		}
	}
	if len(rest) > 0 {
		t.Fatalf("%d bytes are of no tensor", len(rest))
	}
	return list, a
}

// TestInferSameBits: tensors of answers equal the results of Model.Predict, to the bit, for every kind of model, as JSON and
// as bytes, flat and by rows, of both sizes of numbers.
func TestInferSameBits(t *testing.T) {
	rng := datasettest.Random(t, 3)
	targets := datasettest.Clouds(rng, 60, 5)
	for i := range targets {
		targets[i].Target = float64(i%7) + 0.25
	}
	for name, c := range map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		"two classes":   {datasettest.Clouds(rng, 60, 6), bigmkl.Options{}},
		"probabilities": {datasettest.Clouds(rng, 60, 6), bigmkl.Options{Folds: 3}},
		"one-vs-rest":   {datasettest.Clusters(rng, 60, 5, 3, false), bigmkl.Options{Multiclass: model.OneVsRest, Folds: 3}},
		"one-vs-one":    {datasettest.Clusters(rng, 60, 5, 4, false), bigmkl.Options{Multiclass: model.OneVsOne}},
		"labels":        {datasettest.Clusters(rng, 60, 5, 3, true), bigmkl.Options{Multiclass: model.MultiLabel}},
		"regression":    {targets, bigmkl.Options{Task: model.TaskSquare}},
		"one class":     {datasettest.Clouds(rng, 60, 5), bigmkl.Options{Task: model.TaskOneClass}},
		"sequences":     {lettered(t), bigmkl.Options{Kernels: "wd:5,spectrum:3", Sequences: dataset.DNA}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.model")
			for i, r := range c.rows { // What a float32 holds is the same in all forms.
				for k, v := range r.Value {
					c.rows[i].Value[k] = float64(float32(v))
				}
			}
			train(t, path, c.rows, c.o)
			s := open(t, path, generous())
			want := expected(t, path, c.rows)
			for i := range want { // One decision value is a column, too.
				if want[i].Decisions == nil {
					want[i].Decisions = []float64{want[i].Decision}
				}
				want[i].Decision = want[i].Decisions[0]
			}
			d := only(s).Input().Features()
			var flat, nested, singles, doubles, words []byte
			var quoted []string
			for _, r := range c.rows {
				if c.o.Sequences != "" {
					text := textOf(r)
					quoted = append(quoted, strconv.Quote(text))
					words = append(binary.LittleEndian.AppendUint32(words, uint32(len(text))), text...)
					continue
				}
				x := dense(r, d)
				row, err := json.Marshal(x)
				if err != nil {
					t.Fatal(err)
				}
				nested = append(append(nested, row...), ',')
				flat = append(append(flat, row[1:len(row)-1]...), ' ', ',', '\n')
				for _, v := range x {
					singles = binary.LittleEndian.AppendUint32(singles, math.Float32bits(float32(v)))
					doubles = binary.LittleEndian.AppendUint64(doubles, math.Float64bits(v))
				}
			}
			shape := fmt.Sprintf(`"name":"input","shape":[%d,%d]`, len(c.rows), d)
			type form struct{ input, tail string }
			forms := map[string]form{}
			if c.o.Sequences != "" {
				shape = fmt.Sprintf(`"name":"input","datatype":"BYTES","shape":[%d]`, len(c.rows))
				forms["texts"] = form{shape + `,"data":[` + strings.Join(quoted, ",") + "]", ""}
				forms["bytes"] = form{fmt.Sprintf(`%s,"parameters":{"binary_data_size":%d}`, shape, len(words)), string(words)}
			} else {
				forms["flat"] = form{shape + `,"datatype":"FP64","data":[` + string(bytes.TrimRight(flat, ",\n ")) + "]", ""}
				forms["nested"] = form{shape + `,"datatype":"FP32","data":[` + string(bytes.TrimRight(nested, ",")) + "]", ""}
				forms["float32"] = form{fmt.Sprintf(`%s,"datatype":"FP32","parameters":{"binary_data_size":%d}`, shape, len(singles)), string(singles)}
				forms["float64"] = form{fmt.Sprintf(`%s,"datatype":"FP64","parameters":{"binary_data_size":%d}`, shape, len(doubles)), string(doubles)}
			}
			for form, in := range forms {
				for _, binary := range []bool{false, true} {
					head := fmt.Sprintf(`{"id":"7","parameters":{"binary_data_output":%v,"x":[1]},"inputs":[{%s}]}`, binary, in.input)
					fields := []string{"Content-Type", kindBytes, tensors.HeadLength, fmt.Sprint(len(head))}
					if in.tail == "" {
						fields = []string{"Content-Type", kindJSON}
					}
					got, a := readInferred(t, ask(s, "POST", "/v2/models/m/infer", []byte(head+in.tail), fields...))
					if !alike(got, want) || a.ID != "7" || a.Name != "m" || a.Version != "1" || a.Parameters["digest"] != only(s).Digest {
						t.Errorf("%s, binary %v: other predictions, or %+v", form, binary, a)
					}
				}
			}
			// The metadata promise these tensors.
			var m struct {
				Outputs []struct {
					Name, Datatype string
					Shape          []int
				}
			}
			if err := json.Unmarshal(ask(s, "GET", "/v2/models/m", nil).Body.Bytes(), &m); err != nil {
				t.Fatal(err)
			}
			_, a := readInferred(t, ask(s, "POST", "/v2/models/m/versions/1/infer", []byte(`{"inputs":[{`+strings.ReplaceAll(shape, fmt.Sprintf("[%d", len(c.rows)), "[0")+
				strings.TrimPrefix(`,"datatype":"FP64"`, strings.Repeat(`,"datatype":"FP64"`, min(1, len(words))))+`,"data":[]}]}`)))
			for i, o := range m.Outputs {
				if b := a.Outputs[i]; o.Name != b.Name || o.Datatype != b.Datatype || len(o.Shape) != len(b.Shape) || o.Shape[0] != -1 ||
					b.Shape[0] != 0 || len(o.Shape) == 2 && o.Shape[1] != b.Shape[1] {
					t.Errorf("promised %+v, sent %+v", o, b)
				}
			}
		})
	}
}

// textOf returns the text of a row of DNA, whose letter n is 1, 2, 3 or 4, and 0 for any other.
func textOf(r dataset.Row) string {
	text := bytes.Repeat([]byte("N"), int(r.Index[len(r.Index)-1])+1)
	for k, j := range r.Index {
		if v := int(r.Value[k]); v > 0 {
			text[j] = "NACGT"[v]
		}
	}
	return string(text)
}

// TestInferFaults: an invalid request for inference is a fault of the client, with a text under the name that the protocol
// has for it.
func TestInferFaults(t *testing.T) {
	o := generous()
	o.Rows = 3
	s, _ := start(t, o)
	one := `"name":"input","shape":[1,6],"datatype":"FP64"`
	data := `,"data":[1,2,3,4,5,6]`
	for _, c := range []struct {
		body, head string
		code       int
		want       string
	}{
		{`{"inputs":[{` + one + data + `}]}`, "", 200, ""},
		{`{"inputs":[{` + one + data + `}],"outputs":[{"name":"decision"},{"name":"label","parameters":{"binary_data":true}}]}`, "", 200, ""},
		{`{"inputs":[{` + one + `,"data":[[1,2,3],[4,5,6]]}]}`, "", 400, "fewer elements"},
		{``, "", 400, "not the JSON"}, {`[]`, "", 400, "not the JSON"}, {`{"inputs":[{` + one + data + `}]} x`, "", 400, "something follows"},
		{`{}`, "", 400, "0 inputs"}, {`{"inputs":[{` + one + data + `},{` + one + data + `}]}`, "", 400, "2 inputs"}, {`{"inputs":[{"name":"x"}]}`, "", 400, "of the name input"},
		{`{"inputs":[{` + one + `}]}`, "", 400, "neither data"}, {`{"inputs":[{` + one + `,"data":7}]}`, "", 400, "no array"}, {`{"inputs":[{` + one + `,"data":null}]}`, "", 400, "no array"},
		{`{"inputs":[{` + one + `,"data":[1,2,3,4,5]}]}`, "", 400, "fewer elements"}, {`{"inputs":[{` + one + `,"data":[1,2,3,4,5,6,7]}]}`, "", 400, "more elements"},
		{`{"inputs":[{` + one + `,"data":[[1,2,3,4,5,6,7]]}]}`, "", 400, "more than 6"}, {`{"inputs":[{` + one + `,"data":[1,2,3,4,5,{}]}]}`, "", 400, "fewer elements"},
		{`{"inputs":[{` + one + `,"data":[1,2,3,4,5,"6"]}]}`, "", 400, "no finite number"}, {`{"inputs":[{` + one + `,"data":[1,2,3,4,5,null]}]}`, "", 400, "no finite number"}, {`{"inputs":[{` + one + `,"data":[1,2,3,4,5,1e999]}]}`, "", 400, "no finite number"},
		{`{"inputs":[{"name":"input","shape":[1,6],"datatype":"FP32","data":[1,2,3,4,5,1e39]}]}`, "", 400, "no finite number"},
		{`{"inputs":[{"name":"input","shape":[1,6],"datatype":"INT8","data":[]}]}`, "", 400, "datatype INT8"}, {`{"inputs":[{"name":"input","shape":[1],"datatype":"BYTES","data":["A"]}]}`, "", 400, "datatype BYTES"},
		{`{"inputs":[{"name":"input","shape":[6],"datatype":"FP64","data":[]}]}`, "", 400, "shape"}, {`{"inputs":[{"name":"input","shape":[1,5],"datatype":"FP64","data":[]}]}`, "", 400, "rows x 6"},
		{`{"inputs":[{"name":"input","shape":[-1,6],"datatype":"FP64","data":[]}]}`, "", 400, "shape"}, {`{"inputs":[{"name":"input","shape":[4,6],"datatype":"FP64","data":[]}]}`, "", 413, "at most 3 rows"},
		{`{"inputs":[{"name":"input","shape":[9223372036854775807,6],"datatype":"FP64","parameters":{"binary_data_size":0}}]}`, "", 413, "at most 3 rows"},
		{`{"inputs":[{"name":"input","shape":[99999999999999999999,6],"datatype":"FP64"}]}`, "", 400, "not the JSON"},
		{`{"inputs":[{` + one + `,"parameters":{"binary_data_size":48}}]}`, "", 400, "another number"}, {`{"inputs":[{` + one + `,"parameters":{"binary_data_size":-1}}]}`, "", 400, "another number"},
		{`{"inputs":[{` + one + data + `}]}`, "x", 400, "no number of bytes"}, {`{"inputs":[{` + one + data + `}]}`, "-1", 400, "no number of bytes"}, {`{"inputs":[{` + one + data + `}]}`, "99999999999999999999", 400, "no number of bytes"},
		{`{"inputs":[{` + one + data + `}]}`, "10", 400, "not the JSON"}, {`{"inputs":[{` + one + data + `,"parameters":{"binary_data_size":0}}]}`, "", 400, "data and binary_data_size"},
		{`{"inputs":[{` + one + data + `}],"outputs":[{"name":"x"}]}`, "", 400, "output x"}, {`{"inputs":[{` + one + data + `}],"outputs":[{"name":"label"},{"name":"label"}]}`, "", 400, "comes twice"},
		{`{"id":"` + strings.Repeat("x", 2000) + `","inputs":[{` + one + data + `}]}`, "", 400, "the id"},
	} {
		fields := []string{"Content-Type", kindJSON}
		if c.head != "" {
			fields = append(fields, tensors.HeadLength, c.head)
		}
		if w := ask(s, "POST", "/v2/models/m/infer", []byte(c.body), fields...); w.Code != c.code {
			t.Errorf("%.120s: code %d, %s", c.body, w.Code, w.Body)
		} else if p := decodeProblem(t, w); c.code != 200 && (!strings.Contains(p.Message, c.want) || p.Error != p.Message) {
			t.Errorf("%.120s: %+v, want %s", c.body, p, c.want)
		}
	}
	for _, c := range []struct {
		method, path, kind string
		code               int
	}{
		{"GET", "/v2/models/m/infer", "", 405}, {"POST", "/v2/models/n/infer", kindJSON, 404}, {"POST", "/v2/models/m/versions/2/infer", kindJSON, 404}, {"POST", "/v2/models/m/infer", "text/plain", 415},
		{"POST", "/v2/models/m/infer", kindBytes, 415}, {"GET", "/v2/models/m/versions/0", "", 404}, {"GET", "/v2/models/m/x", "", 404}, {"GET", "/v2/models//infer", "", 404}, {"GET", "/v2x", "", 404},
	} {
		if w := ask(s, c.method, c.path, []byte("{}"), "Content-Type", c.kind); w.Code != c.code || decodeProblem(t, w).Error == "" {
			t.Errorf("%s %s: code %d, %s", c.method, c.path, w.Code, w.Body)
		}
	}
}

// decodeProblem returns the text of an error.
func decodeProblem(t testing.TB, w *httptest.ResponseRecorder) (p problem) {
	t.Helper()
	if w.Code == 200 {
		return p
	}
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Command != "serve" || p.Message == "" {
		t.Fatalf("%v, %s", err, w.Body)
	}
	return p
}

// TestInferTakesFloat32AsItIs: a decimal of datatype FP32 is the nearest float32.
func TestInferTakesFloat32AsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	train(t, path, datasettest.Clouds(datasettest.Random(t, 1), 60, 2), bigmkl.Options{Precision: "64"})
	s := open(t, path, generous())
	ask32 := func(datatype, x string) float64 {
		got, _ := readInferred(t, ask(s, "POST", "/v2/models/m/infer", fmt.Appendf(nil, `{"inputs":[{"name":"input","shape":[1,2],"datatype":%q,"data":[%s,0]}]}`, datatype, x)))
		return got[0].Decision
	}
	for _, x := range []float32{0.1, 1. / 3, 7e-9} {
		if short, long := ask32("FP32", fmt.Sprint(x)), ask32("FP64", fmt.Sprint(float64(x))); short != long {
			t.Errorf("%v: %v and %v", x, short, long)
		}
	}
}

// FuzzInfer: whatever is sent ends in tensors or in an error that blames the client.
func FuzzInfer(f *testing.F) {
	s, _ := start(f, generous())
	for _, body := range []string{`{"inputs":[{"name":"input","shape":[1,6],"datatype":"FP64","data":[1,2,3,4,5,6]}]}`, `{"inputs":[{"name":"input","shape":[2,6],"datatype":"FP32","data":[[1,2,3,4,5,6],[0,0,0,0,0,1e30]]}]}`,
		`{"inputs":[{"name":"input","shape":[0,6],"datatype":"FP64","parameters":{"binary_data_size":0}}]}`, `{"inputs":[{"name":"input","shape":[1],"datatype":"BYTES","data":["A\"CG"]}],"outputs":[]}`} {
		f.Add([]byte(body), "")
		f.Add([]byte(body), fmt.Sprint(len(body)))
	}
	f.Fuzz(func(t *testing.T, body []byte, head string) {
		r := httptest.NewRequest("POST", "/v2/models/m/infer", bytes.NewReader(body))
		r.Header.Set("Content-Type", kindJSON)
		r.Header[tensors.HeadLength] = []string{head}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code >= 500 || s.metrics.Panics.Load() > 0 {
			t.Fatalf("code %d, %s", w.Code, w.Body)
		}
		if w.Code == 200 {
			readInferred(t, w)
		}
		decodeProblem(t, w)
	})
}

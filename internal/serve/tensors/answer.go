package tensors

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/serve/answers"
	"bigmkl/predict"
)

// Answer collects predictions as tensors.
type Answer struct {
	// Name and Version are the name and version of the model, and Digest is the SHA-256 of its
	// file.
	Name    string
	Version int
	Digest  string
	ID      string
	// Strange is set once all rows were predicted.
	Strange answers.Strange
	// Most is the number of bytes that all tensors may have.
	Most int64

	outputs []output
	rows    int
}

// output is a tensor in the making.
type output struct {
	tensor
	binary bool
	data   []byte
}

// New returns an answer of the model to a request, without predictions.
func New(m *model.Model, r *Request) (*Answer, error) {
	a := &Answer{ID: r.ID}
	all := outputsOf(m)
	if r.Outputs == nil {
		for _, t := range all {
			a.outputs = append(a.outputs, output{tensor: t, binary: r.Binary})
		}
	}
	for i, o := range r.Outputs {
		k := slices.IndexFunc(all, func(t tensor) bool { return t.Name == o.Name })
		if k < 0 || slices.ContainsFunc(r.Outputs[:i], func(p Output) bool { return p.Name == o.Name }) {
			return nil, fail.New(fail.Input, "output %s is none of the model, or comes twice", fail.Label(o.Name))
		}
		binary := r.Binary
		if o.Binary != nil {
			binary = *o.Binary
		}
		a.outputs = append(a.outputs, output{tensor: all[k], binary: binary})
	}
	return a, nil
}

// Add adds the prediction of a row. An answer that becomes too large is of class fail.Budget.
func (a *Answer) Add(p predict.Prediction) error {
	size := 0
	for i := range a.outputs {
		o := &a.outputs[i]
		switch {
		case o.Name == labelName:
			o.addText(p.Label)
		case o.Name == probabilityName:
			o.addNumbers(p.Probabilities)
		case p.Decisions != nil:
			o.addNumbers(p.Decisions)
		default:
			o.addNumbers([]float64{p.Decision})
		}
		size += len(o.data)
	}
	a.rows++
	if int64(size) > a.Most {
		return fail.New(fail.Budget, "the answer would exceed %d bytes", a.Most).WithHint("send fewer rows in a request")
	}
	return nil
}

// addText adds an element.
func (o *output) addText(text string) {
	if o.binary {
		o.data = append(binary.LittleEndian.AppendUint32(o.data, uint32(len(text))), text...)
		return
	}
	quoted, _ := json.Marshal(text) // Texts have no errors.
	o.data = append(o.comma(), quoted...)
}

// addNumbers adds elements.
func (o *output) addNumbers(numbers []float64) {
	for _, x := range numbers {
		if o.binary {
			o.data = binary.LittleEndian.AppendUint64(o.data, math.Float64bits(x))
		} else {
			o.data = strconv.AppendFloat(o.comma(), x, 'g', -1, 64)
		}
	}
}

// comma returns the data with a comma where another element precedes.
func (o *output) comma() []byte {
	if len(o.data) > 0 {
		return append(o.data, ',')
	}
	return o.data
}

// Encode returns the JSON of the answer and the binary tensors behind it, if there are any.
func (a *Answer) Encode() (head, tail []byte, binary bool) {
	type parameters struct {
		Size int `json:"binary_data_size"`
	}
	type written struct {
		tensor
		Parameters *parameters     `json:"parameters,omitempty"`
		Data       json.RawMessage `json:"data,omitempty"`
	}
	object := struct {
		Name       string         `json:"model_name"`
		Version    string         `json:"model_version"`
		ID         string         `json:"id,omitempty"`
		Parameters map[string]any `json:"parameters"`
		Outputs    []written      `json:"outputs"`
	}{Name: a.Name, Version: strconv.Itoa(a.Version), ID: a.ID, Outputs: []written{}}
	object.Parameters = map[string]any{"digest": a.Digest, "unknown": a.Strange.Words}
	if a.Strange.Sequences != nil {
		object.Parameters["unknown_sequences"] = *a.Strange.Sequences
	}
	if a.Strange.Ignored != nil {
		object.Parameters["ignored"] = *a.Strange.Ignored
	}
	for _, o := range a.outputs {
		w := written{tensor: o.tensor}
		w.Shape, w.tensor.Parameters = slices.Clone(o.Shape), nil
		w.Shape[0] = int64(a.rows)
		if o.binary {
			w.Parameters, binary = &parameters{len(o.data)}, true
			tail = append(tail, o.data...)
		} else {
			w.Data = slices.Concat([]byte{'['}, o.data, []byte{']'})
		}
		object.Outputs = append(object.Outputs, w)
	}
	head, _ = json.Marshal(object) // Texts and finite numbers have no errors.
	return head, tail, binary
}

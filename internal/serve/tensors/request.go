// Package tensors reads and writes the objects of the Open Inference Protocol, version 2, over REST.
//
// Purpose. A Request is one for inference, and an Answer collects predictions as tensors: as JSON, or as bytes behind
// the JSON, by the extension for binary tensors. Describe returns the metadata of a model.
//
// Invariants. Numbers of JSON have the fewest digits that give the same float64, and binary ones are float64, so both hold every bit
// of a decision. Whatever the bytes of a request are, it is read or rejected by an error of class fail.Input or fail.Budget.
//
// Concurrency. An Answer belongs to one goroutine.
//
// Memory. A request refers to the bytes of its body. An answer is in memory as a whole, as in package answers.
package tensors

import (
	"bytes"
	"encoding/json"
	"strconv"

	"bigmkl/internal/dataset/payload"
	"bigmkl/internal/fail"
)

// HeadLength is the field of a head that states how many bytes of the body are JSON. The others are binary
// tensors.
const HeadLength = "Inference-Header-Content-Length"

// InputName is the name of the tensor of rows.
const InputName = "input"

// mostText bounds names of tensors and the identifier of a request.
const mostText = 1 << 10

// Request is a request for inference.
type Request struct {
	ID string
	// Input has the rows.
	Input payload.Tensor
	// Outputs are those that are asked for, in order; nil means all.
	Outputs []Output
	// Binary sets the form of outputs that do not set it themselves.
	Binary bool
}

// Output is a tensor of an answer that is asked for.
type Output struct {
	Name string
	// Binary is nil if the request decides.
	Binary *bool
}

// wire is a request as it is sent. Parameters that nobody knows are left alone, as the protocol wants it.
type wire struct {
	ID         string `json:"id"`
	Parameters struct {
		Binary bool `json:"binary_data_output"`
	} `json:"parameters"`
	Inputs []struct {
		Name       string  `json:"name"`
		Shape      []int64 `json:"shape"`
		Datatype   string  `json:"datatype"`
		Parameters struct {
			Size *int64 `json:"binary_data_size"`
		} `json:"parameters"`
		Data json.RawMessage `json:"data"`
	} `json:"inputs"`
	Outputs []struct {
		Name       string `json:"name"`
		Parameters struct {
			Binary *bool `json:"binary_data"`
		} `json:"parameters"`
	} `json:"outputs"`
}

// Read reads a request. head is the field HeadLength, empty if there is none and the whole body is JSON.
func Read(body []byte, head string) (*Request, error) {
	text, rest, err := split(body, head)
	if err != nil {
		return nil, err
	}
	var w wire
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&w); err != nil {
		return nil, fail.New(fail.Input, "this is not the JSON of a request for inference: %s", fail.Decoding(err))
	}
	if len(bytes.TrimSpace(text[d.InputOffset():])) > 0 {
		return nil, fail.New(fail.Input, "something follows the object")
	}
	r := &Request{ID: w.ID, Binary: w.Parameters.Binary}
	if len(w.ID) > mostText {
		return nil, fail.New(fail.Input, "the id has more than %d bytes", mostText)
	}
	if len(w.Inputs) != 1 || w.Inputs[0].Name != InputName {
		return nil, fail.New(fail.Input, "the request has %d inputs, and the model takes one of the name %s", len(w.Inputs), InputName)
	}
	in := &w.Inputs[0]
	r.Input = payload.Tensor{Datatype: in.Datatype, Shape: in.Shape, Data: in.Data}
	switch size := in.Parameters.Size; {
	case size == nil && in.Data == nil:
		return nil, fail.New(fail.Input, "the input has neither data nor binary_data_size")
	case size != nil && in.Data != nil:
		return nil, fail.New(fail.Input, "the input has data and binary_data_size")
	case size != nil && *size != int64(len(rest)), size == nil && len(rest) > 0:
		return nil, fail.New(fail.Input, "%d bytes follow the JSON, and binary_data_size is another number", len(rest))
	case size != nil:
		r.Input.Binary = rest
	}
	for _, o := range w.Outputs {
		r.Outputs = append(r.Outputs, Output{o.Name, o.Parameters.Binary})
	}
	return r, nil
}

// split divides a body into its JSON and what follows.
func split(body []byte, head string) (text, rest []byte, err error) {
	if head == "" {
		return body, nil, nil
	}
	n, err := strconv.ParseUint(head, 10, 63)
	if err != nil || n > uint64(len(body)) {
		return nil, nil, fail.New(fail.Input, "%s is no number of bytes of the body", HeadLength)
	}
	return body[:n], body[n:], nil
}

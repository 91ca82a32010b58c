package tensors

import (
	"encoding/json"

	"bigmkl/dataset"
	"bigmkl/internal/model"
)

// The names of tensors of answers are the names in the graphs that package export writes.
const (
	labelName       = "label"
	decisionName    = "decision"
	probabilityName = "probability"
)

// tensor is the description of a tensor in metadata and answers. The first number of a shape is the number
// of rows, -1 for any.
type tensor struct {
	Name       string            `json:"name"`
	Datatype   string            `json:"datatype"`
	Shape      []int64           `json:"shape"`
	Parameters map[string]string `json:"parameters,omitempty"`
}

// Describe returns the metadata of a model that is served under a name in some versions.
func Describe(m *model.Model, name string, versions []string) []byte {
	in := tensor{Name: InputName, Datatype: "FP64", Shape: []int64{-1, int64(m.Input().Features())}}
	if m.Sequences != dataset.Numbers {
		in.Datatype, in.Shape = "BYTES", []int64{-1}
	}
	text, _ := json.Marshal(struct { // Texts and numbers have no errors.
		Name     string   `json:"name"`
		Versions []string `json:"versions"`
		Platform string   `json:"platform"`
		Inputs   []tensor `json:"inputs"`
		Outputs  []tensor `json:"outputs"`
	}{name, versions, "bigmkl", []tensor{in}, outputsOf(m)})
	return append(text, '\n')
}

// outputsOf returns the tensors that predictions of a model have. Columns have names in the order of the columns,
// as an array of JSON, because the protocol has no arrays among parameters.
func outputsOf(m *model.Model) []tensor {
	named := func(key string, names []string) map[string]string {
		text, _ := json.Marshal(names) // Texts have no errors.
		return map[string]string{key: string(text)}
	}
	classes := m.Classes
	if !m.Several() && m.HasClasses() {
		classes = []string{m.Negative, m.Positive}
	}
	var list []tensor
	if classes != nil || model.DescribesSupport(m.Task) {
		list = append(list, tensor{Name: labelName, Datatype: "BYTES", Shape: []int64{-1}})
	}
	decision := tensor{Name: decisionName, Datatype: "FP64", Shape: []int64{-1, 1}}
	if n := len(m.Classifiers); n > 0 {
		var names []string
		for k := range m.Classifiers {
			names = append(names, m.ShortName(k))
		}
		decision.Shape[1], decision.Parameters = int64(n), named("machines", names)
	}
	list = append(list, decision)
	if m.Sigmoids != nil {
		list = append(list, tensor{Name: probabilityName, Datatype: "FP64", Shape: []int64{-1, int64(len(classes))}, Parameters: named("classes", classes)})
	}
	return list
}

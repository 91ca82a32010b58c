package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// The object of JSON is described in docs/JSON.md, section export, and by docs/output.schema.json.

// jsonKernel is a kernel. Features count from 1, as in the data; nil means all.
type jsonKernel struct {
	Spec     string       `json:"spec"`
	Kind     string       `json:"kind"`
	Gamma    float64      `json:"gamma,omitzero"`
	Coef     float64      `json:"coef,omitzero"`
	Degree   int          `json:"degree,omitzero"`
	Features []int32      `json:"features"`
	Normal   string       `json:"normalization"`
	Factor   float64      `json:"factor"`
	Matrix   int          `json:"matrix,omitzero"` // of objects, from 1
	Factors  []jsonFactor `json:"factors,omitempty"`
}

// jsonFactor is a factor of a product of kernels.
type jsonFactor struct {
	Kind     string  `json:"kind"`
	Gamma    float64 `json:"gamma,omitzero"`
	Coef     float64 `json:"coef,omitzero"`
	Degree   int     `json:"degree,omitzero"`
	Features []int32 `json:"features"`
	Matrix   int     `json:"matrix,omitzero"`
	Power    int     `json:"power"`
}

// jsonClassifier is a decision function. Support counts from 0 among the vectors.
type jsonClassifier struct {
	Tau         float64           `json:"tau,omitzero"`
	Positive    string            `json:"positive"`
	Negative    string            `json:"negative"`
	Bias        float64           `json:"bias"`
	Theta       []float64         `json:"theta"`
	WNorms      []float64         `json:"w_norms"`
	Support     []int32           `json:"support"`
	Alpha       []float64         `json:"alpha"`
	Certificate model.Certificate `json:"certificate"`
	Sigmoid     *jsonSigmoid      `json:"sigmoid,omitempty"`
}

type jsonSigmoid struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// jsonScaling has nil for what its kind does not have.
type jsonScaling struct {
	Kind   string    `json:"kind"`
	Choice string    `json:"choice,omitempty"`
	Factor []float64 `json:"factor"`
	Offset []float64 `json:"offset"`
	Impute string    `json:"impute,omitempty"`
	Fill   []float64 `json:"fill,omitempty"`
}

// writeJSON writes all of a model as one object. The vectors come last and one by one.
func (e *expanded) writeJSON(ctx context.Context, w io.Writer, o *Options) error {
	settings, err := model.SettingsText(e.Model)
	if err != nil {
		return err
	}
	kernels, classifiers := []jsonKernel{}, []jsonClassifier{}
	for id := range e.kernels {
		kernels = append(kernels, e.jsonKernel(&e.kernels[id]))
	}
	for k, a := range e.classifiers {
		j := jsonClassifier{a.tau, a.positive, a.negative, a.bias, whole(a.theta), whole(a.norms), whole(a.support),
			whole(a.alpha), a.certificate, nil}
		if e.sigmoids != nil {
			j.Sigmoid = &jsonSigmoid{e.sigmoids[k].A, e.sigmoids[k].B}
		}
		classifiers = append(classifiers, j)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.WriteString("{" + o.Head + `"settings":`)
	out.Write(settings)
	type keyed struct {
		key   string
		value any
	}
	parts := []keyed{
		{"features", o.Names}, {"scaling", jsonScaling(e.Scaling)}, {"kernels", kernels},
		{"machines", classifiers}, {"support", whole(e.Support)},
	}
	if e.Objects != nil {
		parts = append(parts, keyed{"objects", newJSONObjects(e.Objects)})
	}
	for _, part := range parts {
		var b bytes.Buffer
		j := json.NewEncoder(&b)
		j.SetEscapeHTML(false)
		if err := j.Encode(part.value); err != nil {
			return err
		}
		out.WriteString(`,"` + part.key + `":`)
		out.Write(bytes.TrimSpace(b.Bytes()))
	}
	if d := e.Discriminant; d != nil {
		means, _ := json.Marshal(d.Means) // They are finite.
		out.WriteString(`,"class_means":` + string(means))
	}
	if err := e.writeVectors(ctx, out); err != nil {
		return err
	}
	out.WriteString("}\n")
	return out.Flush()
}

// whole returns an empty list for nil, which JSON would show as null.
func whole[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// writeVectors writes the support vectors by their values that are not zero.
func (e *expanded) writeVectors(ctx context.Context, out *bufio.Writer) error {
	if !e.HasVectors() {
		_, err := out.WriteString(`,"vectors":null`)
		return err
	}
	out.WriteString(`,"vectors":[`)
	var index, value []byte
	for s := range e.Support {
		if err := ctx.Err(); err != nil {
			return err
		}
		index, value = index[:0], value[:0]
		e.Each(s, func(j int, x float32) {
			if x != 0 {
				index = strconv.AppendInt(append(index, ','), int64(j)+1, 10)
				value = strconv.AppendFloat(append(value, ','), float64(x), 'g', -1, 32)
			}
		})
		if s > 0 {
			out.WriteByte(',')
		}
		out.WriteString(`{"index":[`)
		out.Write(bytes.TrimPrefix(index, []byte(",")))
		out.WriteString(`],"value":[`)
		out.Write(bytes.TrimPrefix(value, []byte(",")))
		if _, err := out.WriteString(`]}`); err != nil {
			return err
		}
	}
	_, err := out.WriteString("]")
	return err
}

// jsonKernel describes a kernel, and the factors of a product or the objects of a pair.
func (e *expanded) jsonKernel(k *kernel) jsonKernel {
	j := jsonKernel{Spec: k.spec, Kind: k.Kind.String(), Gamma: k.Gamma, Coef: k.Coef, Degree: k.Degree,
		Features: fromOne(k.features), Normal: k.normal.String(), Factor: k.factor, Matrix: matrixOf(e.Objects, k.Kernel)}
	if k.Kind == kernelspec.Product {
		for _, f := range e.bank.Products[k.Index] {
			var features []int32
			if f.Kernel.Set != kernelspec.AllFeatures {
				features = e.bank.Features(f.Kernel.Set)
			}
			j.Factors = append(j.Factors, jsonFactor{f.Kernel.Kind.String(), f.Kernel.Gamma, f.Kernel.Coef,
				f.Kernel.Degree, fromOne(features), matrixOf(e.Objects, &f.Kernel), f.Power})
		}
	}
	if k.Kind == kernelspec.Pairwise {
		// The kernel of the objects, once with the features of each.
		pair := &e.bank.Pairs[k.Index]
		if pair.Antisymmetric {
			j.Kind = "antipair"
		}
		for _, places := range [][]int32{pair.First, pair.Second} {
			features := make([]int32, len(places))
			for i, at := range places {
				if features[i] = at; k.Set != kernelspec.AllFeatures {
					features[i] = e.bank.Features(k.Set)[at]
				}
			}
			j.Factors = append(j.Factors, jsonFactor{pair.Kernel.Kind.String(), pair.Kernel.Gamma,
				pair.Kernel.Coef, pair.Kernel.Degree, fromOne(features), 0, 1})
		}
	}
	return j
}

// fromOne returns features that count from 1. It returns nil for nil.
func fromOne(features []int32) []int32 {
	if features == nil {
		return nil
	}
	list := make([]int32, len(features))
	for i, j := range features {
		list[i] = j + 1
	}
	return list
}

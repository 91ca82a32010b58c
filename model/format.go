package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// These constants name the format that this release reads and writes. A file has the least version
// that knows all that is in it.
const (
	formatName    = "bigmkl"
	formatVersion = 9
	// conformalVersion is the version that does not know the tasks quantile, huber and survival.
	conformalVersion = 8
	// occurringVersion is the version that does not know calibration scores.
	occurringVersion = 7
	// featuresVersion is the version that does not know features that occur.
	featuresVersion = 6
	// presentVersion is the version that does not know views that rows lack, kernels that are centred,
	// one classifier for all classes, classifiers that have learned gates of their own, gates on kernel
	// values, discriminants with a lambda that was found, nor mixtures.
	presentVersion = 5
	// columnsVersion is the version that does not know rules for weights, posteriors, losses, streams,
	// discriminants, costs that were found, nor costs of kernels but as divisors of their importance.
	columnsVersion = 4
	// familyVersion is the version that does not know columns of tables.
	familyVersion = 3
	// sparseVersion is the version that does not know families.
	sparseVersion = 2
	// denseVersion is the version that does not know support vectors stored by their non-zeros.
	denseVersion = 1
)

func versionOf(m *Model) int {
	switch {
	case m.Task == TaskQuantile, m.Task == TaskHuber, m.Task == TaskSurvival:
		return formatVersion
	case m.Conformal != nil:
		return conformalVersion
	case m.Occurring != nil:
		return occurringVersion
	case m.Fill != nil, m.Centre != nil, m.Multiclass == SingleClassifier, m.Family.wing().since(m.Family) == featuresVersion,
		m.Discriminant != nil && m.CostWeight != nil:
		return featuresVersion
	case m.Costs != nil, m.WeightRule != nil, m.Posteriors != nil, m.Loss != "", m.Stream != nil,
		m.Discriminant != nil, m.CostWeight != nil:
		return presentVersion
	case m.Columns != nil:
		return columnsVersion
	case m.Family != nil:
		return familyVersion
	case m.Sparse != nil:
		return sparseVersion
	}
	return denseVersion
}

const (
	// maxHeader is the largest size of the JSON header in bytes.
	maxHeader = 1 << 20
	// maxInline is the largest size of the settings in the header. Quoting at most doubles it.
	maxInline = 1 << 18
	// maxSettings is the largest size of the settings in bytes. They take several times as much
	// memory when they are read.
	maxSettings = 48 << 20
)

// prefix starts every header up to the version number. Then come prefixDigest, the digest and a
// quote. Their fixed places allow the version to be read before the rest makes sense, and the
// digest to be left out of its own sum.
const (
	prefix       = `{"__metadata__":{"format":"` + formatName + `","version":"`
	prefixDigest = `","sha256":"`
)

// digestAt is the offset of the digest in a file.
const digestAt = 8 + len(prefix) + 1 + len(prefixDigest)

// tensor is one entry of the header.
type tensor struct {
	Dtype   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// dtypes maps the name of each tensor of the format, except for those of families, to the type of
// its elements; see dtypeOf.
var dtypes = map[string]string{
	"theta": "F64", "w_norms": "F64", "alpha": "F64", "normalizer": "F64",
	"normalizer_error": "F64", "medians": "F64",
	"scaling_factor": "F64", "scaling_offset": "F64", "imputed": "F64", "interaction": "F64", "weights": "F64",
	"rule_sums": "F64", "posteriors": "F64", "class_means": "F64", "fill": "F64",
	"class_weights": "F64", "machine_numbers": "F64",
	"sigmoids":        "F64",
	"censoring_times": "F64", "censoring_shares": "F64",
	"conformal_scores": "F64", "conformal_counts": "I32",
	"machine_classes": "I32", "machine_support": "I32", "support": "I32", "vectors": "F32",
	"settings":     "U8",
	"vector_start": "I64", "vector_index": "I32", "vector_value": "F32",
	"centre_means": "F64", "centre_rows": "I32", "centre_vectors": "F32",
	"centre_start": "I64", "centre_index": "I32", "centre_value": "F32",
}

// matrices lists the tensors of two dimensions.
var matrices = map[string]bool{"vectors": true, "centre_vectors": true, "interaction": true, "sigmoids": true}

// long lists the tensors with one element for each value of a support vector that is not zero. They
// may have more elements than 2^31-1.
var long = map[string]bool{"vector_index": true, "vector_value": true, "centre_index": true,
	"centre_value": true}

// vectors lists the tensors of support vectors, which are most of a file.
var vectors = map[string]bool{"vectors": true, "vector_start": true, "vector_index": true,
	"vector_value": true}

// dtypeOf returns the type of the elements of a tensor, and whether the format knows its name.
func dtypeOf(name string) (string, bool) {
	if array, ok := strings.CutPrefix(name, familyPrefix); ok {
		return "F64", familyName.MatchString(array)
	}
	dtype, ok := dtypes[name]
	return dtype, ok
}

var dtypeSize = map[string]int64{"F64": 8, "I64": 8, "F32": 4, "I32": 4, "U8": 1}

// checkTensors checks that the tensors are known, that shapes and offsets agree, and that the
// tensors cover body bytes without a hole. It returns their names in the order of the file. Every
// number is checked before arithmetic on it could overflow.
func checkTensors(all map[string]tensor, body int64) ([]string, error) {
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		x, y := all[a].Offsets, all[b].Offsets
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(a, b))
	})
	at, arrays := int64(0), 0
	for _, name := range names {
		if strings.HasPrefix(name, familyPrefix) {
			arrays++
		}
		t := all[name]
		if err := t.check(name, body); err != nil {
			return nil, err
		}
		if t.Offsets[0] != at {
			return nil, fmt.Errorf("a hole or an overlap before tensor %s", name)
		}
		at = t.Offsets[1]
	}
	if arrays > maxFamilyArrays {
		return nil, fmt.Errorf("%d arrays of a family", arrays)
	}
	if at != body {
		return nil, fmt.Errorf("the tensors end at byte %d of %d", at, body)
	}
	return names, nil
}

// check checks one tensor without regard to the others.
func (t tensor) check(name string, body int64) error {
	dtype, ok := dtypeOf(name)
	if !ok {
		return fmt.Errorf("unknown tensor %s", clip(name))
	}
	if t.Dtype != dtype {
		return fmt.Errorf("tensor %s is %s, not %s", name, clip(t.Dtype), dtype)
	}
	rank := 1
	if matrices[name] {
		rank = 2
	}
	if len(t.Shape) != rank {
		return fmt.Errorf("tensor %s has %d dimensions, not %d", name, len(t.Shape), rank)
	}
	begin, end := t.Offsets[0], t.Offsets[1]
	if begin < 0 || end < begin {
		return fmt.Errorf("tensor %s lies outside the file", name)
	}
	if end > body {
		return fmt.Errorf("the file is truncated or damaged: tensor %s ends at byte %d of the arrays, "+
			"which have %d", name, end, body)
	}
	bytes := dtypeSize[dtype]
	for _, n := range t.Shape {
		if n < 0 || n > math.MaxInt32 && !long[name] || n > 0 && bytes > math.MaxInt64/n {
			return fmt.Errorf("tensor %s has an impossible shape", name)
		}
		bytes *= n
	}
	if name == "settings" && bytes > maxSettings {
		return fmt.Errorf("%d bytes of settings", bytes)
	}
	if bytes != end-begin {
		return fmt.Errorf("tensor %s has %d bytes and a shape of %d", name, end-begin, bytes)
	}
	return nil
}

// encodeJSON does the same as json.Marshal, without the escapes for HTML.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

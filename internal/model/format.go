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
	// conformalVersion is the version that does not know the tasks quantile, huber, expectile and survival, nor
	// several quantiles.
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

// tensorKind is a tensor that the format knows.
type tensorKind struct {
	name, dtype string
	// matrix is true if it has two dimensions.
	matrix bool
	// long is true if it has an element for each value of a support vector that is not zero: it may
	// have more elements than 2^31-1.
	long bool
	// vectors is true if it is of support vectors, which are most of a file.
	vectors bool
}

// tensorKinds lists the tensors in the order in which they are written. Elements of 8 bytes come
// first, so all are aligned. The entry familyPrefix means all arrays of a family.
var tensorKinds = []tensorKind{
	{name: "theta", dtype: "F64"},
	{name: "w_norms", dtype: "F64"},
	{name: "alpha", dtype: "F64"},
	{name: "normalizer", dtype: "F64"},
	{name: "normalizer_error", dtype: "F64"},
	{name: "medians", dtype: "F64"},
	{name: "scaling_factor", dtype: "F64"},
	{name: "scaling_offset", dtype: "F64"},
	{name: "imputed", dtype: "F64"},
	{name: "interaction", dtype: "F64", matrix: true},
	{name: "weights", dtype: "F64"},
	{name: "rule_sums", dtype: "F64"},
	{name: "class_weights", dtype: "F64"},
	{name: "machine_numbers", dtype: "F64"},
	{name: "class_means", dtype: "F64"},
	{name: "sigmoids", dtype: "F64", matrix: true},
	{name: "posteriors", dtype: "F64"},
	{name: "conformal_scores", dtype: "F64"},
	{name: "conformal_shares", dtype: "F64"},
	{name: "censoring_times", dtype: "F64"},
	{name: "censoring_shares", dtype: "F64"},
	{name: "pair_beta", dtype: "F64"},
	{name: "baseline_times", dtype: "F64"},
	{name: "baseline_log_hazards", dtype: "F64"},
	{name: "fill", dtype: "F64"},
	{name: "object_factor", dtype: "F64"},
	{name: "object_offset", dtype: "F64"},
	{name: "object_matrices", dtype: "F64"},
	{name: "centre_means", dtype: "F64"},
	{name: "vector_start", dtype: "I64", vectors: true},
	{name: "centre_start", dtype: "I64"},
	{name: familyPrefix, dtype: "F64"},
	{name: "conformal_counts", dtype: "I32"},
	{name: "machine_classes", dtype: "I32"},
	{name: "machine_support", dtype: "I32"},
	{name: "support", dtype: "I32"},
	{name: "pair_above", dtype: "I32"},
	{name: "pair_below", dtype: "I32"},
	{name: "vectors", dtype: "F32", matrix: true, vectors: true},
	{name: "vector_index", dtype: "I32", long: true, vectors: true},
	{name: "vector_value", dtype: "F32", long: true, vectors: true},
	{name: "centre_rows", dtype: "I32"},
	{name: "centre_vectors", dtype: "F32", matrix: true},
	{name: "centre_index", dtype: "I32", long: true},
	{name: "centre_value", dtype: "F32", long: true},
	{name: "object_values", dtype: "F32"},
	{name: "object_names", dtype: "U8"},
	{name: "settings", dtype: "U8"},
}

// places has the place of each tensor in tensorKinds.
var places = func() map[string]int {
	m := map[string]int{}
	for i, k := range tensorKinds {
		m[k.name] = i
	}
	return m
}()

// placeOf returns the place of a tensor in tensorKinds, and whether the format knows its name.
func placeOf(name string) (int, bool) {
	if array, ok := strings.CutPrefix(name, familyPrefix); ok {
		return places[familyPrefix], familyName().MatchString(array)
	}
	place, ok := places[name]
	return place, ok
}

// kindOf returns the kind of a tensor that is a field.
func kindOf(name string) tensorKind {
	place, _ := placeOf(name)
	return tensorKinds[place]
}

// inOrder sorts fields in the order of tensorKinds. Arrays of a family keep theirs.
func inOrder(fields []field) []field {
	slices.SortStableFunc(fields, func(a, b field) int {
		i, _ := placeOf(a.name)
		j, _ := placeOf(b.name)
		return cmp.Compare(i, j)
	})
	return fields
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
	place, ok := placeOf(name)
	if !ok {
		return fmt.Errorf("unknown tensor %s", clip(name))
	}
	kind := tensorKinds[place]
	if t.Dtype != kind.dtype {
		return fmt.Errorf("tensor %s is %s, not %s", name, clip(t.Dtype), kind.dtype)
	}
	rank := 1
	if kind.matrix {
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
	bytes := dtypeSize[kind.dtype]
	for _, n := range t.Shape {
		if n < 0 || n > math.MaxInt32 && !kind.long || n > 0 && bytes > math.MaxInt64/n {
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

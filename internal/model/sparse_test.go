package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// sparse gives a model its support vectors by their non-zeros, after a third of the values was made zero.
func sparse(m *Model) *Model {
	v := &Sparse{Start: []int64{0}, Index: []int32{}, Value: []float32{}}
	for s := range m.Support {
		for j, x := range m.Vector(s) {
			if (s+j)%3 > 0 {
				v.Index, v.Value = append(v.Index, int32(j)), append(v.Value, x)
			}
		}
		v.Start = append(v.Start, int64(len(v.Index)))
	}
	m.Store, m.Vectors, m.Sparse = dataset.LayoutSparse, nil, v
	return m
}

// unchecked encodes a model that need not be sound.
func unchecked(m *Model) []byte {
	var text []byte
	fields := newSections(nil).fields(m, &text)
	head, err := newSections(nil).header(m, &text, fields)
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	b.Write(head)
	if err := writeBody(&b, fields); err != nil {
		panic(err)
	}
	sum := sha256.Sum256(b.Bytes())
	hex.Encode(b.Bytes()[digestAt:], sum[:])
	return b.Bytes()
}

// brokenSparse are arrays that no support vectors can have: three of two values each over three features.
var brokenSparse = map[string]func(v *Sparse){
	"starts too few":         func(v *Sparse) { v.Start = v.Start[:3] },
	"starts too many":        func(v *Sparse) { v.Start = append(v.Start, 6) },
	"no starts":              func(v *Sparse) { v.Start = []int64{} },
	"starts behind 0":        func(v *Sparse) { v.Start[0] = 1 },
	"starts below 0":         func(v *Sparse) { v.Start[0] = -1 },
	"starts that go back":    func(v *Sparse) { v.Start[1], v.Start[2] = 4, 2 },
	"a start at the maximum": func(v *Sparse) { v.Start[1] = math.MaxInt64 },
	"a start at the minimum": func(v *Sparse) { v.Start[1] = math.MinInt64 },
	"an end beyond":          func(v *Sparse) { v.Start[3] = 7 },
	"an end before":          func(v *Sparse) { v.Start[3] = 5 },
	"an index beyond":        func(v *Sparse) { v.Index[1] = 3 },
	"an index below 0":       func(v *Sparse) { v.Index[0] = -1 },
	"an index twice":         func(v *Sparse) { v.Index[1] = v.Index[0] },
	"indices that go back":   func(v *Sparse) { v.Index[0], v.Index[1] = v.Index[1], v.Index[0] },
	"an index too many":      func(v *Sparse) { v.Index = append(v.Index, 2) },
	"no indices":             func(v *Sparse) { v.Index = nil },
	"a value too few":        func(v *Sparse) { v.Value = v.Value[:5] },
	"no values":              func(v *Sparse) { v.Value = nil },
	"a value that is zero":   func(v *Sparse) { v.Value[2] = 0 },
	"a value of minus zero":  func(v *Sparse) { v.Value[2] = float32(math.Copysign(0, -1)) },
	"a value without number": func(v *Sparse) { v.Value[2] = float32(math.NaN()) },
	"a value without bound":  func(v *Sparse) { v.Value[2] = float32(math.Inf(1)) },
}

// TestSparseVectors: support vectors by their non-zeros come back from a file as they were, also for each classifier, in a file
// of the version that has them.
func TestSparseVectors(t *testing.T) {
	empty := small()
	empty.Support, empty.Alpha, empty.Vectors = []int32{}, []float64{}, []float32{}
	for name, m := range map[string]*Model{"one": small(), "none": empty, "several": trio(OneVsOne)} {
		laid := [][]float32{}
		for s := range m.Support {
			row := slices.Clone(m.Vector(s))
			for j := range row {
				if (s+j)%3 == 0 {
					row[j] = 0
				}
			}
			laid = append(laid, row)
		}
		m = sparse(m)
		b := encoded(t, m)
		got, err := decoded(b)
		if err != nil || !reflect.DeepEqual(got, m) || !bytes.Equal(encoded(t, got), b) {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		if !got.HasVectors() || got.Seen() != (len(laid) > 0) || !bytes.Contains(b, []byte(`"version":"2"`)) {
			t.Errorf("%s: vectors %v, seen %v, header %s", name, got.HasVectors(), got.Seen(), b[:100])
		}
		for s, want := range laid {
			each := make([]float32, m.Features)
			got.Each(s, func(j int, x float32) { each[j] = x })
			if !slices.Equal(got.Vector(s), want) || !slices.Equal(each, want) {
				t.Errorf("%s: vector %d is %v and %v, not %v", name, s, got.Vector(s), each, want)
			}
		}
		for k := range got.Classifiers {
			one := got.Classifier(k)
			if !one.Sparse.Sound(len(one.Support), one.Features) {
				t.Errorf("the vectors of classifier %d are not sound", k)
			}
			for i, s := range got.Classifiers[k].Support {
				if !slices.Equal(one.Vector(i), laid[s]) {
					t.Errorf("classifier %d: vector %d is %v", k, i, one.Vector(i))
				}
			}
		}
	}
}

// TestBrokenSparseVectors: a file whose sparse support vectors cannot be is rejected in one line, and so is one that claims more of them
// than there is, or has them in a version or for a store that does not.
func TestBrokenSparseVectors(t *testing.T) {
	rejected := func(name string, b []byte) {
		t.Helper()
		m, err := decoded(b)
		if !errors.Is(err, fail.Corrupt) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	for name, change := range brokenSparse {
		m := sparse(small())
		change(m.Sparse)
		rejected(name, unchecked(m))
	}
	b := encoded(t, sparse(small()))
	for name, claim := range map[string][2]string{
		"more starts":  {`"shape":[4]`, `"shape":[9]`},
		"more indices": {`"vector_index":{"dtype":"I32","shape":[6]`, `"vector_index":{"dtype":"I32","shape":[7]`},
		"a wide index": {`"vector_index":{"dtype":"I32"`, `"vector_index":{"dtype":"I64"`},
		"version 1":    {`"version":"2"`, `"version":"1"`},
	} {
		forged := bytes.Replace(b, []byte(claim[0]), []byte(claim[1]), 1)
		if bytes.Equal(forged, b) {
			t.Fatalf("%s: nothing to replace", name)
		}
		rejected(name, signed(forged))
	}
	huge := bytes.Replace(b, []byte(`"vector_index":{"dtype":"I32","shape":[6]`), []byte(`"vector_index":{"dtype":"I32","shape":[4611686018427387904]`), 1)
	rejected("an index of 2^62", huge)
	dense := bytes.Replace(encoded(t, small()), []byte(`"version":"1"`), []byte(`"version":"2"`), 1)
	rejected("version 2 without need", signed(dense))
	m := sparse(small())
	m.Store = dataset.LayoutDense
	rejected("a dense store", unchecked(m))
	m = sparse(small())
	m.Vectors = small().Vectors
	rejected("both", unchecked(m))
}

package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
)

// trio is a model of three classifiers of some kind, of classes a, b and c, with every part in it.
func trio(multiclass string) *Model {
	m := small()
	m.Positive, m.Negative, m.PositiveLabels, m.PositiveWeight, m.NegativeWeight = "", "", nil, 1, 1
	m.Theta, m.WNorms, m.Alpha, m.Bias, m.Certificate = nil, nil, nil, 0, Certificate{}
	m.Multiclass, m.Classes, m.ClassWeights, m.Double = multiclass, []string{"a", "b", "c"}, []float64{1, 2, 0.5}, true
	pairs := Pairs(multiclass, 3)
	for k, support := range [][]int32{{0, 2}, {1}, {}} {
		x := float64(k)
		a := Classifier{
			Positive: pairs[k][0], Negative: pairs[k][1], Double: k == 1, Theta: []float64{0.5, x, 0}, WNorms: []float64{1, 0, x}, Bias: x - 0.5,
			Support: support, Alpha: []float64{}, Certificate: Certificate{Kind: "gap", Primal: 2 + x, Dual: 1, RelativeGap: x / 100, Rounding: x / 7},
		}
		for i := range support {
			a.Alpha = append(a.Alpha, float64(i)-0.25)
		}
		m.Classifiers = append(m.Classifiers, a)
	}
	m.Classifiers[1].Certificate.Kind = "stationary"
	return m
}

func TestClassifiersRoundTrip(t *testing.T) {
	one := trio(MultiLabel)
	one.Classes, one.ClassWeights, one.Classifiers = []string{"a"}, nil, one.Classifiers[:1]
	one.Classifiers[0].Support, one.Classifiers[0].Alpha = []int32{0, 1, 2}, []float64{1, 2, 3}
	none := trio(OneVsRest)
	none.Support, none.Vectors = []int32{}, []float32{}
	for k := range none.Classifiers {
		none.Classifiers[k].Support, none.Classifiers[k].Alpha = []int32{}, []float64{}
	}
	for name, m := range map[string]*Model{OneVsRest: trio(OneVsRest), OneVsOne: trio(OneVsOne), MultiLabel: trio(MultiLabel), "one": one, "none": none} {
		b := encoded(t, m)
		got, err := decoded(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(got, m) || !bytes.Equal(encoded(t, got), b) {
			t.Errorf("%s: got  %+v\nwant %+v", name, got, m)
		}
		if bank, err := got.Bank(); err != nil || len(bank.Kernels) != 3 || got.Len() != 3 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEveryByteOfClassifiersCounts(t *testing.T) {
	b := encoded(t, trio(OneVsOne))
	for i := range b {
		for _, flip := range testlevel.Some(t, strconv.Itoa(i), 1, []byte{1, 0x80}) {
			b[i] ^= flip
			mustFail(t, fmt.Sprintf("byte %d ^ %#x", i, flip), b)
			b[i] ^= flip
		}
	}
	for n := range b {
		mustFail(t, fmt.Sprintf("%d bytes", n), b[:n])
	}
}

// TestClassifierAlone: a classifier as a model of its own is one that is sound, and written and read to the
// same.
func TestClassifierAlone(t *testing.T) {
	for _, kind := range Multiclasses {
		m := trio(kind)
		for k := range m.Classifiers {
			a, one := &m.Classifiers[k], m.Classifier(k)
			if err := one.Validate(); err != nil {
				t.Fatalf("%s, classifier %d: %v", kind, k, err)
			}
			again, err := decoded(encoded(t, one))
			if err != nil || again.Several() {
				t.Fatalf("%s, classifier %d: %v", kind, k, err)
			}
			if !slices.Equal(again.Theta, a.Theta) || !slices.Equal(again.Alpha, a.Alpha) || again.Bias != a.Bias || again.Certificate != a.Certificate || again.Double != a.Double {
				t.Errorf("%s, classifier %d: %+v", kind, k, again)
			}
			for i, s := range a.Support {
				if again.Support[i] != m.Support[s] || !slices.Equal(again.Vector(i), m.Vector(int(s))) {
					t.Errorf("%s, classifier %d: support vector %d is row %d: %v", kind, k, i, again.Support[i], again.Vector(i))
				}
			}
			name, negative, weight := m.Classes[a.Positive], "rest", 1.0
			if kind == OneVsOne {
				negative, weight = m.Classes[a.Negative], m.ClassWeights[a.Negative]
				name += " and " + negative
			}
			if m.Name(k) != name || one.Positive != m.Classes[a.Positive] || one.Negative != negative || one.PositiveWeight != m.ClassWeights[a.Positive] || one.NegativeWeight != weight {
				t.Errorf("%s, classifier %d: %s, %s against %s, weights %g and %g", kind, k, m.Name(k), one.Positive, one.Negative, one.PositiveWeight, one.NegativeWeight)
			}
		}
	}
	gram := trio(OneVsRest)
	gram.Kernels, gram.Views, gram.Medians = []string{"precomputed:a", "precomputed:b", "precomputed:a"}, nil, nil
	gram.Vectors = nil
	if one := gram.Classifier(0); one.HasVectors() {
		t.Error("vectors out of nothing")
	}
}

func TestPairs(t *testing.T) {
	if p := Pairs(OneVsOne, 4); fmt.Sprint(p) != "[[0 1] [0 2] [0 3] [1 2] [1 3] [2 3]]" {
		t.Error(p)
	}
	if p := Pairs(MultiLabel, 2); fmt.Sprint(p) != "[[0 -1] [1 -1]]" {
		t.Error(p)
	}
}

func TestClassifiersThatMakeNoSense(t *testing.T) {
	classifier := func(change func(a *Classifier)) func(*Model) { return func(m *Model) { change(&m.Classifiers[0]) } }
	for name, spoil := range map[string]func(*Model){
		"kind": func(m *Model) { m.Multiclass = "all" }, "task": func(m *Model) { m.Task = TaskSquare }, "no kind": func(m *Model) { m.Multiclass = "" },
		"two classes": func(m *Model) { m.Classes, m.Classifiers, m.ClassWeights = m.Classes[:2], m.Classifiers[:1], nil }, "equal classes": func(m *Model) { m.Classes[1] = "a" },
		"no text": func(m *Model) { m.Classes[1] = "\x1b" }, "no name": func(m *Model) { m.Classes[1] = "" }, "a classifier less": func(m *Model) { m.Classifiers = m.Classifiers[:2] },
		"no classifiers": func(m *Model) { m.Classifiers = nil }, "weights": func(m *Model) { m.ClassWeights = m.ClassWeights[:2] }, "weight": func(m *Model) { m.ClassWeights[2] = 0 },
		"names": func(m *Model) { m.Positive = "a" }, "theta beside": func(m *Model) { m.Theta, m.WNorms = []float64{1, 1, 1}, []float64{1, 1, 1} }, "bias beside": func(m *Model) { m.Bias = 1 },
		"alpha beside": func(m *Model) { m.Alpha = []float64{1, 1, 1} }, "nobody's vector": classifier(func(a *Classifier) { a.Support, a.Alpha = a.Support[1:], a.Alpha[1:] }),
		"classes": classifier(func(a *Classifier) { a.Positive = 1 }), "rest": classifier(func(a *Classifier) { a.Negative = Rest - 1 }), "class": classifier(func(a *Classifier) { a.Positive = math.MaxInt32 }),
		"theta": classifier(func(a *Classifier) { a.Theta = a.Theta[:2] }), "norms": classifier(func(a *Classifier) { a.WNorms = nil }), "theta below 0": classifier(func(a *Classifier) { a.Theta[0] = -1 }),
		"norm": classifier(func(a *Classifier) { a.WNorms[0] = math.NaN() }), "bias": classifier(func(a *Classifier) { a.Bias = math.Inf(1) }), "alpha": classifier(func(a *Classifier) { a.Alpha[0] = 0 }),
		"alphas": classifier(func(a *Classifier) { a.Alpha = a.Alpha[:1] }), "support": classifier(func(a *Classifier) { a.Support[1] = 3 }), "order": classifier(func(a *Classifier) { a.Support[0] = 2 }),
		"support below 0": classifier(func(a *Classifier) { a.Support[0] = -1 }), "certificate": classifier(func(a *Classifier) { a.Certificate.Kind = "" }), "gap": classifier(func(a *Classifier) { a.Certificate.Dual = math.NaN() }),
	} {
		for _, kind := range Multiclasses {
			if kind == MultiLabel && name == "two classes" {
				continue // there may be any number of labels
			}
			m := trio(kind)
			spoil(m)
			if err := m.Validate(); !errors.Is(err, fail.Corrupt) || len(err.Error()) > 2000 {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
	for _, label := range []string{"-", "1,2"} {
		m := trio(MultiLabel)
		m.Classes[0] = label
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) {
			t.Errorf("label %q: %v", label, err)
		}
	}
}

// TestClassifiersAreBounded: tensors of classifiers that do not fit each other are rejected, and what they claim costs
// nothing.
func TestClassifiersAreBounded(t *testing.T) {
	const classifiers = 1 << 16
	var names strings.Builder
	for k := range classifiers {
		fmt.Fprintf(&names, `,"%d"`, k)
	}
	settings := []byte(`{"task":"class","multiclass":"ovr","kernels":["linear"],"classes":[` + names.String()[1:] + `],"certificates":["gap` + strings.Repeat(`","gap`, classifiers-1) + `"]}`)
	file := func(classes []int32, support, numbers, theta int) []byte {
		var body bytes.Buffer
		var head strings.Builder
		add := func(name, dtype string, n, size int, bytes []byte) {
			fmt.Fprintf(&head, `,"%s":{"dtype":"%s","shape":[%d],"data_offsets":[%d,%d]}`, name, dtype, n, body.Len(), body.Len()+n*size)
			body.Write(append(bytes, make([]byte, n*size-len(bytes))...))
		}
		add("theta", "F64", theta, 8, nil)
		add("w_norms", "F64", theta, 8, nil)
		add("alpha", "F64", support, 8, nil)
		add("machine_numbers", "F64", numbers, 8, nil)
		var b []byte
		for _, c := range classes {
			b = binary.LittleEndian.AppendUint32(b, uint32(c))
		}
		add("machine_classes", "I32", len(classes), 4, b)
		add("machine_support", "I32", support, 4, nil)
		add("settings", "U8", len(settings), 1, settings)
		return forged("1", `""`, head.String(), body.Bytes())
	}
	classes := make([]int32, 4*classifiers)
	for k := range classifiers {
		classes[4*k], classes[4*k+1] = int32(k), Rest
	}
	with := func(at int, v int32) []int32 {
		c := slices.Clone(classes)
		c[at] = v
		return c
	}
	for name, b := range map[string][]byte{
		"no support vectors": file(classes, 0, 4*classifiers, classifiers), "nobody's": file(classes, 5, 4*classifiers, classifiers), "numbers": file(classes, 0, 4, classifiers),
		"no theta": file(classes, 0, 4*classifiers, 0), "theta": file(classes, 0, 4*classifiers, classifiers+1), "classes": file(classes[:7], 0, 4*classifiers, classifiers), "none": file(nil, 0, 0, classifiers),
		"support claimed": file(with(3, math.MaxInt32), 5, 4*classifiers, classifiers), "support below 0": file(with(7, -1), 5, 4*classifiers, classifiers), "precision": file(with(2, 2), 0, 4*classifiers, classifiers),
		"a class": file(with(0, math.MinInt32), 0, 4*classifiers, classifiers), "many kernels": file(classes, 0, 4*classifiers, 16*classifiers),
	} {
		if testlevel.Tried(t, name, 2, 1) {
			bounded(t, name, b)
		}
	}
	many := trio(OneVsOne)
	b := bytes.Replace(encoded(t, many), []byte(`"machine_numbers":{"dtype":"F64","shape":[12]`), []byte(`"machine_numbers":{"dtype":"F64","shape":[11]`), 1)
	mustFail(t, "a number less", signed(b))
}

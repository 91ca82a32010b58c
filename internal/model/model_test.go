package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/probability"
)

// small is a model with every part in it.
func small() *Model {
	return &Model{
		Task: "class", Norm: 4.0 / 3, C: 2, Gap: 1e-3, Precision: "auto",
		Positive: "1", Negative: "-1", PositiveLabels: []string{"0", "even <&> \"zéro\""}, PositiveWeight: 1, NegativeWeight: 2.5, RowWeights: true,
		Points: 9, Limit: 9, Tuning: Tuning{WorkingSet: 64, Fresh: 0.75, Inner: 0.1, Coarse: 0.3, Shrink: 0.5, Floor: 2, NoShrink: true}, Fingerprint: 0xfedcba9876543210, Store: dataset.LayoutSparse,
		Kernels: []string{"gauss:auto/2", "linear@front"}, Views: []dataset.View{{Name: "front", First: 1, Last: 2}}, Seed: math.MaxUint64, Medians: []float64{0.3},
		Scaling:       dataset.Scaling{Kind: "standard", Factor: []float64{1, 2, 0.1}, Offset: []float64{0, -1, 1e-300}},
		Normalization: Normalization{Kind: "multiplicative", Scale: []float64{1.5, 2, 3}, SampleSize: 5, StandardError: []float64{0, 0.1, 0.2}},
		Theta:         []float64{0.5, 0, 0.1}, WNorms: []float64{1, 0, 2}, Bias: -0.1,
		SupportVectors: SupportVectors{Features: 3, Support: []int32{1, 4, 8}, Vectors: []float32{1, 2, 3, 4, 5, 6, 7, 8, 9.5}}, Alpha: []float64{2, -1.25, -0.75},
		Certificate: Certificate{Kind: "gap", Primal: 1.0009, Dual: 1, RelativeGap: 9e-4},
	}
}

func encoded(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(context.Background(), &b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// decoded knows the family that the tests write.
func decoded(b []byte) (*Model, error) {
	return Decode(bytes.NewReader(b), int64(len(b)), "test", "regions")
}

func TestRoundTrip(t *testing.T) {
	inf := small()
	inf.Norm, inf.Normalization = math.Inf(1), Normalization{Kind: "none"}
	gram := small()
	gram.Kernels, gram.Views, gram.Medians = []string{"precomputed:a", "precomputed:b", "precomputed:a"}, nil, nil
	gram.Vectors, gram.Features, gram.Scaling = nil, 0, dataset.Scaling{Kind: "none"}
	empty := small()
	empty.Support, empty.Alpha, empty.Vectors = []int32{}, []float64{}, []float32{}
	empty.PositiveLabels, empty.Limit, empty.Tuning = nil, 0, Tuning{}
	long := small()
	long.Kernels, long.Theta, long.WNorms = nil, nil, nil
	long.Medians, long.Normalization = nil, Normalization{Kind: "spherical"}
	for i := range 50000 {
		long.Kernels = append(long.Kernels, fmt.Sprintf("gauss:%d@1-2", i+1))
		long.Theta, long.WNorms = append(long.Theta, 1), append(long.WNorms, 1)
	}
	groups := small()
	groups.Kernels, groups.GroupNorm = []string{"gauss:auto/2 group=a", "linear@front prior=2"}, Norm(math.Inf(1))
	net := small()
	net.Norm, net.ElasticNet = 1, 0.25
	squared := small()
	squared.SquaredNorm = 3
	coupled := small()
	coupled.Norm, coupled.Interaction = 2, []float64{2, 1, 0, 1, 2, 0.5, 0, 0.5, 1}
	fixed := small()
	fixed.Norm, fixed.Weights = 2, []float64{1, 0, 0.3}
	likely := small()
	likely.Folds, likely.Sigmoids = 5, []probability.Sigmoid{{A: -1.5, B: 0.1}}
	for name, m := range map[string]*Model{"likely": likely, "groups": groups, "net": net, "squared": squared, "coupled": coupled, "fixed": fixed, "small": small(), "inf": inf, "gram": gram, "empty": empty, "long": long} {
		b := encoded(t, m)
		got, err := decoded(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(got, m) {
			t.Errorf("%s: got  %+v\nwant %+v", name, got, m)
		}
		if !bytes.Equal(encoded(t, got), b) {
			t.Errorf("%s: the bytes differ the second time", name)
		}
		if bank, err := got.Bank(); err != nil || len(bank.Kernels) != len(m.Theta) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Files of the first releases do not record how the points were stored.
func TestStoreUnnamed(t *testing.T) {
	m := small()
	text, err := SettingsText(m)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`"store":"`+string(m.Store)+`",`), nil, 1)
	if bytes.Contains(text, []byte("store")) {
		t.Fatalf("the store is named: %s", text)
	}
	if err := new(settings).apply(m, text); err != nil || m.Store != dataset.LayoutDense {
		t.Errorf("stored %q, %v", m.Store, err)
	}
}

func TestReadWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	if err := Write(context.Background(), path, small()); err != nil {
		t.Fatal(err)
	}
	m, err := Read(path)
	if err != nil || !reflect.DeepEqual(m, small()) {
		t.Errorf("got %+v, %v", m, err)
	}
	bad := small()
	bad.Theta[1] = math.NaN()
	if err := Write(context.Background(), path, bad); !errors.Is(err, fail.Corrupt) {
		t.Errorf("a NaN was written: %v", err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("the folder has %v", list)
	}
	if _, err := Read(path); err != nil {
		t.Errorf("the old model is gone: %v", err)
	}
	for _, p := range []string{filepath.Join(dir, "none"), dir} {
		if _, err := Read(p); !errors.Is(err, fail.Input) || !strings.HasPrefix(err.Error(), p+": ") {
			t.Errorf("%s: %v", p, err)
		}
	}
	if err := os.WriteFile(path, []byte("hello, world"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); !errors.Is(err, fail.Corrupt) || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("no model: %v", err)
	}
	if err := Write(context.Background(), filepath.Join(dir, "none", "m"), small()); !errors.Is(err, fail.Input) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestValidateListsAll(t *testing.T) {
	for name, spoil := range map[string]func(*Model){
		"task": func(m *Model) { m.Task = "x" }, "norm": func(m *Model) { m.Norm = 0.9 }, "norm nan": func(m *Model) { m.Norm = math.NaN() },
		"C": func(m *Model) { m.C = 0 }, "precision": func(m *Model) { m.Precision = "16" }, "store": func(m *Model) { m.Store = "auto" }, "labels": func(m *Model) { m.Negative = "1" },
		"kernels": func(m *Model) { m.Kernels = []string{"cubic"} }, "count": func(m *Model) { m.Kernels = m.Kernels[:1] },
		"utf8": func(m *Model) { m.Positive = "\xff" }, "theta": func(m *Model) { m.Theta[0] = -1 }, "alpha": func(m *Model) { m.Alpha[1] = 0 },
		"alphas": func(m *Model) { m.Alpha = m.Alpha[:2] }, "support": func(m *Model) { m.Support[1] = 1 }, "row": func(m *Model) { m.Support[2] = 9 },
		"vectors": func(m *Model) { m.Vectors = m.Vectors[:8] }, "no vectors": func(m *Model) { m.Vectors = nil },
		"vector": func(m *Model) { m.Vectors[3] = float32(math.Inf(-1)) }, "scaling": func(m *Model) { m.Scaling.Factor = nil },
		"normalizer": func(m *Model) { m.Normalization.Scale = nil }, "certificate": func(m *Model) { m.Certificate.Primal = math.NaN() },
		"kind": func(m *Model) { m.Certificate.Kind = "" }, "medians": func(m *Model) { m.Medians[0] = -1 }, "limit": func(m *Model) { m.Limit = 5 },
		"folds without": func(m *Model) { m.Folds = 5 }, "sigmoid of no folds": func(m *Model) { m.Sigmoids = []probability.Sigmoid{{A: -1}} },
		"one fold": func(m *Model) { m.Folds, m.Sigmoids = 1, []probability.Sigmoid{{A: -1}} }, "sigmoids": func(m *Model) { m.Folds, m.Sigmoids = 5, make([]probability.Sigmoid, 2) },
		"A nan": func(m *Model) { m.Folds, m.Sigmoids = 5, []probability.Sigmoid{{A: math.NaN()}} }, "A above 0": func(m *Model) { m.Folds, m.Sigmoids = 5, []probability.Sigmoid{{A: 1e-9}} },
		"B infinite": func(m *Model) { m.Folds, m.Sigmoids = 5, []probability.Sigmoid{{B: math.Inf(1)}} },
		"sigmoid of a number": func(m *Model) {
			m.Task, m.Positive, m.Negative, m.PositiveLabels = TaskSquare, "", "", nil
			m.Folds, m.Sigmoids = 5, make([]probability.Sigmoid, 1)
		},
		"tuning": func(m *Model) { m.Tuning.Fresh = math.NaN() },
		"bias":   func(m *Model) { m.Bias = math.Inf(1) }, "features": func(m *Model) { m.Features = -1 },
	} {
		m := small()
		spoil(m)
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := small()
	m.C, m.Norm, m.Bias = -1, 0, math.NaN()
	if err := m.Validate(); err == nil || strings.Count(err.Error(), ";") != 2 {
		t.Errorf("not all faults are listed: %v", err)
	}
	m = small()
	for _, medians := range [][]float64{nil, {1, 2}} {
		if m.Medians = medians; true {
			if _, err := m.Bank(); !errors.Is(err, fail.Corrupt) {
				t.Errorf("%d medians: %v", len(medians), err)
			}
		}
	}
}

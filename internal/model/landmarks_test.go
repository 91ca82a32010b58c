package model

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"bigmkl/internal/fail"
)

// landmarked is a model whose gates look at kernel values with two of its three rows.
func landmarked() *Model {
	m := &Model{
		Task: TaskClass, Norm: 2, C: 1, Gap: 1e-3, Precision: "auto", Positive: "1", Negative: "-1", PositiveWeight: 1, NegativeWeight: 1,
		Points: 3, Store: "dense", Kernels: []string{"linear"}, Theta: []float64{1}, WNorms: []float64{1},
		SupportVectors: SupportVectors{Features: 2, Support: []int32{0, 2}, Vectors: []float32{1, 2, 0, 3}}, Alpha: []float64{1, -1}, Certificate: Certificate{Kind: "gap"},
	}
	m.Scaling.Kind, m.Normalization.Kind = "none", "none"
	m.Family = (&Gates{
		Kind: GatesSoftmax, Number: 1, On: "kernel:gauss:auto*2", Mean: []float64{0, 1}, Deviation: []float64{1, 2}, Parameters: []float64{1, 2, 3},
		Landmarks: &Landmarks{Spec: "gauss:auto", Rows: []int32{0, 2}, Medians: []float64{0.5},
			Sparse: &Sparse{Start: []int64{0, 2, 3}, Index: []int32{0, 1, 1}, Value: []float32{1, 2, 3}}},
	}).Family()
	return m
}

// matrixLandmarked is a model whose gates look at the entries of its matrix.
func matrixLandmarked() *Model {
	m := landmarked()
	m.Features, m.Vectors, m.Kernels = 0, nil, []string{"precomputed:1"}
	g := m.Family.Gates()
	g.On = "kernel:precomputed:1*2"
	g.Landmarks = &Landmarks{Spec: "precomputed:1", Rows: []int32{0, 2}, Support: []float64{1, 0.5, 0.5, 1}}
	m.Family = g.Family()
	return m
}

// TestLandmarksAreChecked: landmarks that do not fit the model are rejected, and what fits is read as it was written.
func TestLandmarksAreChecked(t *testing.T) {
	for _, m := range []*Model{landmarked(), matrixLandmarked()} {
		if err := m.Validate(); err != nil || newSections(nil).since(m) != featuresVersion {
			t.Fatalf("version %d, %v", newSections(nil).since(m), err)
		}
		var b bytes.Buffer
		if err := Encode(t.Context(), &b, m); err != nil {
			t.Fatal(err)
		}
		read, err := Decode(bytes.NewReader(b.Bytes()), int64(b.Len()), "m", GatesFamily)
		if err != nil || !reflect.DeepEqual(read.Family.Gates(), m.Family.Gates()) {
			t.Errorf("%+v was read as %+v, %v", m.Family.Gates(), read.Family.Gates(), err)
		}
	}
	for name, spoil := range map[string]func(m *Model, g *Gates, l *Landmarks){
		"another number":        func(_ *Model, g *Gates, _ *Landmarks) { g.On = "kernel:gauss:auto*3" },
		"no number":             func(_ *Model, g *Gates, _ *Landmarks) { g.On = "kernel:gauss:auto" },
		"several kernels":       func(_ *Model, g *Gates, _ *Landmarks) { g.On = "kernel:gauss:1..2/3*2" },
		"no kernel":             func(_ *Model, g *Gates, _ *Landmarks) { g.On = "kernel:gaus:1*2" },
		"a matrix":              func(_ *Model, g *Gates, _ *Landmarks) { g.On = "kernel:precomputed:1*2" },
		"code of the user":      func(_ *Model, g *Gates, _ *Landmarks) { g.On = "kernel:user:a*2" },
		"no width":              func(_ *Model, _ *Gates, l *Landmarks) { l.Medians = nil },
		"a width too many":      func(_ *Model, _ *Gates, l *Landmarks) { l.Medians = []float64{1, 1} },
		"a width of 0":          func(_ *Model, _ *Gates, l *Landmarks) { l.Medians[0] = 0 },
		"a row too few":         func(_ *Model, _ *Gates, l *Landmarks) { l.Rows = l.Rows[:1] },
		"a row twice":           func(_ *Model, _ *Gates, l *Landmarks) { l.Rows[1] = 0 },
		"a row of no data":      func(_ *Model, _ *Gates, l *Landmarks) { l.Rows[1] = 3 },
		"a feature of no data":  func(_ *Model, _ *Gates, l *Landmarks) { l.Sparse.Index[2] = 2 },
		"features out of order": func(_ *Model, _ *Gates, l *Landmarks) { l.Sparse.Index[0], l.Sparse.Index[1] = 1, 0 },
		"a start too few":       func(_ *Model, _ *Gates, l *Landmarks) { l.Sparse.Start = l.Sparse.Start[:2] },
		"a start beyond":        func(_ *Model, _ *Gates, l *Landmarks) { l.Sparse.Start[1] = 9 },
		"a value too few":       func(_ *Model, _ *Gates, l *Landmarks) { l.Sparse.Value = l.Sparse.Value[:2] },
		"no features":           func(_ *Model, _ *Gates, l *Landmarks) { l.Sparse = nil },
		"no rows":               func(m *Model, _ *Gates, _ *Landmarks) { delete(m.Family.Arrays, "landmarks") },
		"half a row":            func(m *Model, _ *Gates, _ *Landmarks) { m.Family.Arrays["landmarks"][1] = 1.5 },
		"a row below 0":         func(m *Model, _ *Gates, _ *Landmarks) { m.Family.Arrays["landmarks"][0] = -1 },
		"a row without end":     func(m *Model, _ *Gates, _ *Landmarks) { m.Family.Arrays["landmarks"][1] = 1e18 },
		"another array":         func(m *Model, _ *Gates, _ *Landmarks) { m.Family.Arrays["landmark_support"] = []float64{1} },
		"features of all":       func(m *Model, g *Gates, _ *Landmarks) { g.On = "" },
	} {
		m := landmarked()
		g := m.Family.Gates()
		arrays := m.Family.Arrays
		spoil(m, g, g.Landmarks)
		if same := landmarked().Family.Gates(); !reflect.DeepEqual(g, same) {
			m.Family = g.Family()
		} else if reflect.DeepEqual(arrays, landmarked().Family.Arrays) {
			t.Fatalf("%s changes nothing", name)
		}
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, spoil := range map[string]func(m *Model, g *Gates, l *Landmarks){
		"a value too few": func(_ *Model, _ *Gates, l *Landmarks) { l.Support = l.Support[:3] },
		"another matrix":  func(_ *Model, g *Gates, l *Landmarks) { g.On, l.Spec = "kernel:precomputed:2*2", "precomputed:2" },
		"a file": func(_ *Model, g *Gates, l *Landmarks) {
			g.On, l.Spec = "kernel:precomputed:a.npy*2", "precomputed:a.npy"
		},
		"no file":          func(_ *Model, g *Gates, l *Landmarks) { g.On, l.Spec = "kernel:precomputed:0*2", "precomputed:0" },
		"a row of no data": func(_ *Model, _ *Gates, l *Landmarks) { l.Rows[1] = 7 },
	} {
		m := matrixLandmarked()
		g := m.Family.Gates()
		spoil(m, g, g.Landmarks)
		m.Family = g.Family()
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) {
			t.Errorf("matrix, %s: %v", name, err)
		}
	}
}

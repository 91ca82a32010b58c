package bigmkl

import (
	"context"
	"runtime"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/kernels"
	"bigmkl/mmap"
	"bigmkl/model"
)

// Model is a trained machine: package model's file with what it takes to evaluate it.
type Model struct {
	model.Model
	scratch *mmap.Map // holds the support vectors of a large model that was trained here
}

// Load reads a model file.
func Load(path string) (*Model, error) {
	m, err := model.Read(path)
	if err != nil {
		return nil, err
	}
	return &Model{Model: *m}, nil
}

// Open reads a model file but for its support vectors, which stay there until Close: predictions take memory for other things.
func Open(path string) (*Model, error) {
	m, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	return &Model{Model: *m}, nil
}

// Save writes the model file whole or, if ctx ends it or it fails, not at all.
func (m *Model) Save(ctx context.Context, path string) error { return model.Write(ctx, path, &m.Model) }

// Certificates: a gap proves the result; with a kernel that may be indefinite only stationarity can be claimed.
const (
	provenGap  = "gap"
	stationary = "stationary"
)

// frame is what a model says of the run.
func (t *training) frame() *Model {
	o := &t.o
	m := &Model{Model: model.Model{
		Task: o.Task, Norm: o.Norm, Regularizer: o.Regularizer.recorded(), C: o.C, Gap: o.Gap, Precision: o.Precision,
		PositiveLabels: o.Positive, NegativeWeight: 1, PositiveWeight: 1,
		RowWeights: t.store.Weights() != nil, Points: t.store.Len(), Features: t.store.Dim(), Limit: o.Limit, Tuning: model.Tuning(o.Tuning),
		Fingerprint: t.store.Fingerprint(), Store: dataset.LayoutDense, Kernels: t.kernels.Specs, Views: o.Views, Sequences: o.Sequences, Seed: o.Seed, Medians: t.kernels.Expanded.Medians,
		Scaling: *t.store.Scaling(),
		Normalization: model.Normalization{Kind: o.Normalize, Scale: t.kernels.Normalization.Scale,
			SampleSize: t.kernels.Normalization.SampleSize, StandardError: t.kernels.Normalization.StandardError},
	}}
	if t.store.Sparse() {
		m.Store = dataset.LayoutSparse
	}
	t.addSigmoids(m)
	return m
}

// model makes the model of a solution.
func (t *training) model(s *chunking.Solution) (*Model, error) {
	o, m := &t.o, t.frame()
	m.Double, m.Theta, m.WNorms, m.Certificate = t.solver.Double(), s.Theta, s.WNorms, t.certificate(s)
	switch o.Task {
	case TaskClass:
		names := t.store.Classes()
		m.Negative, m.Positive = names[0], names[1]
		m.NegativeWeight, m.PositiveWeight = o.classWeight(names[0]), o.classWeight(names[1])
	case TaskSVR:
		m.Epsilon = o.Epsilon
	case TaskOneClass:
		m.Nu, m.C = o.Nu, 1
	}
	for i, a := range s.Alpha {
		if a != 0 {
			m.Support, m.Alpha = append(m.Support, int32(i)), append(m.Alpha, a)
		}
	}
	points, err := t.supports(m)
	if err != nil {
		return nil, err
	}
	m.Bias = s.Certificate.Bias - t.moved(points, nil, m.Alpha, s.Theta)
	t.warnMachine(s.Theta, "", m.Untrained() > 0)
	return m, nil
}

// supports gives the model the features of its support vectors, and returns them as a set; nil if no kernel needs them.
func (t *training) supports(m *Model) (*kernels.Set, error) {
	for i := range t.kernels.Groups {
		if t.kernels.Groups[i].Base != kernels.MatrixRow {
			return m.gather(t.hard, t.store, t.budgets.Scratch)
		}
	}
	return nil, nil
}

// moved is by how much centring of linear kernels moves the decision values of some support vectors: those of rows, nil for all.
func (t *training) moved(points *kernels.Set, rows []int32, alpha, theta []float64) float64 {
	v := make([]float64, t.store.Dim())
	if points != nil {
		v = kernels.CentredSum(points, rows, alpha, t.kernels.Shape.Shift)
	}
	return t.kernels.CentringOffset(theta, v)
}

// gather copies the features of the support vectors, by their non-zeros where the points are stored so, and gives them as a set, too.
func (m *Model) gather(ctx context.Context, store *dataset.Store, scratch string) (*kernels.Set, error) {
	if store.Sparse() {
		return m.gatherSparse(ctx, store, scratch)
	}
	d := store.Dim()
	memory, err := m.room(int64(len(m.Support))*int64(d)*4, scratch)
	if err != nil {
		return nil, err
	}
	m.Vectors = []float32{} // there, although there may be none
	if len(memory) > 0 {
		m.Vectors = mmap.Slice[float32](memory)
	}
	for s, i := range m.Support {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		store.Row(int(i), m.Vectors[s*d:(s+1)*d])
	}
	return &kernels.Set{IDs: m.Support, Dim: d, Dense: m.Vectors}, nil
}

func (m *Model) gatherSparse(ctx context.Context, store *dataset.Store, scratch string) (*kernels.Set, error) {
	total, rows := int64(0), int64(len(m.Support))
	for _, i := range m.Support {
		index, _ := store.Nonzeros(int(i))
		total += int64(len(index))
	}
	memory, err := m.room(budget.SparseVectorBytes(rows, total), scratch)
	if err != nil {
		return nil, err
	}
	starts, indices := memory[:8*(rows+1)], memory[8*(rows+1):]
	v := &model.Sparse{Start: mmap.Slice[int64](starts), Index: []int32{}, Value: []float32{}}
	if total > 0 {
		v.Index, v.Value = mmap.Slice[int32](indices[:4*total]), mmap.Slice[float32](indices[4*total:])
	}
	points := &kernels.Set{IDs: m.Support, Dim: store.Dim(), Sparse: true}
	for s, i := range m.Support {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		index, value := store.Nonzeros(int(i))
		from := v.Start[s]
		v.Start[s+1] = from + int64(copy(v.Index[from:], index))
		copy(v.Value[from:], value)
		index, value = v.Row(s)
		points.Index, points.Value = append(points.Index, index), append(points.Value, value)
	}
	m.Sparse = v
	return points, nil
}

// room is memory for support vectors, in a scratch file if they are many.
func (m *Model) room(bytes int64, scratch string) ([]byte, error) {
	if bytes <= budget.LargeModel {
		return mmap.Bytes(make([]uint64, (bytes+7)/8))[:bytes], nil // aligned for every number
	}
	file, err := mmap.Create(scratch, "vectors-*", bytes)
	if err != nil {
		return nil, err
	}
	m.scratch = file
	runtime.AddCleanup(m, func(file *mmap.Map) { file.Close() }, file)
	return file.Bytes(), nil
}

// certificate is that of a solution, and what it proves.
func (t *training) certificate(s *chunking.Solution) model.Certificate {
	c := model.Certificate{Kind: provenGap, Primal: s.Certificate.Primal, Dual: s.Certificate.Dual, RelativeGap: s.Certificate.RelativeGap}
	for id, th := range s.Theta {
		if th > 0 && !t.kernels.Definite(id) {
			c.Kind = stationary
		}
	}
	return c
}

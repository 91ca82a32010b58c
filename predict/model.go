package predict

import (
	"context"
	"runtime"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/kernels"
	"bigmkl/mmap"
	"bigmkl/model"
)

// Model is a trained model: the contents of a model file, with what it takes to evaluate it. Its
// methods may be called at the same time, as long as nobody changes its fields.
type Model struct {
	model.Model
	scratch *mmap.Map // holds the support vectors of a large model that was trained here
}

// Load reads a model file. A file that is damaged is an error of class fail.Corrupt, one of a newer
// release of class fail.Version.
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

// Gather copies the features of the support vectors m.Support from a store into the model, by their
// non-zeros where the points are stored so, and gives them as a set, too. If they are many they lie in
// a file in the folder scratch, which is removed once the model is no longer in use.
func (m *Model) Gather(ctx context.Context, store *dataset.Store, scratch string) (*kernels.Set, error) {
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

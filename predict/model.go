package predict

import (
	"bytes"
	"context"
	"errors"
	"runtime"

	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/model"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// Model is a trained model: the content of a model file, with methods to evaluate and to save it.
// Its methods may be called at the same time, as long as nobody changes its fields or calls Close.
type Model struct {
	model.Model
	// scratch holds the support vectors of a large model that was trained in this process. It is
	// nil for other models.
	scratch *mmap.Map
	// keeper is nil unless predictions share their preparation, see Keep.
	keeper *keeper
}

// Load reads a whole model file into memory. A damaged file is of class fail.Corrupt, and one of a
// newer release of class fail.Version.
func Load(path string) (*Model, error) {
	m, err := model.Read(path)
	if err != nil {
		return nil, err
	}
	return &Model{Model: *m}, nil
}

// Decode reads a model from the content of a file. Errors name the file, and are the errors of
// Load.
func Decode(content []byte, name string) (*Model, error) {
	m, err := model.Decode(bytes.NewReader(content), int64(len(content)), name)
	if err != nil {
		return nil, err
	}
	return &Model{Model: *m}, nil
}

// Open reads a model file except its support vectors, which stay in the file until Close. A
// prediction reads them as it needs them, and uses its memory for other things. Errors are the
// errors of Load.
func Open(path string) (*Model, error) {
	m, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	return &Model{Model: *m}, nil
}

// Save writes the model file. If it fails or ctx ends it, a file of that name stays as it was.
func (m *Model) Save(ctx context.Context, path string) error {
	return model.Write(ctx, path, &m.Model)
}

// Close frees the support vectors of a model that Open returned or that was trained in this process
// with many of them. The model has none from then on. A model that is not closed keeps its scratch
// file until the garbage collector finds it, and where open files keep their names, the folder of the
// file cannot be removed before.
func (m *Model) Close() error {
	err := m.Model.Close()
	if m.scratch != nil {
		m.Vectors, m.Sparse = nil, nil
		err = errors.Join(err, m.scratch.Close())
		m.scratch = nil
	}
	return err
}

// Gather copies the features of the support vectors m.Support from a store into the model, and
// returns them as a set. Sparse points are copied by their non-zeros. If they are many, they lie in
// a file in the folder scratch, which is removed when nobody uses the model any more.
func (m *Model) Gather(ctx context.Context, store *dataset.Store, scratch string) (
	*kernels.Set, error) {
	if store.Sparse() {
		return m.gatherSparse(ctx, store, scratch)
	}
	d := store.Dim()
	memory, err := m.allocateVectors(int64(len(m.Support))*int64(d)*4, scratch)
	if err != nil {
		return nil, err
	}
	m.Vectors = []float32{} // It must not be nil, even without support vectors.
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

// gatherSparse is Gather for points that are stored by their non-zeros. It counts them first,
// because all of them lie in one piece of memory: where each row starts, then the indices, then the
// values.
func (m *Model) gatherSparse(ctx context.Context, store *dataset.Store, scratch string) (
	*kernels.Set, error) {
	total, rows := int64(0), int64(len(m.Support))
	for _, i := range m.Support {
		index, _ := store.Nonzeros(int(i))
		total += int64(len(index))
	}
	memory, err := m.allocateVectors(budget.SparseVectorBytes(rows, total), scratch)
	if err != nil {
		return nil, err
	}
	starts, indices := memory[:8*(rows+1)], memory[8*(rows+1):]
	v := &model.Sparse{Start: mmap.Slice[int64](starts), Index: []int32{}, Value: []float32{}}
	if total > 0 {
		v.Index = mmap.Slice[int32](indices[:4*total])
		v.Value = mmap.Slice[float32](indices[4*total:])
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
		// The set refers to the copies, since the store is closed before the model.
		index, value = v.Row(s)
		points.Index, points.Value = append(points.Index, index), append(points.Value, value)
	}
	m.Sparse = v
	return points, nil
}

// allocateVectors returns memory for support vectors. If they are many, it is mapped from a scratch
// file, so the model does not count against the memory budget of the training that made it.
func (m *Model) allocateVectors(bytes int64, scratch string) ([]byte, error) {
	if bytes <= budget.LargeModel {
		// Numbers of 8 bytes are aligned for every kind of number.
		return mmap.Bytes(make([]uint64, (bytes+7)/8))[:bytes], nil
	}
	file, err := mmap.Array(scratch, "vectors-*", bytes)
	if err != nil {
		return nil, err
	}
	m.scratch = file
	// The file of a model that nobody closes goes with it.
	runtime.AddCleanup(m, func(file *mmap.Map) { file.Close() }, file)
	return file.Bytes(), nil
}

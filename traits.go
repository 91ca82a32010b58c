package bigmkl

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"bigmkl/dataset/npy"
	"bigmkl/internal/host"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// trait is one of the things that the bits of a run depend on.
type trait struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// traits lists what the bits of this run depend on: data, options that are part of the problem or of the way to its solution,
// and what computes. Budgets, threads, cache and limits are not among them.
func (t *training) traits() ([]trait, error) {
	program, err := host.Program()
	if err != nil {
		return nil, err
	}
	o := &t.o
	layout := "dense"
	if t.store.Sparse() {
		layout = "sparse"
	}
	var weights []string
	for label, w := range o.ClassWeight {
		weights = append(weights, fmt.Sprintf("%s=%v", label, w))
	}
	slices.Sort(weights)
	list := []trait{
		{"data", fmt.Sprintf("%016x", t.store.Fingerprint())},
		{"rows", fmt.Sprint(t.store.Len())},
		{"features", fmt.Sprint(t.store.Dim())},
		{"kernels", strings.Join(t.kernels.Specs, ",")},
		{"views", fmt.Sprint(o.Views)},
		{"sequences", string(o.Sequences)},
		{"norm", fmt.Sprint(o.Norm)},
		{"task", o.Task},
		{"machines", o.Multiclass},
		{"solver", o.Solver},
		{"regularizer", o.Regularizer.trait()},
		{"C", fmt.Sprint(o.C)},
		{"epsilon", fmt.Sprint(o.Epsilon)},
		{"nu", fmt.Sprint(o.Nu)},
		{"gap", fmt.Sprint(o.Gap)},
		{"precision", o.Precision},
		{"normalize", o.Normalize},
		{"scale", o.Scale},
		{"store", layout},
		{"positive", strings.Join(o.Positive, ",")},
		{"class weights", strings.Join(weights, ",")},
		{"seed", fmt.Sprint(o.Seed)},
		{"tuning", fmt.Sprintf("%+v", o.Tuning)},
		{"init", t.origin()},
		{"instruction set", runtime.GOARCH + " " + simd.Level()},
		{"program", program},
	}
	for i, m := range t.kernels.Matrices {
		list = append(list, trait{fmt.Sprintf("matrix %d", i+1), matrixTrait(m)})
	}
	return list, nil
}

// origin names the model that the run starts from.
func (t *training) origin() string {
	m := t.o.Init
	if m == nil {
		return "none"
	}
	var h xxhash.Digest
	h.Reset()
	h.Write(mmap.Bytes(m.Support))
	h.Write(mmap.Bytes(m.Alpha))
	return fmt.Sprintf("%016x %016x", m.Fingerprint, h.Sum64())
}

// matrixTrait hashes the rows of a matrix that are looked at before training.
func matrixTrait(m *npy.Matrix) string {
	var h xxhash.Digest
	h.Reset()
	row := make([]float64, m.Cols)
	for i := 0; i < m.Rows; i += kernels.MatrixStep(m.Rows) {
		m.Row64(i, 0, row)
		h.Write(mmap.Bytes(row))
	}
	return fmt.Sprintf("%d x %d %016x", m.Rows, m.Cols, h.Sum64())
}

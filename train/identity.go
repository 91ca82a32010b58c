package train

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

// The identity is written into checkpoints as JSON, name by name. The names and the order of the facts,
// and how each value is written, must stay as they are: a checkpoint that differs in any of them is
// taken for that of another run, and refused.

// fact is one of the things that the bits of a run depend on.
type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// identity lists what the bits of this run depend on: data, options that are part of the problem or of the way to its solution,
// and what computes. Budgets, threads, cache and limits are not among them.
func (w *Workspace) identity() ([]fact, error) {
	program, err := host.Program()
	if err != nil {
		return nil, err
	}
	o := &w.Options
	layout := "dense"
	if w.Store.Sparse() {
		layout = "sparse"
	}
	var weights []string
	for label, w := range o.Problem.ClassWeight {
		weights = append(weights, fmt.Sprintf("%s=%v", label, w))
	}
	slices.Sort(weights)
	list := []fact{
		{"data", fmt.Sprintf("%016x", w.Store.Fingerprint())},
		{"rows", fmt.Sprint(w.Store.Len())},
		{"features", fmt.Sprint(w.Store.Dim())},
		{"kernels", strings.Join(w.Kernels.Specs, ",")},
		{"views", fmt.Sprint(o.Data.Views)},
		{"sequences", string(o.Data.Sequences)},
		{"norm", fmt.Sprint(o.Norm.P)},
		{"task", o.Problem.Task},
		{"machines", o.Problem.Multiclass},
		{"solver", o.Solver.Method},
		{"regularizer", o.Norm.describeNorm()},
		{"C", fmt.Sprint(o.Problem.C)},
		{"epsilon", fmt.Sprint(o.Problem.Epsilon)},
		{"nu", fmt.Sprint(o.Problem.Nu)},
		{"gap", fmt.Sprint(o.Solver.Gap)},
		{"precision", string(o.Solver.Precision)},
		{"normalize", o.Kernels.Normalize},
		{"scale", o.Data.Scale},
		{"store", layout},
		{"positive", strings.Join(o.Data.Positive, ",")},
		{"class weights", strings.Join(weights, ",")},
		{"seed", fmt.Sprint(o.Seed)},
		{"tuning", fmt.Sprintf("%+v", o.Solver.Tuning)},
		{"init", w.origin()},
		{"instruction set", runtime.GOARCH + " " + simd.Level()},
		{"program", program},
	}
	for i, m := range w.Kernels.Matrices {
		list = append(list, fact{fmt.Sprintf("matrix %d", i+1), matrixIdentity(m)})
	}
	return list, nil
}

// origin names the model that the run starts from.
func (w *Workspace) origin() string {
	m := w.Options.Init
	if m == nil {
		return "none"
	}
	var h xxhash.Digest
	h.Reset()
	h.Write(mmap.Bytes(m.Support))
	h.Write(mmap.Bytes(m.Alpha))
	return fmt.Sprintf("%016x %016x", m.Fingerprint, h.Sum64())
}

// matrixIdentity hashes the rows of a matrix that are looked at before training.
func matrixIdentity(m *npy.Matrix) string {
	var h xxhash.Digest
	h.Reset()
	row := make([]float64, m.Cols)
	for i := 0; i < m.Rows; i += kernels.MatrixStep(m.Rows) {
		m.Row64(i, 0, row)
		h.Write(mmap.Bytes(row))
	}
	return fmt.Sprintf("%d x %d %016x", m.Rows, m.Cols, h.Sum64())
}

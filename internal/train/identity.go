package train

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"bigmkl/dataset"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/host"
	"bigmkl/internal/model"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// Checkpoints have the identity of their run as JSON. The names of the facts and the form of their
// values must stay as they are: a checkpoint that differs in any of them counts as one of another
// run, and is rejected.

// Fact is one thing that the bits of a run depend on. Its value is compared as text.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Facts returns the identity of the run whose last checkpoint lies in a folder, without locking the
// folder. A folder without checkpoints gives an error of class fail.Input.
func Facts(folder string) ([]Fact, error) {
	last, err := checkpoint.Latest(folder)
	if err != nil {
		return nil, err
	}
	defer last.Close()
	var facts []Fact
	return facts, readJSON(last, sectionRun, &facts)
}

// identity is what identifies a run: its rows and kernels, and the gates of these, which are nil if
// there are none.
type identity struct {
	options *Options
	store   *dataset.Store
	kernels *kernels.Prepared
	gates   *gates
}

// facts lists what the bits of this run depend on: the data, the options that belong to the
// problem or to the way to its solution, the instruction set, and the program itself. Budgets,
// threads, the cache and limits are not among them.
func (r *identity) facts() ([]Fact, error) {
	program, err := host.Program()
	if err != nil {
		return nil, err
	}
	layout := "dense"
	if r.store.Sparse() {
		layout = "sparse"
	}
	list := []Fact{
		{"data", fmt.Sprintf("%016x", r.store.Fingerprint())},
		{"rows", fmt.Sprint(r.store.Len())},
		{"features", fmt.Sprint(r.store.Dim())},
	}
	if r.options.Data.Objects != nil {
		list = append(list, Fact{"objects", objectsIdentity(r.kernels)})
	}
	list = append(list, r.options.facts(r.kernels.Specs, layout)...)
	powerOfCosts := "" // Without costs of kernels there is none.
	if r.kernels.Expanded.HasCosts {
		powerOfCosts = fmt.Sprint(r.options.Norm.costPower())
	}
	list = append(list,
		Fact{"cost power", powerOfCosts},
		Fact{"init", r.origin()},
		Fact{"instruction set", instructionSet()},
		Fact{"program", program})
	list = append(list, r.options.Problem.wing().facts(r.options)...)
	if r.gates != nil {
		list = append(list, r.gates.facts(&r.options.Gating)...)
	}
	// Posteriors that were given are part of the data. Runs with certain labels lack the fact.
	if p := &r.options.Problem.Posteriors; p.Neighbours != 0 || r.store.Posteriors() != nil {
		var h xxhash.Digest
		h.Reset()
		h.Write(mmap.Bytes(r.store.Posteriors()))
		list = append(list, Fact{"posteriors", fmt.Sprintf("%s %016x", p.source(), h.Sum64())})
	}
	// The text of the specifications names matrices by their files, whose content may change.
	for i, m := range r.kernels.Matrices {
		list = append(list, Fact{fmt.Sprintf("matrix %d", i+1), matrixIdentity(m)})
	}
	return list, nil
}

// facts lists what the bits of a run depend on of its options, with the kernels by their
// specifications and the layout of the points by its name.
func (o *Options) facts(specs []string, layout string) []Fact {
	// A map has no order, and the text needs one.
	var weights []string
	for label, w := range o.Problem.ClassWeight {
		weights = append(weights, fmt.Sprintf("%s=%v", label, w))
	}
	slices.Sort(weights)
	list := []Fact{
		{"kernels", strings.Join(specs, ",")},
		{"views", fmt.Sprint(o.Data.Views)},
		{"sequences", string(o.Data.Sequences)},
		{"norm", fmt.Sprint(o.Norm.P)},
		{"task", model.Named(o.Problem.Task)},
		{"machines", o.Problem.Multiclass},
		{"solver", o.Solver.Method},
		{"regularizer", o.Norm.describeNorm()},
		{"C", o.Problem.describeCost()},
		{"loss", o.Problem.lossOfModel().Loss},
	}
	list = append(list, o.Problem.lossFacts()...)
	return append(list, []Fact{
		{"gap", fmt.Sprint(o.Solver.Gap)},
		{"precision", string(o.Solver.Precision)},
		{"normalize", o.Kernels.Normalize},
		{"scale", o.Data.Scale},
		{"impute", o.Data.Impute},
		{"store", layout},
		{"positive", strings.Join(o.Data.Positive, ",")},
		{"class weights", strings.Join(weights, ",")},
		{"seed", fmt.Sprint(o.Seed)},
		{"tuning", fmt.Sprintf("%+v", o.Solver.Tuning)},
	}...)
}

// describeCost returns the cost as text, joint if it is found along with the weights.
func (p *Problem) describeCost() string {
	if p.JointCost {
		return "joint"
	}
	return describeInUnits(p.C, p.CostInUnits)
}

// instructionSet names what the last bits of the arithmetic depend on.
func instructionSet() string { return runtime.GOARCH + " " + simd.Level() }

// text lists what the bits of the run depend on, a line for each fact, and the problems of a path.
func (r *identity) text(points []Point) (string, error) {
	facts, err := r.facts()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, f := range facts {
		b.WriteString(f.Name + " " + f.Value + "\n")
	}
	for _, p := range points {
		fmt.Fprintf(&b, "problem of the path %v %v", p.Norm, p.C)
		if p.CostPower != nil {
			fmt.Fprintf(&b, " %v", *p.CostPower)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// origin identifies the model that the run starts from: by its data, and by a hash of its dual
// variables.
func (r *identity) origin() string {
	m := r.options.Init
	if m == nil {
		return "none"
	}
	var h xxhash.Digest
	h.Reset()
	h.Write(mmap.Bytes(m.Support))
	h.Write(mmap.Bytes(m.Alpha))
	if g := m.Family.Gates(); g != nil && r.options.Gating.Learned() {
		h.Write(mmap.Bytes(g.Parameters))
		h.Write(mmap.Bytes(g.Mean))
		h.Write(mmap.Bytes(g.Deviation))
	}
	return fmt.Sprintf("%016x %016x", m.Fingerprint, h.Sum64())
}

// matrixIdentity returns the size of a matrix and a hash of some of its rows, the same that are
// checked before a training. To hash all of a large matrix would take as long as many iterations.
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

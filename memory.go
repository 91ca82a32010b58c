package bigmkl

import (
	"fmt"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/chunking/rule"
	"bigmkl/gradient"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

const (
	runtimeBytes    = 12 << 20 // the program, its stacks and the runtime's own tables
	bytesRead       = 28       // of each point before training: class and weight, and its squares if it is sparse
	bytesPerPoint   = 96       // with the vectors of the solver, the loss and the gradient, and lists of points
	bytesPerFeature = 100      // mean, scaling, what the survey finds, vectors of the linear kernels
	bytesPerKernel  = 300      // vectors of the solver, descriptions, weights
	bytesPerModel   = 96       // of each point beside a training of a path: what the one before has left, or support vectors but for their features
	bytesPerFolded  = 80       // of each point while a training leaves folds out: another solver and loss, its dual variables and the machine's, what was held out
	bytesPerGroup   = 800      // its description, its part in a pass, and what packed rows are kept in
)

// A heap is larger than what lives in it: by slack if the collector runs when it has to. Undisturbed it grows to twice as
// much, for which up to half of what the budget has left is set aside where nobody keeps it from that (see Options.Heap).
const slack = 1.15

// heap is what lives in the Go heap at the busiest moment of each stage, in bytes.
type heap struct {
	points, features, kernels int64 // tables
	initial                   int64 // the model to start from
	model                     int64 // of a path, or of several machines, beside the training
	folds                     int64
	norm                      int64 // what it holds beside vectors over the kernels
	reading                   int64 // points, as long as there is no solver
	normalizing               int64 // beside the tables
	set                       int64 // quadratic model of a working set, and what solves it, or what quasi-Newton steps remember
	single, double            int64 // the gradient's, for each precision; single is 0 where it cannot come
}

// newHeap counts it.
func newHeap(o *Options, points kernels.Points, b *kernels.Bank) *heap {
	n, d, q := int64(points.Len()), int64(points.Dim()), int64(o.Tuning.Size(points.Len()))
	h := &heap{points: bytesPerPoint * n * o.together(), features: bytesPerFeature * d, reading: bytesRead * n, set: 4 * 8 * q * q * o.together()}
	if o.Solver == SolverLBFGS {
		h.set = chunking.QuasiNewtonBytes * n
	}
	h.kernels = kernelBytes(b)
	if m := o.Init; m != nil {
		h.initial = m.vectorBytes() + 12*int64(len(m.Alpha)) + 48*int64(len(m.Theta))
	}
	if o.path {
		h.model = largeModel + bytesPerModel*n
	}
	h.model += (16*int64(b.Len())+bytesPerMachine)*int64(o.several.machines) + 12*o.several.points
	if o.Folds > 0 {
		h.folds = bytesPerFolded * n
	}
	h.norm = o.normBytes(int64(b.Len()), q)
	if b.Multiplied() {
		h.normalizing = kernels.NormalizeBytes(b, points, o.Threads)
	}
	if !o.double() {
		h.single = o.together() * gradient.Footprint(points, b, int(q), o.Threads, false)
	}
	h.double = o.together() * gradient.Footprint(points, b, int(q), o.Threads, true) // where rounding is much, any run ends in it
	return h
}

// besideFormula says what a model beside the training takes.
func (o *Options) besideFormula() string {
	if o.path {
		return "8 MiB + 96 n"
	}
	return "for each machine 16 M + 12 n"
}

// kernelBytes is what is known of kernels and groups.
func kernelBytes(b *kernels.Bank) int64 {
	sum := bytesPerKernel*int64(b.Len()) + bytesPerGroup*int64(len(b.Groups))
	for i := range b.Groups {
		b.Groups[i].Parts(func(g *kernels.Group) { sum += 4 * int64(len(g.Features)) })
		sum += bytesPerGroup * int64(len(b.Groups[i].Factors))
	}
	return sum
}

func (h *heap) tables() int64 { return h.features + h.kernels + h.initial + h.model + h.folds + h.norm }

// The stages of a run. A run that cannot come to single precision is trained in double precision.
func (h *heap) normalization() int64 { return h.tables() + h.reading + h.normalizing }

func (h *heap) training(double bool) int64 {
	work := h.single
	if double || h.single == 0 {
		work = h.double
	}
	return h.tables() + h.points + h.set + work
}

// anonymous is the memory that a heap takes.
func anonymous(live int64) int64 { return runtimeBytes + int64(slack*float64(live)) }

// memory shares the memory budget out.
func (o *Options) memory(store kernels.Points, b *kernels.Bank) (Share, stages) {
	h := newHeap(o, store, b)
	h.kernels += o.omitted
	normalize, train := h.normalization(), h.training(true)
	s := Share{Budget: o.Memory, Least: anonymous(max(normalize, train))}
	grown := func(name, formula string, live int64) {
		s.Fixed = append(s.Fixed, Part{name, formula, int64(slack * float64(live))})
	}
	s.Fixed = append(s.Fixed, Part{"the program", "", runtimeBytes})
	if normalize > train {
		grown("points", "28 n", h.reading)
	} else {
		grown("points", "96 n", h.points)
	}
	grown("features", "100 d", h.features)
	grown("kernels", "300 M + 800 groups", h.kernels)
	if h.initial > 0 {
		grown("the model to start from", "", h.initial)
	}
	if h.model > 0 {
		grown("a model beside the training", o.besideFormula(), h.model)
	}
	if h.folds > 0 {
		grown("held-out folds", "80 n", h.folds)
	}
	if h.norm > 0 {
		formula := "24 M^2 + 16 M q, at most"
		if o.cuts() {
			formula = fmt.Sprintf("%d M, at most", rule.CutBytes)
		}
		grown("the norm", formula, h.norm)
	}
	if normalize > train {
		grown("normalisation", "", h.normalizing)
	} else {
		name, formula := "quadratic model", "32 q^2"
		if o.Solver == SolverLBFGS {
			name, formula = "steps remembered", fmt.Sprintf("%d n", chunking.QuasiNewtonBytes)
		}
		grown(name, formula, h.set)
		grown("the working set's points and tiles", "", train-h.tables()-h.points-h.set)
	}

	all, copies := gradientBytes(o, store.Len(), b.Len())
	widest, narrow := o.left(h.training(true)), o.left(h.training(false))
	st := stages{heap: [...]int64{normalizing: anonymous(normalize), single: anonymous(h.training(false)), double: anonymous(train)}}
	if all+copies <= widest/inCore {
		s.Gradients = all + copies
	}
	st.rows, st.doubleRows = narrow-s.Gradients, widest-s.Gradients
	s.Rows = st.rows
	s.InCore = max(s.Least, o.budget(train, inCore*(all+copies)))
	s.Ample = max(s.InCore, o.budget(train, all+copies+rowsBytes(b, store.Len(), o.double())))
	return s, st
}

// inCore: gradients are in memory if they take no more than one in so many bytes of what the heap leaves.
const inCore = 2

// left is what a heap leaves of the budget.
func (o *Options) left(live int64) int64 {
	free := max(o.Memory-anonymous(live), 0)
	return max(free-o.spare(live), free/2)
}

// budget is the least budget of which a heap leaves so much.
func (o *Options) budget(live, left int64) int64 {
	return anonymous(live) + min(left+o.spare(live), 2*left)
}

// spare is the room for a heap that nobody keeps from growing.
func (o *Options) spare(live int64) int64 {
	if o.Heap != nil {
		return 0
	}
	return int64((2 - slack) * float64(live))
}

// gradientBytes is what the gradients of all points take, with K_m d if a direction moves all, and those of the points that are
// copied while others sleep.
func gradientBytes(o *Options, n, kernels int) (all, copies int64) {
	per := int64(kernels) * 8 * o.together()
	if o.Solver == SolverLBFGS {
		return 2 * padded(n) * per, 0
	}
	return padded(n) * per, padded(o.copied(n)) * per
}

// padded is a number of points in whole panels.
func padded(n int) int64 { return (int64(n) + simd.Width - 1) / simd.Width * simd.Width }

// copied is the number of points that are copied at most.
func (o *Options) copied(n int) int {
	if !o.Tuning.Shrinks(n) || o.Solver == SolverLBFGS {
		return 0
	}
	return min(n, int(max(gradient.CopiedShare, o.Tuning.Awake())*float64(n))+1)
}

// rowsBytes is what the base rows of all points would take in the cache.
func rowsBytes(b *kernels.Bank, n int, double bool) int64 {
	rows, element := int64(0), int64(4)
	if double {
		element = 8
	}
	for i := range b.Groups {
		if g := &b.Groups[i]; g.Base != kernels.MatrixRow && g.Base != kernels.CentredProduct {
			rows += int64(n) * int64(g.Layers)
		}
	}
	return rows * cache.RowMemory(padded(n)*element)
}

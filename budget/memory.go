package budget

import (
	"fmt"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/chunking/rule"
	"bigmkl/gradient"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// The stages of a run by what the Go heap takes.
const (
	Normalizing = iota // the kernels are normalised
	Single             // gradients in single precision
	Double             // gradients in double precision
)

// stages are the shares that change while a run goes on, in bytes.
type stages struct {
	heap             [3]int64
	rows, doubleRows int64 // of memory for the row cache
}

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
func newHeap(r *Run, points kernels.Points, b *kernels.Bank) *heap {
	n, d, q := int64(points.Len()), int64(points.Dim()), int64(r.Tuning.Size(points.Len()))
	h := &heap{points: bytesPerPoint * n * r.together(), features: bytesPerFeature * d, reading: bytesRead * n, set: 4 * 8 * q * q * r.together()}
	if r.QuasiNewton {
		h.set = chunking.QuasiNewtonBytes * n
	}
	h.kernels = kernelBytes(b)
	h.initial = r.Initial
	if r.Path {
		h.model = LargeModel + bytesPerModel*n
	}
	h.model += (16*int64(b.Len())+BytesPerMachine)*int64(r.Several.Machines) + 12*r.Several.Points
	if r.Folds > 0 {
		h.folds = bytesPerFolded * n
	}
	h.norm = r.normBytes(int64(b.Len()), q)
	if b.Multiplied() {
		h.normalizing = kernels.NormalizeBytes(b, points, r.Threads)
	}
	if !r.Double {
		h.single = r.together() * gradient.Footprint(points, b, int(q), r.Threads, false)
	}
	h.double = r.together() * gradient.Footprint(points, b, int(q), r.Threads, true) // where rounding is much, any run ends in it
	return h
}

// besideFormula says what a model beside the training takes.
func (r *Run) besideFormula() string {
	if r.Path {
		return "8 MiB + 96 n"
	}
	return "for each machine 16 M + 12 n"
}

// kernelBytes is what is known of kernels and groups.
func kernelBytes(b *kernels.Bank) int64 {
	sum := BytesPerKernel*int64(b.Len()) + BytesPerGroup*int64(len(b.Groups))
	for i := range b.Groups {
		b.Groups[i].Parts(func(g *kernels.Group) { sum += 4 * int64(len(g.Features)) })
		sum += BytesPerGroup * int64(len(b.Groups[i].Factors))
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
func anonymous(live int64) int64 { return runtimeBytes + int64(Slack*float64(live)) }

// memory shares the memory budget out.
func (r *Run) memory(store kernels.Points, b *kernels.Bank) (Share, stages) {
	h := newHeap(r, store, b)
	h.kernels += r.omitted
	normalize, train := h.normalization(), h.training(true)
	s := Share{Budget: r.Memory, Least: anonymous(max(normalize, train))}
	grown := func(name, formula string, live int64) {
		s.Fixed = append(s.Fixed, Part{name, formula, int64(Slack * float64(live))})
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
		grown("a model beside the training", r.besideFormula(), h.model)
	}
	if h.folds > 0 {
		grown("held-out folds", "80 n", h.folds)
	}
	if h.norm > 0 {
		formula := "24 M^2 + 16 M q, at most"
		if r.CuttingPlanes {
			formula = fmt.Sprintf("%d M, at most", rule.CutBytes)
		}
		grown("the norm", formula, h.norm)
	}
	if normalize > train {
		grown("normalisation", "", h.normalizing)
	} else {
		name, formula := "quadratic model", "32 q^2"
		if r.QuasiNewton {
			name, formula = "steps remembered", fmt.Sprintf("%d n", chunking.QuasiNewtonBytes)
		}
		grown(name, formula, h.set)
		grown("the working set's points and tiles", "", train-h.tables()-h.points-h.set)
	}

	all, copies := r.gradientBytes(store.Len(), b.Len())
	widest, narrow := r.left(h.training(true)), r.left(h.training(false))
	st := stages{heap: [...]int64{Normalizing: anonymous(normalize), Single: anonymous(h.training(false)), Double: anonymous(train)}}
	if all+copies <= widest/inCore {
		s.Gradients = all + copies
	}
	st.rows, st.doubleRows = narrow-s.Gradients, widest-s.Gradients
	s.Rows = st.rows
	s.InCore = max(s.Least, r.budget(train, inCore*(all+copies)))
	s.Ample = max(s.InCore, r.budget(train, all+copies+rowsBytes(b, store.Len(), r.Double)))
	return s, st
}

// inCore: gradients are in memory if they take no more than one in so many bytes of what the heap
// leaves.
const inCore = 2

// left is what a heap leaves of the budget.
func (r *Run) left(live int64) int64 {
	free := max(r.Memory-anonymous(live), 0)
	return max(free-r.spare(live), free/2)
}

// budget is the least budget of which a heap leaves so much.
func (r *Run) budget(live, left int64) int64 {
	return anonymous(live) + min(left+r.spare(live), 2*left)
}

// spare is the room for a heap that nobody keeps from growing.
func (r *Run) spare(live int64) int64 {
	if r.HeapKept {
		return 0
	}
	return int64((2 - Slack) * float64(live))
}

// gradientBytes is what the gradients of all points take, with K_m d if a direction moves all, and
// those of the points that are copied while others sleep.
func (r *Run) gradientBytes(n, kernels int) (all, copies int64) {
	per := int64(kernels) * 8 * r.together()
	if r.QuasiNewton {
		return 2 * padded(n) * per, 0
	}
	return padded(n) * per, padded(r.copied(n)) * per
}

// padded is a number of points in whole panels.
func padded(n int) int64 { return (int64(n) + simd.Width - 1) / simd.Width * simd.Width }

// copied is the number of points that are copied at most.
func (r *Run) copied(n int) int {
	if !r.Tuning.Shrinks(n) || r.QuasiNewton {
		return 0
	}
	return min(n, int(max(gradient.CopiedShare, r.Tuning.Awake())*float64(n))+1)
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

// Tables is what points, features and kernels take of the memory before any training.
func (r *Run) Tables(points kernels.Points, b *kernels.Bank) []Part {
	return []Part{
		{"points", "28 n", bytesRead * int64(points.Len())}, {"features", "100 d", bytesPerFeature * int64(points.Dim())},
		{"kernels", "300 M + 800 groups", kernelBytes(b) + r.omitted},
	}
}

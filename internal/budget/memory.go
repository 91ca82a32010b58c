package budget

import (
	"fmt"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/rule"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// These are the stages of a run, which differ in the size of the Go heap.
const (
	Normalizing = iota // the kernels are normalised
	Single             // gradients are in single precision
	Double             // gradients are in double precision
)

// stages holds the shares that change while a run goes on, in bytes.
type stages struct {
	// heap is what the Go heap may take in each stage.
	heap [3]int64
	// rows and doubleRows are the memory of the row cache with gradients in single and in double
	// precision.
	rows, doubleRows int64
}

// heap counts what lives in the Go heap, part by part, in bytes. The tables are there in every
// stage: features, kernels, objects, posteriors, initial, projected, descent, gates, mixture, program, model, folds and norm.
type heap struct {
	// points is what there is of the points during training, and reading what there is of them
	// before, as long as there is no solver.
	points, reading   int64
	features, kernels int64
	// objects is the values of kernels of objects.
	objects int64
	// posteriors are the posteriors of the points, with all that is computed from them.
	posteriors int64
	// initial is the model to start from, projected the rows before a projection, descent what their slope and
	// the descent take, and gates the gates of the points.
	initial, projected, descent, gates int64
	// mixture is what a solver of mixtures holds beside the gradients.
	mixture int64
	// program is the matrices of a program over all points.
	program int64
	// model is the model of a path, or of several classifiers, beside the training.
	model int64
	// pairs is the pairs of points, of a loss of pairs.
	pairs int64
	// folds is what a training without a fold takes beside that with all rows.
	folds int64
	// kept is what the caller keeps.
	kept int64
	// norm is what the norm holds beside vectors over the kernels.
	norm int64
	// normalizing is what finding the scales of the kernels, or their weights by a rule, takes beside
	// the tables.
	normalizing int64
	// set is the quadratic model of a working set and what solves it, or what quasi-Newton steps
	// remember.
	set int64
	// single and double are what the gradient takes in each precision. single is 0 for a run that
	// has no stage in single precision.
	single, double int64
}

// stepBytes returns what the steps that move all points take of each.
func stepBytes(newton bool) int64 {
	if newton {
		return chunking.CollectiveBytes
	}
	return chunking.QuasiNewtonBytes
}

// newHeap counts the heap of a run.
func newHeap(r *Run, points kernels.Points, b *kernels.Bank) *heap {
	n, d, q := int64(points.Len()), int64(points.Dim()), int64(largest{r, points.Len(), b}.points())
	h := &heap{
		points: bytesPerPoint * n * r.together(), features: bytesPerFeature * d,
		reading: bytesRead * n,
		set:     largest{r, points.Len(), b}.bytes()*r.solvers() + r.columnBytes(int64(b.Len()), n, q),
	}
	if r.Pairs > 0 {
		h.pairs = PairBytes * int64(r.Pairs)
		h.set = chunking.ModelBytes(chunking.PairSet(&r.Tuning, int(r.Pairs))) + 16*q*q
	}
	if remembered := stepBytes(r.NewtonSteps) * n; r.QuasiNewton && r.HoldsOut {
		h.set = max(h.set, remembered)
	} else if r.QuasiNewton {
		h.set = remembered
	}
	memory := kernels.Memory{Bank: b, Points: points}
	h.kernels, h.objects = kernelBytes(b)+r.Skeletons+memory.Centring(), b.LookupBytes()
	h.initial, h.projected, h.descent, h.kept = r.Initial, r.Projected, r.Descent, r.Kept.Memory
	if r.Posteriors {
		h.posteriors = bytesPerPosterior * n * r.posteriorColumns()
	}
	// An outline knows the number of classifiers only now.
	classifiers := r.Several.Classifiers
	if r.KeepsAlpha {
		h.initial += 8 * n * int64(max(1, classifiers))
	}
	if r.Gates != nil {
		h.gates = r.Gates(points.Len(), points.Dim(), b.Len(), classifiers)
	}
	if r.Mixture != nil {
		h.mixture = r.Mixture(points.Len(), points.Dim(), b.Len())
	}
	if r.Program != nil {
		h.program = r.Program(points.Len(), b.Len(), classifiers)
	}
	if r.Path {
		h.model = LargeModel + bytesPerModel*n
	}
	// A classifier has two float64 numbers for each kernel, and for each point a dual variable and
	// the index of a support vector.
	h.model += (16*int64(b.Len())+BytesPerClassifier)*int64(r.Several.Classifiers) + 12*r.Several.Points
	if r.Folds > 0 {
		h.folds = bytesPerFolded * n
	}
	h.norm = r.normBytes(int64(b.Len()), q)
	if b.Multiplied() {
		h.normalizing = memory.Normalize(r.Threads)
	}
	if r.Aligned {
		result, thread := memory.Align()
		m := int64(b.Len()) + 1
		h.normalizing = max(h.normalizing, result+thread+8*m*m)
		h.norm += 8 * m * m // The model keeps the sums.
	}
	if !r.Double {
		h.single = r.solvers() * gradient.Footprint(points, b, int(q), r.Threads, false)
	}
	// Any run may end in double precision: it does where rounding is in the way of the gap.
	h.double = r.solvers() * gradient.Footprint(points, b, int(q), r.Threads, true)
	return h
}

// besideFormula returns the formula of what a model beside the training takes.
func (r *Run) besideFormula() string {
	if r.Path {
		return "8 MiB + 96 n"
	}
	return "for each classifier 16 M + 12 n"
}

// kernelBytes counts the descriptions of kernels and groups, with the lists of their features.
func kernelBytes(b *kernels.Bank) int64 {
	sum := BytesPerKernel*int64(b.Len()) + BytesPerGroup*int64(len(b.Groups))
	for i := range b.Groups {
		b.Groups[i].Parts(func(g *kernels.Group) { sum += 4 * int64(len(g.Features)) })
		sum += BytesPerGroup * int64(len(b.Groups[i].Factors))
	}
	return sum
}

// tables returns what there is in every stage.
func (h *heap) tables() int64 {
	return h.features + h.kernels + h.objects + h.posteriors + h.initial + h.projected + h.descent + h.gates + h.mixture + h.program + h.model + h.pairs + h.folds + h.kept + h.norm
}

// normalization returns what there is while the kernels are normalised.
func (h *heap) normalization() int64 { return h.tables() + h.reading + h.normalizing }

// training returns what there is while the solver runs with gradients in double or in single
// precision. A run without a stage in single precision is counted in double precision.
func (h *heap) training(double bool) int64 {
	work := h.single
	if double || h.single == 0 {
		work = h.double
	}
	return h.tables() + h.points + h.set + work
}

// memory shares the memory budget out. Fixed of the result lists the parts of the busiest of three
// stages, which decides the least budget: normalisation, training in double precision, and predictions of held-out rows. The
// gradients stay in memory if they fit beside the heap of that stage, and the row cache gets the
// rest.
func (r *Run) memory(store kernels.Points, b *kernels.Bank) (Share, stages) {
	h := newHeap(r, store, b)
	h.kernels += r.omitted
	normalize, train := h.normalization(), h.training(true)
	s := Share{Budget: r.Memory, Least: anonymous(max(normalize, train))}
	// grown lists a part with the slack of the heap that it lives in.
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
	if h.objects > 0 {
		grown("values of objects", objectsFormula, h.objects)
	}
	if h.posteriors > 0 {
		formula := "24 n"
		if r.posteriorColumns() > 1 {
			formula = "24 n classes"
		}
		grown("posteriors", formula, h.posteriors)
	}
	if h.initial > 0 {
		grown("the model to start from", "", h.initial)
	}
	if h.projected > 0 {
		grown("rows before the projection", "8 n d + 200 n + 12 n for each classifier", h.projected)
	}
	if h.descent > 0 {
		grown("slope and descent of the projection", "8 n d + 256 for each number of W - 8 MiB", h.descent)
	}
	if h.gates > 0 {
		grown("gates", "", h.gates)
	}
	if h.mixture > 0 {
		grown("mixtures", "", h.mixture)
	}
	if h.program > 0 {
		grown("matrices of the program", "", h.program)
	}
	if h.model > 0 {
		grown("a model beside the training", r.besideFormula(), h.model)
	}
	if h.pairs > 0 {
		grown("pairs of rows", fmt.Sprintf("%d for each of %d", PairBytes, r.Pairs), h.pairs)
	}
	if h.folds > 0 {
		grown("held-out folds", "80 n", h.folds)
	}
	if h.kept > 0 {
		grown("labels, targets and scores that calibrate", "", h.kept)
	}
	if h.norm > 0 {
		formula := "24 M^2 + 16 M q, at most"
		if r.Aligned {
			formula = "8 M^2"
		}
		if r.CuttingPlanes {
			formula = fmt.Sprintf("%d M, at most", rule.CutBytes)
		}
		grown("the norm", formula, h.norm)
	}
	if normalize > train {
		name := "normalisation"
		if r.Aligned {
			name = "normalisation, or sums over pairs of rows"
		}
		grown(name, "", h.normalizing)
	} else {
		name, formula := "quadratic model", "32 q^2"
		if q := int64(r.Pairs.setPoints(&r.Tuning, store.Len())); chunking.ModelBytes(int(q)) < 32*q*q {
			formula = "16 q^2 + 32 MiB"
		}
		if r.Pairs > 0 {
			formula = ""
		}
		if (largest{r, store.Len(), b}).whole() > 0 {
			formula = "12 n^2"
		}
		if r.Contrasts {
			name, formula = "quadratic model and the best biases", ""
		}
		if r.QuasiNewton && !r.HoldsOut {
			name, formula = "steps of all points", fmt.Sprintf("%d n", stepBytes(r.NewtonSteps))
		}
		grown(name, formula, h.set)
		grown("the working set's points and tiles", "", train-h.tables()-h.points-h.set)
	}

	all, copies := r.gradientBytes(store.Len(), b.Len())
	room := room{r.Memory, r.HeapKept}
	widest, narrow := room.left(h.training(true)), room.left(h.training(false))
	st := stages{heap: [...]int64{
		Normalizing: room.limit(anonymous(normalize)),
		Single:      anonymous(h.training(false)),
		Double:      anonymous(train),
	}}
	if all+copies <= widest/inCore {
		s.Gradients = all + copies
	}
	st.rows, st.doubleRows = narrow-s.Gradients, widest-s.Gradients
	s.Rows = st.rows
	r.predict(&s, store, b)
	s.InCore = max(s.Least, room.budget(train, inCore*(all+copies)))
	s.Ample = max(s.InCore, room.budget(train, all+copies+rowsBytes(b, store.Len(), r.Double)))
	return s, st
}

// gradientBytes returns what the gradients g_m of all points take, and what the copies of those of
// active points take while others sleep. Each is a float64 number for every point and kernel. Where
// a direction moves all points, there is K_m d beside g_m, and nothing is copied.
func (r *Run) gradientBytes(n, kernels int) (all, copies int64) {
	if r.Held > 0 {
		kernels = r.Held
	}
	per := int64(kernels) * 8 * r.together()
	if r.QuasiNewton {
		return 2 * padded(r.ofRank(n)) * per, 0
	}
	return padded(r.ofRank(n)) * per, padded(r.ofRank(r.copied(n))) * per
}

// ofRank returns the most of n points that a rank holds gradients of. Units of at most unitPoints are
// dealt out, and few points are not where there are many groups of kernels.
func (r *Run) ofRank(n int) int {
	const unitPoints, few = 1024, 2048
	if r.Ranks <= 1 {
		return n
	}
	return min(n, max(few, n/r.Ranks+unitPoints))
}

// padded returns a number of points rounded up to whole panels.
func padded(n int) int64 { return (int64(n) + simd.Width - 1) / simd.Width * simd.Width }

// copied returns the largest number of active points that are copied while others sleep.
func (r *Run) copied(n int) int {
	if !r.Tuning.Shrinks(n) || r.QuasiNewton || r.Columns {
		return 0
	}
	return min(n, int(max(gradient.CopiedShare, r.Tuning.Awake())*float64(n))+1)
}

// rowsBytes returns what the base rows of all points would take in the cache. Matrices from files
// and linear kernels have no rows there: the former are mapped, and the latter form none.
func rowsBytes(b *kernels.Bank, n int, double bool) int64 {
	rows, element := int64(0), int64(4)
	if double {
		element = 8
	}
	for i := range b.Groups {
		if g := &b.Groups[i]; g.Base != kernels.MatrixRow && g.Base != kernels.CentredProduct && g.Base != kernels.Looked {
			rows += int64(n) * int64(g.Layers)
		}
	}
	return rows * cache.RowMemory(padded(n)*element)
}

// Tables returns what points, features and kernels take of the memory before any training.
func (r *Run) Tables(points kernels.Points, b *kernels.Bank) []Part {
	parts := []Part{
		{"points", "28 n", bytesRead * int64(points.Len())},
		{"features", "100 d", bytesPerFeature * int64(points.Dim())},
		{"kernels", "300 M + 800 groups", kernelBytes(b) + r.omitted},
	}
	if bytes := b.LookupBytes(); bytes > 0 {
		parts = append(parts, Part{"values of objects", objectsFormula, bytes})
	}
	return parts
}

// objectsFormula is the formula of the values of kernels of objects in memory. Each kernel on a column has them for all pairs of
// the m objects, and so does each factor of a product. Kernels with the same values share them.
const objectsFormula = "8 m^2 for each kernel of m objects"

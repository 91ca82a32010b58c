package budget

// These are the constants of the formulas, in bytes.
const (
	// BytesPerKernel counts, for each kernel, the vectors of the solver, the description of the
	// kernel and its weights.
	BytesPerKernel = 300

	// BytesPerGroup counts, for each group of kernels, its description, its part in a pass, and
	// what its packed rows are kept in.
	BytesPerGroup = 800

	// BytesPerClassifier counts what each of several classifiers takes beside its weights and dual
	// variables.
	BytesPerClassifier = 256

	// runtimeBytes counts the program, its stacks and the tables of the Go runtime.
	runtimeBytes = 12 << 20
	// bytesRead counts, for each point and before training, its class and weight, and its squared
	// norms if it is stored sparsely.
	bytesRead = 28
	// bytesPerPoint counts, for each point, the same and the vectors of the solver, the loss and
	// the gradient, and lists of points.
	bytesPerPoint = 96
	// bytesPerFeature counts, for each feature, its mean and scaling, what the survey of the data
	// finds, and the vectors of linear kernels.
	bytesPerFeature = 100
	// bytesPerModel counts, for each point and beside a training of a path, what the training
	// before has left, or the support vectors of its model without their features.
	bytesPerModel = 96
	// bytesPerFolded counts, for each point and while a training leaves folds out, another solver
	// and loss, the dual variables of both trainings, and what was held out.
	bytesPerFolded = 80
	// bytesPerPosterior counts, for each point whose label is uncertain, its posterior, its soft
	// label, and its cost, or a posterior of a class while it is read.
	bytesPerPosterior = 24
)

// Slack is the size of a Go heap relative to what lives in it, if the garbage collector runs when
// it has to. Left alone, a heap grows to twice of what lives in it. Where nobody limits it, up to
// half of what the budget has left is set aside for that growth (see Options.HeapKept).
const Slack = 1.15

// Allowance returns the anonymous memory that the account of a run may take if the run does not fit
// its budget. It is less than what a process may have for such a budget (see docs/RELIABILITY.md),
// so the rejection itself does not end for want of memory.
func Allowance(memory int64) int64 {
	memory = min(memory, 1<<60) // the sum must not overflow
	return memory + memory/10 + 40<<20
}

// Reading returns how much of a memory budget the points may take while they are read.
func Reading(memory int64) int64 {
	return int64(float64(Allowance(memory)-runtimeBytes) / Slack)
}

// leastReading returns a memory budget of which the points may take so many bytes while they are read.
func leastReading(bytes int64) int64 {
	return int64(float64(bytes)*Slack+runtimeBytes-float64(Allowance(0)))*10/11 + 1<<10
}

// LargeModel is the size of support vectors, in bytes, above which they live in a scratch file.
// They are not in the memory budget of the training, so only small models may stay in memory.
const LargeModel = 8 << 20

// SparseVectorBytes returns what so many support vectors take if they are stored by their
// non-zeros: an index and a value of 4 bytes each for every non-zero, and an offset of 8 bytes for
// every row.
func SparseVectorBytes(rows, nonzeros int64) int64 { return 8*(rows+1) + 8*nonzeros }

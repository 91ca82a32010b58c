package budget

const (
	// BytesPerKernel is of vectors of the solver, descriptions, weights.
	BytesPerKernel = 300

	// BytesPerGroup is of the description of a group of kernels, its part in a pass, and what its
	// packed rows are kept in.
	BytesPerGroup = 800

	// BytesPerMachine is of each of several machines, beside its weights and dual variables.
	BytesPerMachine = 256

	runtimeBytes    = 12 << 20 // the program, its stacks and the runtime's own tables
	bytesRead       = 28       // of each point before training: class and weight, and its squares if it is sparse
	bytesPerPoint   = 96       // with the vectors of the solver, the loss and the gradient, and lists of points
	bytesPerFeature = 100      // mean, scaling, what the survey finds, vectors of the linear kernels
	bytesPerModel   = 96       // of each point beside a training of a path: what the one before has left, or support vectors but for their features
	bytesPerFolded  = 80       // of each point while a training leaves folds out: another solver and loss, its dual variables and the machine's, what was held out
)

// Slack is by how much a heap is larger than what lives in it if the collector runs when it has to.
// Undisturbed it grows to twice as much, for which up to half of what the budget has left is set
// aside where nobody keeps it from that (see Options.HeapKept).
const Slack = 1.15

// Allowance is the anonymous memory in which the account of a run that does not fit its budget may
// be taken: less than what a process may have for a budget (see docs/RELIABILITY.md).
func Allowance(memory int64) int64 {
	memory = min(memory, 1<<60)
	return memory + memory/10 + 40<<20
}

// Reading is the memory that points may take while they are read, of a budget.
func Reading(memory int64) int64 {
	return int64(float64(Allowance(memory)-runtimeBytes) / Slack)
}

// LargeModel is the bytes of support vectors above which they live in a scratch file, because they
// are not in the memory budget of the training.
const LargeModel = 8 << 20

// SparseVectorBytes is what so many support vectors take by their non-zeros.
func SparseVectorBytes(rows, nonzeros int64) int64 { return 8*(rows+1) + 8*nonzeros }

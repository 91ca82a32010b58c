package verify

import (
	"runtime"

	"bigmkl/internal/host"
)

// Options set how a model is verified. The zero value asks for an exact verification on all
// cores.
type Options struct {
	// Sample is the number of rows that the losses are estimated from and, for each classifier, the
	// number of support vectors that the norms are estimated from. If it equals zero, all are taken
	// and the certificate is exact. A negative number is an error of class usage.
	Sample int

	// Seed chooses the sample. It has no effect on an exact verification.
	Seed uint64

	// Threads is the number of goroutines that compute; the memory budget may allow fewer. The
	// result does not depend on it. If it equals zero, it is GOMAXPROCS.
	Threads int

	// Memory is the budget in bytes for the anonymous memory of the process. If it equals zero,
	// it is 70 % of what the machine or the cgroup of the process has.
	Memory int64

	// Heap, if it is not nil, is called once with the budget and has to keep the Go heap below it.
	Heap func(bytes int64)

	// UserKernels holds the code of each kernel user:NAME of the model, by NAME.
	UserKernels map[string]UserKernel

	// Gram lists the files with the matrices of the precomputed kernels over the training rows
	// (points x points each), in the order in which the model names its files. If it is nil, the
	// files are those that the model names.
	Gram []string

	// Objects are the files of the objects that the training rows name, as objects.Read takes them, for a model of such rows.
	Objects []string

	// Gates is the .npy file with the gates of the training rows (points x kernels), for a model of
	// fixed gates.
	Gates string
	// Missing names what views the training rows lack: empty, or a file with lines "row view". A
	// model that has kernels for that needs it, and no other takes it.
	Missing string

	// Ranks are the processes that verify the same model together, each of which calls Run with the
	// same model, data and options; nil is this process alone. Rank 0 alone gets a report, and the
	// others return what ends them.
	Ranks Ranks
}

// UserKernel is the code of a kernel user:NAME, which a model file names but cannot hold. The
// interface has the methods of the library's interface of that name, so a value of one serves as
// the other.
type UserKernel = interface {
	// Values sets dst[j] = k(x, z[j]); dst has the length of z, and all points the same features.
	Values(dst []float64, x []float32, z [][]float32)

	// Definite reports whether the kernel is positive semi-definite on all data.
	Definite() bool
}

// setDefaults replaces the zero values of Threads and Memory by what the process may use.
func (o *Options) setDefaults() {
	if o.Memory == 0 {
		o.Memory = host.Budget()
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
}

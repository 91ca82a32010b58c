package predict

import (
	"cmp"

	"bigmkl/internal/dataset/objects"
	"bigmkl/kernels"
)

// Options set how a model is evaluated. The zero value is usable; no decision depends on Threads,
// Memory, Kept, Heap and Left.
type Options struct {
	// Threads is the number of threads that compute. If it equals zero, it is GOMAXPROCS.
	Threads int
	// Gram names a .npy file for each precomputed kernel, in their order. Its matrix holds k(x,
	// x_i) of rows against training points, n_test x n_train.
	Gram []string
	// Gates names a .npy file with the gates of the rows for a model of fixed gates, n_test x M.
	Gates string
	// Missing names what views the rows lack: empty, or a file with lines "row view". If it is
	// empty, they lack none. It is for models that have kernels for that.
	Missing string
	// Objects are the objects that the rows name, of the model and further ones (objects.Set.Extended). If it is nil,
	// the model has all of them.
	Objects *objects.Set
	// UserKernels holds the code of kernels user:NAME, by name.
	UserKernels map[string]kernels.UserKernel
	// Probability asks for probabilities, for which the model must have been trained.
	Probability bool
	// NoCrossing sorts the quantiles of each row, of a model of several: the estimates then ascend as their taus do
	// (Chernozhukov, Fernandez-Val and Galichon 2010).
	NoCrossing bool
	// Memory is the budget of anonymous memory in bytes. If it equals zero, it is 70 % of what the
	// computer or its cgroup has.
	Memory int64
	// Kept is the number of bytes of Memory that the caller keeps already.
	Kept int64
	// Heap is told how many bytes the Go heap may take. It has to keep the heap to that, by
	// debug.SetMemoryLimit. If it is nil, nobody is told.
	Heap func(bytes int64)
	// Ranks are the processes that predict the same rows together, each of which calls Predict with the
	// same model and options; nil is this process alone. Rank 0 alone emits, and the others return what
	// ends them.
	Ranks Ranks
	// Left is told, before the first row, how many bytes of Memory are for what the caller keeps of
	// the rows. If it is nil, the caller is assumed to keep nothing.
	Left func(bytes int64)
}

// objectsOf returns the objects that rows of a model name; nil if they have features.
func (o *Options) objectsOf(m *Model) *objects.Set { return cmp.Or(o.Objects, m.Objects) }

// Ranks share the rows of each batch out between processes.
type Ranks interface {
	// Rank is the number of this process, from 0.
	Rank() int
	// Size is the number of processes.
	Size() int
	// Announce sends the number of rows of the next batch to the others, which return it.
	Announce(n int) (int, error)
	// Collect gives rank 0 the shares of all ranks of that batch, by rank, or the error of one.
	Collect(share []byte, err error) ([][]byte, error)
}

// Prediction is what a model predicts for one row.
type Prediction struct {
	// Label is the predicted class or set of labels. In task oneclass it is 1 inside the support
	// and -1 outside; in regression it is empty.
	Label string
	// Decision is f(x) with the bias, which in regression is the prediction. For several
	// classifiers it is the value that decided: see vote.decideRow. For several quantiles it is the
	// quantile next to the median.
	Decision float64
	// Decisions holds f(x) of each of several classifiers, or each of several quantiles. It is valid until emit returns.
	Decisions []float64
	// Probabilities holds the probabilities, if they were asked for: of the negative and the
	// positive class; of each of Classes, which sum to 1; or of each label, which do not. Label
	// follows the decision and need not be the most probable one. The slice is valid until emit
	// returns.
	Probabilities []float64
	// Gates holds the gates of the row if the model has any: one for each region or each kernel, or each
	// gate that was learned. Those of classifiers that have learned their own are one behind the other.
	// The slice is valid until emit returns.
	Gates []float64
	// KernelWeights holds the weights of the components at the row in tasks med and mixture, the
	// components of the positive class first: they sum to 1 over each class. The slice is valid until
	// emit returns.
	KernelWeights []float64
	// Known is the class of the row as the model sees it, or its canonical set of labels. It is
	// empty if the row has none.
	Known string
	// Target is the target of the row in regression. It is NaN if the row has none. Of times, Target and Upper are as in dataset.Row.
	Target, Upper float64
}

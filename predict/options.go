package predict

import "bigmkl/kernels"

// Options say how a model is evaluated. The zero value is usable; no decision depends on Threads,
// Memory, Heap and Left.
type Options struct {
	Threads int      // 0 is all processors
	Gram    []string // for precomputed kernels: one file each with the matrix of rows against training points, n_test x n_train

	UserKernels map[string]kernels.UserKernel // the code of kernels user:NAME
	Probability bool                          // give probabilities, which the model has to have been trained for

	Memory int64 // bytes; 0 is 70 % of what the computer or its cgroup has

	// Heap is told how many bytes the Go heap may take, and is to keep it to that, by
	// debug.SetMemoryLimit. If it is nil, nobody does.
	Heap func(bytes int64)

	// Left is told, before the first row, how many bytes of Memory are for what the caller keeps of
	// the rows. If it is nil, the caller is taken to keep nothing.
	Left func(bytes int64)
}

// Prediction is the outcome for one row.
type Prediction struct {
	Label     string    // predicted class, or set of labels; of one class "1" within and "-1" without; "" in regression
	Decision  float64   // f(x), bias included: in regression the prediction. Of several machines, what has decided
	Decisions []float64 // f(x) of each of several machines, valid until emit returns
	// Probabilities, if they were asked for, valid until emit returns: of the negative and of the positive class; of each of Classes, which
	// sum to 1; or of each label, which do not. The label is that of the decision: it need not be the most probable one.
	Probabilities []float64
	Known         string  // the row's own class as the model sees it, or its canonical set of labels; "" if it says nothing
	Target        float64 // the row's own target in regression, NaN if it has none
}
